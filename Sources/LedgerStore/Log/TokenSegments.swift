internal import Signing

/// The three segments of a compact JWS, as views into bytes that the caller keeps alive.
struct TokenSegments {
    let header: UnsafeBufferPointer<UInt8>
    let payload: UnsafeBufferPointer<UInt8>
    let signature: UnsafeBufferPointer<UInt8>

    /// Nil unless there are exactly three segments and none is empty.
    init?(_ token: UnsafeBufferPointer<UInt8>) {
        let dot = UInt8(ascii: ".")
        guard let first = token.firstPlace(of: dot),
            let second = token.firstPlace(of: dot, from: first + 1)
        else { return nil }
        header = UnsafeBufferPointer(rebasing: token[..<first])
        payload = UnsafeBufferPointer(rebasing: token[(first + 1)..<second])
        signature = UnsafeBufferPointer(rebasing: token[(second + 1)...])
        guard !header.isEmpty, !payload.isEmpty, !signature.isEmpty,
            signature.firstPlace(of: dot) == nil
        else { return nil }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of non-overlapping occurrences of `text`.
    func occurrences(of text: StaticString) -> Int {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        var (place, found) = (0, 0)
        while let next = firstPlace(of: wanted[0], from: place) {
            place = next
            guard place + wanted.count <= count else { break }
            if self[place..<(place + wanted.count)].elementsEqual(wanted) {
                found += 1
                place += wanted.count
            } else {
                place += 1
            }
        }
        return found
    }
}
