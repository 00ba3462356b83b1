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
    /// The time of the clock; only decides whether `at` lies in the future.
    public var now: Timestamp
    /// Events up to this position are known.
    public var knownPosition: Int64

    func writeMembers(to json: inout JSONWriter) {
        switch subject {
        case .subscription(let chain, let id):
            json.member("bundleId", chain.bundleId)
            json.member("chain", chain.originalTransactionId)
            json.member("id", id)
        case .customer(let customer): json.member("customer", customer)
        case .cell(let cell):
            json.key("cell")
            cell.write(to: &json)
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
            guard let app = json["bundleId"]?.string, let chain = json["chain"]?.string,
                let id = json["id"]?.string
            else { return nil }
            subject = .subscription(
                ChainId(
                    bundleId: BundleId(app),
                    originalTransactionId: OriginalTransactionId(chain)), askedAs: id)
        }
        (self.at, self.now, knownPosition) = (at, now, position)
    }
}
