import AppStore
import Ledger
internal import Queries

/// The JSON body of a request, read member by member. Each call throws `malformed` for what the
/// contract does not have.
struct JSONBody {
    private let value: JSONValue

    init(_ body: [UInt8]) throws(IntakeRefusal) {
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw IntakeRefusal.malformedJSON(error)
        }
    }

    subscript(_ key: String) -> JSONValue? { value[key] }

    /// Throws for any other member, since a misspelt one must not be ignored, and for anything but
    /// an object.
    func requireOnly(_ members: [String]) throws(IntakeRefusal) {
        guard let present = value.object, present.allSatisfy({ members.contains($0.key) }) else {
            throw IntakeRefusal.invalidBody(
                "The body takes \(members.joined(separator: ", ")), and nothing else.")
        }
    }

    /// Nil where it is absent or null.
    func text(_ key: String) throws(IntakeRefusal) -> String? {
        guard let member = value[key], !member.isNull else { return nil }
        guard let text = member.string else {
            throw IntakeRefusal.invalidBody("\(key) is not a string.")
        }
        return text
    }

    /// - Parameter what: the expected value, for the message.
    func required(_ key: String, _ what: String = "a string") throws(IntakeRefusal) -> String {
        guard let text = try text(key) else {
            throw IntakeRefusal.invalidBody("\(key) is required, \(what).")
        }
        return text
    }

    /// False where it is absent.
    func flag(_ key: String) throws(IntakeRefusal) -> Bool {
        guard let member = value[key] else { return false }
        guard let flag = member.bool else {
            throw IntakeRefusal.invalidBody("\(key) takes true or false.")
        }
        return flag
    }

    /// Nil where it is absent or null. Throws `invalidTime`.
    func time(_ key: String) throws(IntakeRefusal) -> Timestamp? {
        guard let member = value[key], !member.isNull else { return nil }
        let text = member.string ?? member.int64.map { String($0) }
        guard let time = text.flatMap({ Timestamp(userInput: $0) }) else {
            throw JSONBody.invalidTime(key)
        }
        return time
    }

    func requiredTime(_ key: String) throws(IntakeRefusal) -> Timestamp {
        guard let time = try time(key) else { throw JSONBody.invalidTime(key) }
        return time
    }

    private static func invalidTime(_ key: String) -> IntakeRefusal {
        IntakeRefusal(
            .malformed, code: "invalidTime",
            message: "\(key) takes RFC 3339 (2026-01-31T23:59:59.000Z) or epoch milliseconds.")
    }

    /// The customer that the sender names; nil when none is named.
    func customer() throws(IntakeRefusal) -> CustomerId? {
        guard let named = try text("customer") else { return nil }
        return try JSONBody.customer(named)
    }

    /// The customer whom an upload names as the owner of a purchase. Throws for a random id of an
    /// erasure, too.
    func owner() throws(IntakeRefusal) -> CustomerId? {
        let owner = try customer()
        guard owner?.isPseudonym != true else {
            throw IntakeRefusal(
                .malformed, code: CommandError.Code.invalidCustomer.rawValue,
                message: Pseudonyms.refusal)
        }
        return owner
    }

    /// Throws for a text that is not a customer id.
    static func customer(_ text: String) throws(IntakeRefusal) -> CustomerId {
        let customer = CustomerId(stated: text)
        do throws(CommandError) { try CommandCheck.check(customer) } catch {
            throw IntakeRefusal(.malformed, code: error.code.rawValue, message: error.message)
        }
        return customer
    }
}
