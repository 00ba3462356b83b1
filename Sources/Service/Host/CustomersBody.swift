import AppStore
public import Ledger
internal import Queries

/// The body of `POST /v1/customers:entitlements` (`Contract.md`): `{"customers":["…"]}`.
public struct CustomersBody: Sendable {
    /// In the order given; duplicates are answered twice.
    public let customers: [CustomerId]

    /// Largest body: ids at their bound, most of them escaped.
    public static let maximumByteCount = 1024 * 1024

    /// Throws `malformed` for an invalid body.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        guard let names = try IntakeRefusal.json(body)["customers"]?.array else {
            throw IntakeRefusal.invalidBody("customers is required, a list of ids.")
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
                throw IntakeRefusal.invalidBody("customers contains a value that is not a string.")
            }
            customers.append(try IntakeRefusal.customer(text))
        }
        self.customers = customers
    }
}
