internal import Foundation

/// What takes the bytes of evidence while they are put together, in order.
protocol EvidenceOutput {
    /// False when nothing more is wanted.
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

/// Keeps none: compares them with those they must be, and stops at the first other one.
struct EvidenceMatch: EvidenceOutput {
    private let expected: UnsafeRawBufferPointer
    private var index = 0

    init(_ expected: UnsafeRawBufferPointer) { self.expected = expected }

    /// Whether all of them have come.
    var isComplete: Bool { index == expected.count }

    mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= expected.count - index else { return false }
        guard let left = bytes.baseAddress, let right = expected.baseAddress else { return true }
        defer { index += bytes.count }
        return memcmp(left, right + index, bytes.count) == 0
    }
}
