import AppStore
internal import Signing

/// Page cursors: opaque to the client, and valid for one kind of request.
enum PageToken {
    static func make(_ kind: String, _ place: String) -> String {
        String(decoding: Base64.url.encode(Array("\(kind):\(place)".utf8)), as: UTF8.self)
    }

    /// Nil for any text that is not a cursor of this kind.
    static func read(_ token: String, kind: String) -> String? {
        guard let bytes = Base64.url.decode(Array(token.utf8)) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("\(kind):") else { return nil }
        return String(text.dropFirst(kind.utf8.count + 1))
    }

    /// The position to resume at when the last snapshot returned has been modified since: the first
    /// one modified later.
    static func position(of place: String, in all: [TransactionPayload]) -> Int {
        let date = place.split(separator: " ").first.flatMap { Int64($0) } ?? 0
        return all.firstIndex { $0.signed.milliseconds > date } ?? all.count
    }
}
