import AppStore
public import Ledger

/// The body of `POST /v1/erasures` (`Contract.md`):
/// `{"chains":["…"],"customer":"…","actor":"…","reason":"…","dryRun":true}`.
public struct ErasureBody: Sendable {
    /// An originalTransactionId, or any transactionId, of each chain.
    public let chains: [String]
    public let customer: CustomerId?
    /// Who orders it; the order's check bounds this text and the next.
    public let actor: String
    public let reason: String
    /// Whether only to say what would be erased.
    public let isDryRun: Bool

    /// Largest body: every id and text at its bound, most of them escaped.
    public static let maximumByteCount = 256 * 1024
    /// Chains of one order.
    public static let chainCount = 100
    /// Longest id of a chain, in bytes.
    public static let idByteCount = 256

    private static let members: Set<String> = ["chains", "customer", "actor", "reason", "dryRun"]

    /// Throws `malformed` for an invalid body, also for one with unknown members: a misspelt
    /// `dryRun` must not erase.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value = try IntakeRefusal.json(body)
        guard let members = value.object,
            members.allSatisfy({ ErasureBody.members.contains($0.key) })
        else {
            throw IntakeRefusal.invalidBody(
                "The body takes chains, customer, actor, reason and dryRun, and nothing else.")
        }
        guard let actor = try IntakeRefusal.text("actor", value),
            let reason = try IntakeRefusal.text("reason", value)
        else { throw IntakeRefusal.invalidBody("actor and reason are required.") }
        let dryRun = value["dryRun"]
        guard dryRun == nil || dryRun?.bool != nil else {
            throw IntakeRefusal.invalidBody("dryRun takes true or false.")
        }
        chains = try ErasureBody.chains(value["chains"])
        customer = try IntakeRefusal.customer(in: value)
        guard !chains.isEmpty || customer != nil else {
            throw IntakeRefusal.invalidBody("Name chains, a customer, or both.")
        }
        self.actor = actor
        self.reason = reason
        isDryRun = dryRun?.bool ?? false
    }

    private static func chains(_ value: JSONValue?) throws(IntakeRefusal) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let entries = value.array, entries.count <= chainCount else {
            throw IntakeRefusal.invalidBody("chains takes a list of at most \(chainCount) ids.")
        }
        var chains: [String] = []
        for entry in entries {
            guard let id = entry.string, (1...idByteCount).contains(id.utf8.count) else {
                throw IntakeRefusal.invalidBody(
                    "chains contains a value that is not an id of 1 to \(idByteCount) bytes.")
            }
            chains.append(id)
        }
        return chains
    }
}
