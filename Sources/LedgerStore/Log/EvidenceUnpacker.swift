internal import Signing

/// Puts packed evidence together again: the exact bytes, or only the decoded payloads.
struct EvidenceUnpacker {
    private var reader: PackedReader
    private let headers: [EvidenceHeader]

    init(_ body: UnsafeRawBufferPointer, headers: [EvidenceHeader]) {
        reader = PackedReader(body)
        self.headers = headers
    }

    /// Bytes that are enough for what is usual: Base64 twice, and a header thrice, of which two are
    /// encoded themselves.
    private var capacity: Int {
        reader.bytes.count * 2 + headers.reduce(0) { $0 + $1.bytes.count } * 11 / 3
    }

    /// The original bytes, or nil when the body makes no sense.
    mutating func unpack() -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(capacity)
        guard let count = reader.readVarint(), appendPieces(count, nesting: true, to: &output),
            reader.isAtEnd
        else { return nil }
        return output
    }

    private mutating func appendPieces(
        _ count: Int, nesting: Bool, to output: inout [UInt8]
    ) -> Bool {
        for _ in 0..<count {
            guard let tag = reader.readVarint() else { return false }
            if tag & 1 == 0 {
                guard let text = reader.readBytes(tag >> 1) else { return false }
                output.append(contentsOf: text)
            } else if !appendToken(header: tag >> 1, nesting: nesting, to: &output) {
                return false
            }
        }
        return true
    }

    private mutating func appendToken(
        header: Int, nesting: Bool, to output: inout [UInt8]
    ) -> Bool {
        guard header < headers.count, let tag = reader.readVarint() else { return false }
        output.append(contentsOf: headers[header].bytes)
        output.append(UInt8(ascii: "."))
        if tag & 1 == 0 {
            guard let payload = reader.readBytes(tag >> 1) else { return false }
            appendText(of: payload, to: &output)
        } else {
            var payload: [UInt8] = []
            payload.reserveCapacity(capacity)
            // Signed parts have no signed parts of their own.
            guard nesting, appendPieces(tag >> 1, nesting: false, to: &payload) else {
                return false
            }
            output.append(contentsOf: Base64URL.encode(payload))
        }
        guard let signature = reader.readBytes(CompactJWS.signatureByteCount) else { return false }
        output.append(UInt8(ascii: "."))
        appendText(of: signature, to: &output)
        return true
    }

    private func appendText(of bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        bytes.withMemoryRebound(to: UInt8.self) {
            output.append(contentsOf: Base64URL.encode($0))
        }
    }

    // MARK: Payloads only

    /// The decoded payloads of one token, signed parts taken out of the outer one.
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
