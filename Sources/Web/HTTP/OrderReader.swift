import HTTPTypes
import Hummingbird

extension HTTPField.Name {
    /// Who decides.
    static let actor = HTTPField.Name("X-Actor")!
    /// Why.
    static let reason = HTTPField.Name("X-Reason")!
    /// Under which a repeated request is known.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    /// `true` on the answer to a request that had been taken in before.
    static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
}

/// The head of a request that decides something. Bounds of the words are the command's.
enum OrderReader {
    /// The only value of a field that must be there.
    static func text(
        _ name: HTTPField.Name, _ request: Request, code: String, _ what: String
    ) throws(Problem) -> String {
        let values = request.headers[values: name]
        guard values.count == 1 else {
            throw Problem(
                .badRequest, code: code, detail: "\(name.rawName) \(what); give it once.")
        }
        return try utf8(values[0], name, code: code)
    }

    /// Nil when none is given.
    static func key(_ request: Request) throws(Problem) -> String? {
        let values = request.headers[values: .idempotencyKey]
        guard values.count <= 1 else {
            throw Problem(
                .badRequest, code: "invalidIdempotencyKey", detail: "Give one Idempotency-Key.")
        }
        return try values.first.map { (value) throws(Problem) in
            try utf8(value, .idempotencyKey, code: "invalidIdempotencyKey")
        }
    }

    /// Bytes that are no UTF-8 arrive with U+FFFD in their place (swift-nio reads heads so): what was
    /// meant is lost, and two texts may have become one.
    private static func utf8(
        _ value: String, _ name: HTTPField.Name, code: String
    ) throws(Problem) -> String {
        guard !value.unicodeScalars.contains("\u{FFFD}") else {
            throw Problem(.badRequest, code: code, detail: "\(name.rawName) is not UTF-8.")
        }
        return value
    }
}
