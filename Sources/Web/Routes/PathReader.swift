internal import AppStore
import Hummingbird
internal import Ledger

/// The variable parts of a path.
enum PathReader {
    /// Longest id in a path, in bytes.
    static let maximumByteCount = 256

    static func text(_ name: String, _ context: WebContext) throws(Problem) -> String {
        let raw = context.parameters.get(name) ?? ""
        guard raw.utf8.count <= 3 * maximumByteCount, let text = PercentCoding.decoded(raw),
            !text.isEmpty, text.utf8.count <= maximumByteCount
        else {
            throw Problem.invalid(
                "The path must contain an id of 1 to \(maximumByteCount) bytes in"
                    + " percent-encoded UTF-8, without control characters.", code: "invalidPath")
        }
        return text
    }

    /// The parts of a route's path, with the values of its variables.
    static func parts(
        _ route: String, _ context: WebContext
    ) throws(Problem) -> [String] {
        try route.split(separator: "/").map { (part) throws(Problem) in
            part.first == ":" ? try text(String(part.dropFirst()), context) : String(part)
        }
    }

    static func position(_ context: WebContext) throws(Problem) -> Int64 {
        guard let position = Int64(plain: try text("position", context)), position > 0 else {
            throw Problem.invalid(
                "The path takes a position: a whole number from 1.", code: "invalidPath")
        }
        return position
    }

    /// The number of an item of the quarantine. Throws `noSuchItem` for any other text.
    static func item(_ text: String) throws(Problem) -> Int64 {
        guard let number = Int64(plain: text) else {
            throw Problem(.notFound, code: "noSuchItem", detail: "Items are named by numbers.")
        }
        return number
    }

    static func customer(_ context: WebContext) throws(Problem) -> CustomerId {
        CustomerId(stated: try text("id", context))
    }
}
