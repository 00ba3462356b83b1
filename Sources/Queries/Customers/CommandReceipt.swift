public import AppStore
public import Ledger

/// The result of a command: its durable position in the log.
public struct CommandReceipt: Hashable, Sendable {
    public let command: Command
    /// Nil for one about a customer.
    public let chain: ChainId?
    public let position: Int64
    public let receivedAt: Timestamp
    /// Whether the same command was accepted before; nothing was written now.
    public let isRepeated: Bool

    package init(
        command: Command, chain: ChainId?, position: Int64, receivedAt: Timestamp, isRepeated: Bool
    ) {
        self.command = command
        self.chain = chain
        self.position = position
        self.receivedAt = receivedAt
        self.isRepeated = isRepeated
    }

    /// `{"command","id","position","receivedAt","repeated","actor","tokenName","customer",…}`; for
    /// a grant, `grantId` repeats its id.
    public func write(to json: inout JSONWriter) {
        json.object { json in writeMembers(to: &json, isRepeated: isRepeated) }
    }

    /// The object without its braces.
    ///
    /// - Parameter isRepeated: nil omits `repeated`, for an answer that is the same each time.
    package func writeMembers(to json: inout JSONWriter, isRepeated: Bool? = nil) {
        json.member("command", command.name.rawValue)
        json.member("id", command.id)
        json.member("position", position)
        json.member("receivedAt", receivedAt)
        json.memberIfPresent("repeated", isRepeated)
        json.member("actor", command.actor)
        json.memberIfPresent("tokenName", command.tokenName)
        json.member("reason", command.reason)
        json.member("customer", command.customer)
        chain?.writeMembers(to: &json)
        switch command.action {
        case .grant(_, let entitlement, let until):
            json.member("grantId", command.id)
            json.member("entitlement", entitlement)
            json.member("until", until)
        case .ungrant(_, let grant): json.member("grantId", grant)
        case .link, .unlink, .claim, .note: break
        }
    }

    /// One line for people.
    public func text() -> String {
        let what: String
        switch command.action {
        case .link(let customer): what = "\(subject) is linked to \(customer)"
        case .unlink(let customer): what = "\(subject) is no longer linked to \(customer)"
        case .claim(let customer, _): what = "\(subject) is claimed for \(customer)"
        case .grant(let customer, let entitlement, let until):
            what = "\(customer) has \(entitlement) until \(until.rfc3339): grant \(command.id)"
        case .ungrant(let customer, let grant): what = "\(customer) no longer has grant \(grant)"
        case .note(let customer): what = "noted about \(customer.map(\.rawValue) ?? subject)"
        }
        return what + (isRepeated ? " (known already, " : " (") + "event \(position))\n"
    }

    private var subject: String { chain?.originalTransactionId.rawValue ?? "" }
}
