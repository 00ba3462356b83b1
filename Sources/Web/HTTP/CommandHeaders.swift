import HTTPTypes
import Hummingbird
internal import Queries
internal import Service

extension HTTPField.Name {
    /// The author of a decision.
    static let actor = HTTPField.Name("X-Actor")!
    static let reason = HTTPField.Name("X-Reason")!
    /// Identifies a repeated request.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    /// `true` on the response to a request that had been applied before.
    static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
}

/// Reads the header fields of a command. The command bounds their lengths.
enum CommandHeaders {
    /// The actor, reason and key of a command.
    static func order(
        _ request: Request, _ context: WebContext
    ) throws(Problem) -> CommandIntake.Order {
        CommandIntake.Order(
            actor: try text(.actor, request, code: "invalidActor", "names the author"),
            tokenName: context.principal?.name,
            reason: try text(.reason, request, code: "invalidReason", "states the reason"),
            key: try key(request))
    }

    /// The value of a required field that must occur exactly once.
    private static func text(
        _ name: HTTPField.Name, _ request: Request, code: String, _ what: String
    ) throws(Problem) -> String {
        let values = request.headers[values: name]
        guard values.count == 1 else {
            throw Problem.invalid("\(name.rawName) \(what); give it once.", code: code)
        }
        return try utf8(values[0], name, code: code)
    }

    /// Nil when the field is absent.
    static func key(_ request: Request) throws(Problem) -> String? {
        let values = request.headers[values: .idempotencyKey]
        guard values.count <= 1 else {
            throw Problem.invalid("Give one Idempotency-Key.", code: "invalidIdempotencyKey")
        }
        return try values.first.map { (value) throws(Problem) in
            try utf8(value, .idempotencyKey, code: "invalidIdempotencyKey")
        }
    }

    /// Rejects U+FFFD, with which swift-nio replaces invalid UTF-8 in heads: the original text is
    /// lost, and two different texts may have become equal.
    private static func utf8(
        _ value: String, _ name: HTTPField.Name, code: String
    ) throws(Problem) -> String {
        guard !value.unicodeScalars.contains("\u{FFFD}") else {
            throw Problem.invalid("\(name.rawName) is not UTF-8.", code: code)
        }
        return value
    }
}
