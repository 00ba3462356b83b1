internal import Signing

/// The places of the signed parts inside a decoded notification payload.
///
/// They are extracted only where every reader would agree on them: each directly follows a key of
/// its own that occurs once, in a text without escapes, and no part stays in place. Any other
/// payload is stored whole.
struct NestedTokens {
    /// Ranges of the compact JWS, without their quotes, in order.
    let ranges: [Range<Int>]

    init(_ payload: UnsafeBufferPointer<UInt8>) {
        let found = NestedTokens.find(payload)
        ranges =
            NestedTokens.areUnambiguous(found.parts, found.ranges, payload)
            ? found.ranges : []
    }

    private static func find(
        _ payload: UnsafeBufferPointer<UInt8>
    ) -> (parts: [SignedField], ranges: [Range<Int>]) {
        var parts: [SignedField] = []
        var ranges: [Range<Int>] = []
        var place = 0
        let mark = UInt8(ascii: "\"")
        while let quote = payload.firstPlace(of: mark, from: place) {
            place = quote + 1
            // Every header is an object, and so begins with the base64url of `{"`.
            guard place + 1 < payload.count, payload[place] == UInt8(ascii: "e"),
                payload[place + 1] == UInt8(ascii: "y"),
                let end = payload.firstPlace(of: mark, from: place),
                let part = SignedField(
                    valueAfter: UnsafeBufferPointer(rebasing: payload[..<quote]))
            else { continue }
            parts.append(part)
            ranges.append(place..<end)
            place = end + 1
        }
        return (parts, ranges)
    }

    private static func areUnambiguous(
        _ parts: [SignedField], _ ranges: [Range<Int>], _ payload: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard Set(parts).count == parts.count else { return false }
        var start = 0
        let fields = SignedField.allCases
        var counts = [Int](repeating: 0, count: fields.count)
        for end in ranges.map(\.lowerBound) + [payload.count] {
            let text = UnsafeBufferPointer(rebasing: payload[start..<end])
            guard text.firstPlace(of: UInt8(ascii: "\\")) == nil else { return false }
            for (index, field) in fields.enumerated() {
                counts[index] += text.occurrences(of: field.key)
            }
            start = ranges.first { $0.lowerBound == end }?.upperBound ?? end
        }
        return zip(fields, counts).allSatisfy { $1 == (parts.contains($0) ? 1 : 0) }
    }
}
