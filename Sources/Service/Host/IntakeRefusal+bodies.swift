import AppStore
import Ledger
internal import Queries

/// Shared parsing of request bodies.
extension IntakeRefusal {
    /// Throws `malformed` for invalid JSON.
    static func json(_ body: [UInt8]) throws(IntakeRefusal) -> JSONValue {
        do throws(JSONError) { return try JSONValue.parse(body) } catch {
            throw malformedJSON(error)
        }
    }

    /// The text of a member; nil where it is absent or null. Throws `malformed` for another type.
    static func text(_ key: String, _ body: JSONValue) throws(IntakeRefusal) -> String? {
        guard let member = body[key], !member.isNull else { return nil }
        guard let text = member.string else { throw invalidBody("\(key) is not a string.") }
        return text
    }

    /// A customer id in a body. Throws `malformed` for a text that is not a customer id.
    static func customer(_ text: String) throws(IntakeRefusal) -> CustomerId {
        let customer = CustomerId(stated: text)
        do throws(CommandError) { try CommandCheck.check(customer) } catch {
            throw IntakeRefusal(.malformed, code: error.code.rawValue, message: error.message)
        }
        return customer
    }

    /// The customer that the sender names as the purchases' owner; nil when none is named.
    static func customer(in body: JSONValue) throws(IntakeRefusal) -> CustomerId? {
        guard let named = try text("customer", body) else { return nil }
        return try customer(named)
    }

    /// Refuses events while the clock is ahead: the log would misdate them permanently.
    init(clockAhead milliseconds: Int64, _ environment: Environment?) {
        let error = ServingError.clockJumped(milliseconds: milliseconds)
        self.init(
            .unavailable, code: error.code, message: error.message, environment: environment)
    }

    static func malformedJSON(_ error: JSONError) -> IntakeRefusal {
        IntakeRefusal(
            .malformed, code: "malformedJSON",
            message: "The body is not valid JSON (\(error.code.rawValue)).")
    }

    static func invalidBody(_ message: String) -> IntakeRefusal {
        IntakeRefusal(.malformed, code: "invalidBody", message: message)
    }
}
