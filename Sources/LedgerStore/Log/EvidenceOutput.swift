internal import Foundation

/// Receives the bytes of evidence, in order, as they are reassembled.
protocol EvidenceOutput {
    /// False to stop.
    mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// Keeps every byte.
struct EvidenceBytes: EvidenceOutput {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        self.bytes.append(contentsOf: bytes)
        return true
    }
}

/// Keeps no bytes: compares them with the expected ones, and stops at the first difference.
struct EvidenceMatch: EvidenceOutput {
    private let expected: UnsafeRawBufferPointer
    private var index = 0

    init(_ expected: UnsafeRawBufferPointer) { self.expected = expected }

    /// Whether all expected bytes have arrived.
    var isComplete: Bool { index == expected.count }

    mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= expected.count - index else { return false }
        guard let left = bytes.baseAddress, let right = expected.baseAddress else { return true }
        defer { index += bytes.count }
        return memcmp(left, right + index, bytes.count) == 0
    }
}
