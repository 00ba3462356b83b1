internal import Signing

/// Reads the decoded payloads from packed evidence. (`EvidenceAssembly` reproduces the exact
/// bytes.)
struct EvidenceUnpacker {
    private var reader: PackedReader
    private let headers: [EvidenceHeader]

    init(_ body: UnsafeRawBufferPointer, headers: [EvidenceHeader]) {
        reader = PackedReader(body)
        self.headers = headers
    }

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

    /// Reads text and signed parts by turns. Each part must be a whole JSON string, and the only
    /// one under its key: then `outer` decodes as the assembled payload does, but for these
    /// strings, however the payload is divided.
    private mutating func readNested(_ count: Int, into payloads: inout EvidencePayloads) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard count & 1 == 1, let start = readText() else { return false }
        payloads.outer.append(contentsOf: start)
        for _ in 0..<(count >> 1) {
            guard payloads.outer.last == quote,
                let part = payloads.outer.withUnsafeBufferPointer({
                    SignedField(valueAfter: UnsafeBufferPointer(rebasing: $0.dropLast()))
                }),
                let header = readHeader(), isInString(header), let payload = readInnerPayload(),
                payloads.set(part, payload), let text = readText(), text.first == quote
            else { return false }
            payloads.outer.append(contentsOf: text)
        }
        return true
    }

    /// Whether a header has no quotation mark, which would end the string around its token.
    private func isInString(_ header: Int) -> Bool {
        headers.indices.contains(header)
            && headers[header].bytes.withUnsafeBufferPointer {
                $0.firstPlace(of: UInt8(ascii: "\"")) == nil
            }
    }

    private mutating func readInnerPayload() -> [UInt8]? {
        guard let tag = reader.readVarint(), tag & 1 == 0,
            let payload = reader.readBytes(tag >> 1),
            reader.readBytes(CompactJWS.signatureByteCount) != nil
        else { return nil }
        return Array(payload)
    }

    /// The decoded payloads of a pair and its status, between exactly the texts of a pair.
    mutating func pairPayloads() -> EvidencePayloads? {
        var payloads = EvidencePayloads()
        guard reader.readVarint() == 5, readsText(PairText.start),
            let first = readHeader(), isInString(first), let transaction = readInnerPayload(),
            readsText(PairText.middle),
            let second = readHeader(), isInString(second), let renewal = readInnerPayload(),
            let end = readText(), reader.isAtEnd
        else { return nil }
        // The last text is `"}` or `","status":N}`.
        let digits = end.drop { $0 != UInt8(ascii: ":") }.dropFirst().dropLast()
        let status = Int64(String(decoding: digits, as: UTF8.self))
        guard end.elementsEqual(PairText.end(status: status).utf8) else { return nil }
        payloads.transaction = transaction
        payloads.renewal = renewal
        payloads.status = status
        return payloads
    }

    /// Whether the next piece is this text.
    private mutating func readsText(_ text: String) -> Bool {
        readText()?.elementsEqual(text.utf8) ?? false
    }

    private mutating func readText() -> UnsafeRawBufferPointer? {
        guard let tag = reader.readVarint(), tag & 1 == 0 else { return nil }
        return reader.readBytes(tag >> 1)
    }

    /// The index of the header of the next token.
    private mutating func readHeader() -> Int? {
        guard let tag = reader.readVarint(), tag & 1 == 1 else { return nil }
        return tag >> 1
    }
}
