public import AppStore
public import Ledger

extension CustomerReading {
    /// `timeline --customer`: `{"customer",…,"chains":[…],"entries":[…],"next"}`. Entries are those of the
    /// chains' timelines, each with the chain it is of, and what was decided about the customer.
    /// One page of it: of the chains those whose entries are on the page, on the first page also
    /// those without any.
    ///
    /// - Parameters:
    ///   - after: the place of the last entry of the page before; nil begins.
    ///   - limit: entries of a page; nil for all of them.
    ///   - isStamped: as for `ChainReading.writeShow`.
    public func writeTimeline(
        to json: inout JSONWriter, after: TimelinePlace? = nil, limit: Int? = nil,
        isStamped: Bool = true
    ) {
        let all = placedEntries
        let rest = all.drop { entry in after.map { entry.place <= $0 } ?? false }
        let page = rest.prefix(max(1, limit ?? .max))
        var told = Set(page.compactMap(\.chain))
        if after == nil {
            told.formUnion(Set(chains.map(\.chain)).subtracting(all.compactMap(\.chain)))
        }
        json.object { json in
            writeStamp(to: &json, isStamped)
            json.array("chains", chains.filter { told.contains($0.chain) }) { json, reading in
                reading.writeShow(to: &json, isStamped: isStamped)
            }
            json.array("entries", page.map(\.entry)) { json, entry in
                switch entry {
                case .chain(let entry, let reading):
                    json.object { json in
                        json.member("bundleId", reading.chain.bundleId)
                        json.member("originalTransactionId", reading.chain.originalTransactionId)
                        reading.writeMembers(of: entry, to: &json)
                    }
                case .command(let fact): CustomerReading.write(fact, to: &json)
                }
            }
            json.member("next", page.count < rest.count ? page.last?.place.cursor : nil)
        }
    }

    private struct PlacedEntry {
        let place: TimelinePlace
        let entry: Entry

        /// Nil for what is about the customer.
        var chain: ChainId? {
            if case .chain(_, let reading) = entry { reading.chain } else { nil }
        }
    }

    /// In order of time; of one time, in their order.
    private var placedEntries: [PlacedEntry] {
        zip(TimelinePlace.places(of: entries.map(\.at)), entries).map {
            PlacedEntry(place: $0, entry: $1)
        }
    }

    /// The chains the customer holds, as `show` says them, one page of them:
    /// `{"customer",…,"subscriptions":[…],"next"}`.
    ///
    /// - Parameters:
    ///   - limit: chains of a page.
    ///   - after: the last chain of the page before (`ChainId(cursor:)` of its `next`); nil begins.
    ///   - isStamped: as for `ChainReading.writeShow`.
    public func writeSubscriptions(
        to json: inout JSONWriter, limit: Int, after: ChainId? = nil, isStamped: Bool = true
    ) {
        let rest = held.filter { reading in after.map { $0 < reading.chain } ?? true }
        let page = rest.prefix(max(1, limit))
        json.object { json in
            writeStamp(to: &json, isStamped)
            json.array("subscriptions", page) { json, reading in
                reading.writeShow(to: &json, isStamped: isStamped)
            }
            json.member("next", page.count < rest.count ? page.last?.chain.cursor : nil)
        }
    }

    private func writeStamp(to json: inout JSONWriter, _ isStamped: Bool) {
        json.member("customer", customer)
        if isStamped { json.member("at", moment.at) }
        json.member("knownAt", moment.knowledge.knownAt)
        if isStamped { json.member("position", position) }
        complete.writeMembers(to: &json)
        json.member("reducerVersion", Lifecycle.reducerVersion)
        json.member("catalogueHash", catalogueHash)
    }

    private static func write(_ fact: Fact, to json: inout JSONWriter) {
        json.object { json in
            json.member("bundleId", nil as BundleId?)
            json.member("originalTransactionId", nil as OriginalTransactionId?)
            json.member("at", fact.receivedAt)
            json.member("kind", "fact")
            json.member("from", nil as String?)
            json.member("to", nil as String?)
            json.member("fact", fact.command.map { word($0) })
            json.member("reason", nil as String?)
            json.member("productId", nil as ProductId?)
            json.member("transactionId", nil as TransactionId?)
            json.member("refund", nil as String?)
            json.member("change", nil as String?)
            fact.writeCause([fact.position], to: &json)
        }
    }

    /// What a command about a customer is in a timeline.
    package static func word(_ command: Command) -> String {
        switch command.action {
        case .grant: "granted"
        case .ungrant: "grantWithdrawn"
        case .note: LifeFactName.noted.rawValue
        case .link, .claim: LifeFactName.accountLinked.rawValue
        case .unlink: LifeFactName.accountUnlinked.rawValue
        }
    }
}

extension ChainId {
    /// Names a place in a list by chain order; no bundle id holds a tilde, which no client escapes
    /// or spells otherwise in a query (RFC 3986 §2.3), as some do a space.
    var cursor: String { "\(originalTransactionId)~\(bundleId)" }

    /// Nil for a text that is no cursor of such a list.
    public init?(cursor: String) {
        // By scalars: a mark behind the tilde makes one character of both.
        let scalars = cursor.unicodeScalars
        guard let end = scalars.lastIndex(of: "~") else { return nil }
        self.init(
            bundleId: BundleId(String(scalars[scalars.index(after: end)...])),
            originalTransactionId: OriginalTransactionId(String(scalars[..<end])))
    }
}

extension Command {
    /// Who, why and for whom: part of the cause of what it did.
    func writeMembers(to json: inout JSONWriter) {
        json.member("name", name.rawValue)
        json.member("id", id)
        json.member("actor", actor)
        json.memberIfPresent("tokenName", tokenName)
        json.member("reason", reason)
        json.member("customer", customer)
        if case .grant(_, let entitlement, let until) = action {
            json.member("entitlement", entitlement)
            json.member("until", until)
        }
        if case .ungrant(_, let grant) = action { json.member("grantId", grant) }
    }
}
