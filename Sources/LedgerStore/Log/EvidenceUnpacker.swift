internal import Signing

/// Reads the decoded payloads from packed evidence. (`EvidenceAssembly` reproduces the exact
/// bytes.)
struct EvidenceUnpacker {
    private var reader: PackedReader

    init(_ body: UnsafeRawBufferPointer) { reader = PackedReader(body) }

    /// The decoded payloads of one token, with signed parts removed from the outer one.
    mutating func tokenPayloads() -> EvidencePayloads? {
        guard reader.readVarint() == 1, let piece = reader.readVarint(), piece & 1 == 1,
            let tag = reader.readVarint()
        else { return nil }
        var payloads = EvidencePayloads()
        if tag & 1 == 0 {
            guard let payload = reader.readBytes(tag >> 1) else { return nil }
            payloads.outer = Array(payload)
        } else {
            guard readNested(tag >> 1, into: &payloads) else { return nil }
            payloads.isOuterElided = true
        }
        guard reader.readBytes(CompactJWS.signatureByteCount) != nil, reader.isAtEnd else {
            return nil
        }
        return payloads
    }

    private mutating func readNested(_ count: Int, into payloads: inout EvidencePayloads) -> Bool {
        for _ in 0..<count {
            guard let tag = reader.readVarint() else { return false }
            if tag & 1 == 0 {
                guard let text = reader.readBytes(tag >> 1) else { return false }
                payloads.outer.append(contentsOf: text)
                continue
            }
            let before = payloads.outer.dropLast()
            let part = before.withContiguousStorageIfAvailable { SignedField(valueAfter: $0) }
            guard let part = part ?? nil, let payload = readInnerPayload() else { return false }
            payloads.set(part, payload)
        }
        return true
    }

    private mutating func readInnerPayload() -> [UInt8]? {
        guard let tag = reader.readVarint(), tag & 1 == 0,
            let payload = reader.readBytes(tag >> 1),
            reader.readBytes(CompactJWS.signatureByteCount) != nil
        else { return nil }
        return Array(payload)
    }

    /// The decoded payloads of a pair and its status.
    mutating func pairPayloads() -> EvidencePayloads? {
        var payloads = EvidencePayloads()
        guard reader.readVarint() == 5, readText() != nil, readHeader(),
            let transaction = readInnerPayload(), readText() != nil, readHeader(),
            let renewal = readInnerPayload(), let end = readText(), reader.isAtEnd
        else { return nil }
        payloads.transaction = transaction
        payloads.renewal = renewal
        // The last text is `"}` or `","status":N}`.
        let digits = end.drop { $0 != UInt8(ascii: ":") }.dropFirst().dropLast()
        payloads.status = Int64(String(decoding: digits, as: UTF8.self))
        return payloads
    }

    private mutating func readText() -> UnsafeRawBufferPointer? {
        guard let tag = reader.readVarint(), tag & 1 == 0 else { return nil }
        return reader.readBytes(tag >> 1)
    }

    private mutating func readHeader() -> Bool {
        guard let tag = reader.readVarint() else { return false }
        return tag & 1 == 1
    }
}
