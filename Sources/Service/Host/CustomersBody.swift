import AppStore
public import Ledger
internal import Queries

/// The body of `POST /v1/customers:entitlements` (`contract.md`): `{"customers":["…"]}`.
public struct CustomersBody: Sendable {
    /// In the order given; duplicates are answered twice.
    public let customers: [CustomerId]

    /// Largest body: ids at their bound, most of them escaped.
    public static let maximumByteCount = 1024 * 1024

    /// Throws `malformed` for an invalid body.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw IntakeRefusal(
                .malformed, code: "malformedJSON",
                message: "The body is not valid JSON (\(error.code.rawValue)).")
        }
        guard let names = value["customers"]?.array else {
            throw IntakeRefusal(
                .malformed, code: "invalidBody", message: "customers is required, a list of ids.")
        }
        guard names.count <= CustomerQuery.batchCustomerCount else {
            throw IntakeRefusal(
                .malformed, code: "tooManyCustomers",
                message: "At most \(CustomerQuery.batchCustomerCount) customers are answered for at"
                    + " once.")
        }
        var customers: [CustomerId] = []
        for name in names {
            guard let text = name.string else {
                throw IntakeRefusal(
                    .malformed, code: "invalidBody",
                    message: "customers contains a value that is not a string.")
            }
            customers.append(try IntakeRefusal.customer(text))
        }
        self.customers = customers
    }
}

extension IntakeRefusal {
    /// A customer id in a body. Throws `malformed` for a text that is not a customer id.
    static func customer(_ text: String) throws(IntakeRefusal) -> CustomerId {
        let customer = CustomerId(stated: text)
        do throws(CommandError) { try CommandCheck.check(customer) } catch {
            throw IntakeRefusal(.malformed, code: error.code.rawValue, message: error.message)
        }
        return customer
    }
}
