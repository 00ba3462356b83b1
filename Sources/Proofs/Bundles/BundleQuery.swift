public import AppStore
public import Ledger

/// The question that a bundle answers.
public struct BundleQuery: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        /// A chain, by its own id or that of one of its transactions.
        case subscription(ChainId, askedAs: String)
        case customer(CustomerId)
        /// What chains add to one cell of a report.
        case cell(BundledCell)
    }

    public var subject: Subject
    public var at: Timestamp
    /// The time of the clock, which decides whether `at` lies in the future (see `settled`). Of a
    /// cell, the end of its report: nothing later counts.
    public var now: Timestamp
    /// Events up to this position are known.
    public var knownPosition: Int64

    /// Whether its times are in order: a cell ends with its report at the latest, and a report at
    /// the time asked about. Otherwise the figure would be of a shorter interval than it states.
    var isInOrder: Bool {
        guard case .cell(let cell) = subject else { return true }
        return cell.to <= now && now <= at
    }

    /// How far an event may be signed after `now`, since clocks differ.
    static let clockLeadMilliseconds: Int64 = 5 * 60_000

    /// The same question where `now` is not before the arrival of anything that is known, and not
    /// earlier than its signature by more than clocks differ. For an `at` after `now` the newest
    /// facts apply, whenever they were signed: an earlier `now` would claim that they were known
    /// then. The arrival is the operator's word, the time of a signature Apple's.
    func settled(by facts: [Fact]) -> BundleQuery {
        guard at > now else { return self }
        var query = self
        for fact in facts where fact.position <= knownPosition {
            let signed = fact.signedDate?.advanced(
                byMilliseconds: -BundleQuery.clockLeadMilliseconds)
            query.now = max(query.now, fact.receivedAt, signed ?? fact.receivedAt)
        }
        return query
    }

    func writeMembers(to json: inout JSONWriter) {
        switch subject {
        case .subscription(let chain, let id):
            json.member("bundleId", chain.bundleId)
            json.member("chain", chain.originalTransactionId)
            json.member("id", id)
        case .customer(let customer): json.member("customer", customer)
        case .cell(let cell): json.object("cell") { cell.writeMembers(to: &$0) }
        }
        json.member("at", at)
        json.member("now", now)
        json.member("knownPosition", knownPosition)
    }
}

extension BundleQuery {
    init?(_ json: JSONValue) {
        guard let at = json["at"]?.string.flatMap({ Timestamp(userInput: $0) }),
            let now = json["now"]?.string.flatMap({ Timestamp(userInput: $0) }),
            let position = json["knownPosition"]?.int64
        else { return nil }
        if let customer = json["customer"]?.string {
            subject = .customer(CustomerId(customer))
        } else if let value = json["cell"] {
            guard let cell = BundledCell(value) else { return nil }
            subject = .cell(cell)
        } else {
            guard let chain = ChainId(json, id: "chain"), let id = json["id"]?.string else {
                return nil
            }
            subject = .subscription(chain, askedAs: id)
        }
        (self.at, self.now, knownPosition) = (at, now, position)
    }
}

extension ChainId {
    /// Reads the member `bundleId`, and the originalTransactionId in the member `key`.
    init?(_ json: JSONValue, id key: String) {
        guard let app = json["bundleId"]?.string, let id = json[key]?.string else { return nil }
        self.init(bundleId: BundleId(app), originalTransactionId: OriginalTransactionId(id))
    }
}
