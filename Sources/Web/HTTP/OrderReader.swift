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
        return values[0]
    }

    /// Nil when none is given.
    static func key(_ request: Request) throws(Problem) -> String? {
        let values = request.headers[values: .idempotencyKey]
        guard values.count <= 1 else {
            throw Problem(
                .badRequest, code: "invalidIdempotencyKey", detail: "Give one Idempotency-Key.")
        }
        return values.first
    }
}
