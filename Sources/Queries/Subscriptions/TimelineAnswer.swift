public import AppStore
import Ledger

extension ChainReading {
    /// Entries up to the requested moment; later ones are neither listed nor counted
    /// (`Lifecycle.md` §1).
    public var entries: [TimelineEntry] { life.timeline.filter { $0.at <= moment.at } }

    /// Intervals that have begun by the requested moment.
    public var intervals: [Interval] { life.intervals.filter { $0.from <= moment.at } }

    public var transitions: [Transition] { life.transitions.filter { $0.at <= moment.at } }

    public var timelineEvents: [TimelineEvent] { life.timelineEvents.filter { $0.at <= moment.at } }

    /// A page of `entries`.
    ///
    /// - `after`: the `next` of the previous page; nil for the first page.
    /// - `limit`: entries per page; nil for all of them.
    public func page(
        _ order: TimelineOrder = .oldest, after: TimelinePlace? = nil, limit: Int? = nil
    ) -> TimelinePage<TimelineEntry> {
        TimelinePage(of: entries, at: \.at, order, after: after, limit: limit)
    }

    /// The intervals that begin on a page, in its order; each is on exactly one page.
    public func intervals(of page: TimelinePage<TimelineEntry>) -> [Interval] {
        let shown = intervals.filter { page.includes($0.from) }
        return page.order == .newest ? shown.reversed() : shown
    }

    /// One page of the timeline (the `timeline` object of `Contract.md`), and `next`: null on the
    /// last page, absent where one page holds the whole timeline, so that it equals the unpaged
    /// one.
    /// Without a page, the whole timeline.
    public func writeTimeline(
        to json: inout JSONWriter, _ page: TimelinePage<TimelineEntry>? = nil
    ) {
        let page = page ?? self.page()
        json.object { json in
            json.member("chain", self)
            json.objects("intervals", intervals(of: page)) { json, interval in
                json.member("state", interval.state.rawValue)
                json.member("from", interval.from)
                json.member("to", interval.to)
                json.member("productId", interval.productId)
                json.member("transactionId", interval.transactionId)
            }
            json.objects("entries", page.entries) { json, entry in
                writeMembers(of: entry, to: &json)
            }
            if page.after != nil || page.next != nil { json.member("next", page.next?.cursor) }
        }
    }

    /// An entry without the braces.
    func writeMembers(of entry: TimelineEntry, to json: inout JSONWriter) {
        entry.writeMembers(to: &json)
        writeCause(entry.cause, entry.events, to: &json)
    }

    /// A line of `export transitions`.
    public func write(_ transition: Transition, to json: inout JSONWriter) {
        json.object { json in
            writeChain(to: &json)
            json.member("at", transition.at)
            json.member("from", transition.from?.rawValue)
            json.member("to", transition.to.rawValue)
            json.member("reason", transition.reason?.rawValue)
            json.member("productId", transition.productId)
            json.member("transactionId", transition.transactionId)
            writeCause(transition.cause, transition.events, to: &json)
        }
    }

    /// A line of `export facts`.
    public func write(_ fact: TimelineEvent, to json: inout JSONWriter) {
        json.object { json in
            writeChain(to: &json)
            json.member("at", fact.at)
            json.member("fact", fact.name.rawValue)
            json.member("productId", fact.productId)
            json.member("transactionId", fact.transactionId)
            Optional(fact).writeDetail(to: &json)
            writeCause(fact.cause, fact.events, to: &json)
        }
    }

    private func writeChain(to json: inout JSONWriter) {
        json.member("environment", environment.rawValue)
        chain.writeMembers(to: &json)
    }

    /// The event that proves an entry, and the positions of all events that do.
    private func writeCause(_ position: Int64, _ events: [Int64], to json: inout JSONWriter) {
        guard let fact = facts[position] else { return json.member("cause", nil as String?) }
        fact.writeCause(events, to: &json)
    }
}

extension TimelineEntry {
    /// What happened and when; callers with access to the events write the cause.
    func writeMembers(to json: inout JSONWriter) {
        switch kind {
        case .state(let transition):
            TimelineEntry.writeMembers(at: at, transition, to: &json)
        case .fact(let fact):
            TimelineEntry.writeMembers(at: at, fact: fact, named: fact.name.rawValue, to: &json)
        }
    }

    /// Of a state transition, of a fact, or of a command about a customer, which has a name alone.
    static func writeMembers(
        at: Timestamp, _ transition: Transition? = nil, fact: TimelineEvent? = nil,
        named name: String? = nil, to json: inout JSONWriter
    ) {
        json.member("at", at)
        json.member("kind", transition == nil ? "fact" : "state")
        json.member("from", transition?.from?.rawValue)
        json.member("to", transition?.to.rawValue)
        json.member("fact", name)
        json.member("reason", transition?.reason?.rawValue)
        json.member("productId", transition?.productId ?? fact?.productId)
        json.member("transactionId", transition?.transactionId ?? fact?.transactionId)
        fact.writeDetail(to: &json)
    }
}

extension TimelineEvent? {
    /// The refund, or the change; null for others.
    func writeDetail(to json: inout JSONWriter) {
        json.object("refund", self?.refund) { json, refund in
            json.member("amount", refund.amount)
            json.member("from", refund.from)
            json.member("to", refund.to)
        }
        json.object("change", self?.change) { json, change in
            json.member("from", change.from)
            json.member("to", change.to)
        }
    }
}

extension Fact {
    /// The event as a cause; for an operator's command, with actor and reason.
    ///
    /// - Parameter events: the positions of all events that prove the same, including this one.
    func writeCause(_ events: [Int64], to json: inout JSONWriter) {
        json.object("cause", self) { json, fact in
            fact.writeCauseMembers(events, to: &json)
            guard let command = fact.command else { return }
            json.object("command", command) { json, command in command.writeMembers(to: &json) }
        }
    }

    /// The event and its times, and all events that prove the same.
    func writeCauseMembers(_ events: [Int64], to json: inout JSONWriter) {
        json.member("position", position)
        json.member("kind", cause.kind.rawValue)
        json.member("trust", trust.rawValue)
        json.member("notificationType", cause.notificationType)
        json.member("subtype", cause.subtype)
        json.member("notificationUUID", cause.notificationUUID)
        json.member("signedDate", signedDate)
        json.member("receivedAt", receivedAt)
        json.member("lateness", lateness)
        json.array("events", events)
    }
}
