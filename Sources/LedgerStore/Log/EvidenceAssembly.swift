internal import Signing

/// Reassembles packed evidence byte for byte as it was received (`PackedEvidence`).
struct EvidenceAssembly {
    private var reader: PackedReader
    private let headers: [EvidenceHeader]

    init(_ body: UnsafeRawBufferPointer, headers: [EvidenceHeader]) {
        reader = PackedReader(body)
        self.headers = headers
    }

    /// Nil when the body is invalid, or longer than any evidence.
    mutating func bytes(reserving byteCount: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        guard let count = reader.readVarint(), putPieces(count, isInside: false, to: &bytes),
            reader.isAtEnd
        else { return nil }
        return bytes
    }

    /// Appends `count` pieces: of the body, or, with `isInside`, of a payload. False when invalid.
    private mutating func putPieces(
        _ count: Int, isInside: Bool, to bytes: inout [UInt8]
    ) -> Bool {
        for _ in 0..<count {
            guard let tag = reader.readVarint() else { return false }
            if tag & 1 == 0 {
                guard let text = reader.readBytes(tag >> 1) else { return false }
                bytes.append(contentsOf: text)
            } else if !putToken(header: tag >> 1, isInside: isInside, to: &bytes) {
                return false
            }
            // A damaged body may name a long header again and again.
            guard bytes.count <= LogLimits.evidenceByteCount else { return false }
        }
        return true
    }

    /// Appends a compact JWS; one inside a payload has no nested signed parts.
    private mutating func putToken(
        header: Int, isInside: Bool, to bytes: inout [UInt8]
    ) -> Bool {
        guard header < headers.count, let tag = reader.readVarint() else { return false }
        bytes.append(contentsOf: headers[header].bytes)
        bytes.append(UInt8(ascii: "."))
        if tag & 1 == 0 {
            guard let payload = reader.readBytes(tag >> 1) else { return false }
            bytes.append(contentsOf: EvidenceAssembly.encoded(payload))
        } else {
            var payload: [UInt8] = []
            guard !isInside, putPieces(tag >> 1, isInside: true, to: &payload) else { return false }
            bytes.append(contentsOf: Base64.url.encode(payload))
        }
        guard let signature = reader.readBytes(CompactJWS.signatureByteCount) else { return false }
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: EvidenceAssembly.encoded(signature))
        return true
    }

    private static func encoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        bytes.withMemoryRebound(to: UInt8.self) { Base64.url.encode($0) }
    }
}
