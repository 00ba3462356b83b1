internal import Foundation

/// The three segments of a compact JWS, as views into bytes that the caller keeps alive.
struct TokenSegments {
    let header: UnsafeBufferPointer<UInt8>
    let payload: UnsafeBufferPointer<UInt8>
    let signature: UnsafeBufferPointer<UInt8>

    /// Nil unless there are exactly three segments and none is empty.
    init?(_ token: UnsafeBufferPointer<UInt8>) {
        guard let first = TokenSegments.firstDot(token) else { return nil }
        let rest = UnsafeBufferPointer(rebasing: token[(first + 1)...])
        guard let second = TokenSegments.firstDot(rest) else { return nil }
        header = UnsafeBufferPointer(rebasing: token[..<first])
        payload = UnsafeBufferPointer(rebasing: rest[..<second])
        signature = UnsafeBufferPointer(rebasing: rest[(second + 1)...])
        guard !header.isEmpty, !payload.isEmpty, !signature.isEmpty,
            TokenSegments.firstDot(signature) == nil
        else { return nil }
    }

    private static func firstDot(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        bytes.firstPlace(of: UInt8(ascii: "."))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// `firstIndex(of:)` by memchr: payloads are long and the byte is rare.
    func firstPlace(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else {
            return nil
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    /// The number of non-overlapping occurrences of `text`.
    func occurrences(of text: StaticString) -> Int {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        var (place, found) = (0, 0)
        while let step = UnsafeBufferPointer(rebasing: self[place...]).firstPlace(of: wanted[0]) {
            place += step
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
