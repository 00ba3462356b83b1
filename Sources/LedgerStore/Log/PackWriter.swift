internal import Signing

/// A writer of packed evidence.
struct PackWriter {
    let packer: EvidencePacker
    var body: [UInt8] = []
    private(set) var headers: [EvidenceHeader] = []

    /// - Parameter capacity: bytes to reserve.
    init(packer: EvidencePacker, capacity: Int) {
        self.packer = packer
        body.reserveCapacity(capacity)
    }

    /// Appends a compact JWS; returns its decoded payload, or nil when it is irregular and nothing
    /// useful was appended. With `nesting`, signed parts inside its payload are extracted, as in a
    /// notification. The parts of a pair contain none that a reader would look for.
    ///
    /// - Parameters:
    ///   - isNested: whether it is inside a payload. Its header must then be base64url: another
    ///     character could make the JSON around it invalid, which is valid without it.
    ///   - decoded: the payload, if already decoded. A wrong one is detected when the evidence is
    ///     reassembled.
    mutating func append(
        token: UnsafeBufferPointer<UInt8>, nesting: Bool, isNested: Bool = false,
        decoded: [UInt8]? = nil
    ) -> [UInt8]? {
        guard let segments = TokenSegments(token),
            let signature = Base64.url.decode(segments.signature),
            signature.count == CompactJWS.signatureByteCount,
            let payload = decoded ?? Base64.url.decode(segments.payload),
            case let header = packer.header(segments.header), header.isBase64URL || !isNested
        else { return nil }
        append(header)
        payload.withUnsafeBufferPointer { buffer in
            if nesting { append(payload: buffer) } else { append(piece: buffer) }
        }
        body.append(contentsOf: signature)
        return payload
    }

    mutating func append(text: String) { append(piece: Array(text.utf8)) }

    private mutating func append(payload: UnsafeBufferPointer<UInt8>) {
        let nested = NestedTokens(payload).ranges.map { range in
            UnsafeBufferPointer(rebasing: payload[range])
        }
        let mark = (body.count, headers.count)
        if nested.isEmpty || !append(payload: payload, with: nested) {
            body.removeLast(body.count - mark.0)
            headers.removeLast(headers.count - mark.1)
            append(piece: payload)
        }
    }

    /// False, with garbage appended, when one of the nested parts is irregular.
    private mutating func append(
        payload: UnsafeBufferPointer<UInt8>, with nested: [UnsafeBufferPointer<UInt8>]
    ) -> Bool {
        guard let start = payload.baseAddress else { return false }
        Varint.append((nested.count * 2 + 1) << 1 | 1, to: &body)
        var place = 0
        for token in nested {
            guard let tokenStart = token.baseAddress else { return false }
            append(piece: UnsafeBufferPointer(rebasing: payload[place..<(tokenStart - start)]))
            guard append(token: token, nesting: false, isNested: true) != nil else { return false }
            place = tokenStart - start + token.count
        }
        append(piece: UnsafeBufferPointer(rebasing: payload[place...]))
        return true
    }

    private mutating func append(_ known: EvidencePacker.PackedHeader) {
        let index = headers.firstIndex(of: known.header) ?? headers.count
        if index == headers.count { headers.append(known.header) }
        Varint.append(index << 1 | 1, to: &body)
    }

    private mutating func append(piece: UnsafeBufferPointer<UInt8>) {
        Varint.append(piece.count << 1, to: &body)
        body.append(contentsOf: piece)
    }

    private mutating func append(piece: [UInt8]) {
        piece.withUnsafeBufferPointer { append(piece: $0) }
    }
}
