public import AppStore
public import Ledger

extension CustomerReading {
    /// A page of the entries of each chain while the customer held it, and of the commands about
    /// the customer, in order of time; for one time, chains in their order, then commands.
    ///
    /// - `after`: the `next` of the previous page; nil for the first page.
    /// - `limit`: entries per page; nil for all of them.
    public func page(
        _ order: TimelineOrder = .oldest, after: TimelinePlace? = nil, limit: Int? = nil
    ) -> TimelinePage<Entry> {
        let held = chains.map { heldEntries($0) }
        var slots = commands.enumerated().map { index, fact in
            Slot(at: fact.receivedAt, list: held.count, index: index)
        }
        for (list, entries) in held.enumerated() {
            slots += entries.enumerated().map { Slot(at: $1.at, list: list, index: $0) }
        }
        slots.sort { ($0.at, $0.list, $0.index) < ($1.at, $1.list, $1.index) }
        let page = TimelinePage(of: slots, at: \.at, order, after: after, limit: limit)
        return page.map { slot -> Entry in
            slot.list < held.count
                ? .chain(held[slot.list][slot.index], chains[slot.list])
                : .command(commands[slot.index])
        }
    }

    /// Where an entry is: an `Entry` holds the reading of its chain, and is made for the entries of
    /// a page alone.
    private struct Slot: Sendable {
        let at: Timestamp
        /// The index of the chain; after the last one, the commands.
        let list: Int
        let index: Int
    }

    /// The chains that a page shows: those with entries on it; on the first page, also those
    /// without any.
    public func chains(of page: TimelinePage<Entry>) -> [ChainReading] {
        var shown = Set(page.entries.compactMap(\.chain))
        if page.after == nil {
            shown.formUnion(chains.filter { heldEntries($0).isEmpty }.map(\.chain))
        }
        return chains.filter { shown.contains($0.chain) }
    }

    /// One page of `timeline --customer`: `{"customer",…,"chains":[…],"entries":[…],"next"}`.
    /// Entries are those of the chains' timelines, each with its chain, and commands about the
    /// customer. `chains` are those of `chains(of:)`.
    /// Without a page, the whole timeline.
    public func writeTimeline(to json: inout JSONWriter, _ page: TimelinePage<Entry>? = nil) {
        let page = page ?? self.page()
        json.object { json in
            json.member("customer", customer)
            stamp.writeMembers(to: &json)
            json.array("chains", chains(of: page))
            json.objects("entries", page.entries) { json, entry in
                switch entry {
                case .chain(let entry, let reading):
                    reading.chain.writeMembers(to: &json)
                    reading.writeMembers(of: entry, to: &json)
                case .command(let fact): CustomerReading.writeMembers(of: fact, to: &json)
                }
            }
            json.member("next", page.next?.cursor)
        }
    }

    /// One page of the chains the customer holds, each in the form of `show`:
    /// `{"customer",…,"subscriptions":[…],"next"}`.
    ///
    /// - `limit`: chains per page.
    public func writeSubscriptions(to json: inout JSONWriter, limit: Int) {
        let held = held
        let page = held.prefix(max(1, limit))
        json.object { json in
            json.member("customer", customer)
            stamp.writeMembers(to: &json)
            json.array("subscriptions", page)
            json.member("next", page.count < held.count ? page.last?.chain.cursor : nil)
        }
    }

    private static func writeMembers(of fact: Fact, to json: inout JSONWriter) {
        json.member("bundleId", nil as BundleId?)
        json.member("originalTransactionId", nil as OriginalTransactionId?)
        TimelineEntry.writeMembers(
            at: fact.receivedAt, named: fact.command.map { entryName($0) }, to: &json)
        fact.writeCause([fact.position], to: &json)
    }

    /// The name in a timeline of a command about a customer.
    package static func entryName(_ command: Command) -> String {
        switch command.action {
        case .grant: "granted"
        case .ungrant: "grantWithdrawn"
        case .note: TimelineEventName.noted.rawValue
        case .link, .claim: TimelineEventName.accountLinked.rawValue
        case .unlink: TimelineEventName.accountUnlinked.rawValue
        }
    }
}

extension ChainId {
    /// The cursor of a list in chain order. The separator is a tilde: bundle ids do not contain it,
    /// and clients never escape it in a query (RFC 3986 §2.3), as some do a space.
    package var cursor: String { "\(originalTransactionId)~\(bundleId)" }

    /// Nil for a text that is not a cursor of such a list.
    public init?(cursor: String) {
        // By scalars, since a combining mark after the tilde would form one character with it.
        let scalars = cursor.unicodeScalars
        guard let end = scalars.lastIndex(of: "~") else { return nil }
        self.init(
            bundleId: BundleId(String(scalars[scalars.index(after: end)...])),
            originalTransactionId: OriginalTransactionId(String(scalars[..<end])))
    }
}

extension Command {
    /// Actor, reason and customer: part of the cause of the command's effects.
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
