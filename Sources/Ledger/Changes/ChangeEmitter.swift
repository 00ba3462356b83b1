import AppStore

/// Walks a chain's facts and readings and emits the differences.
struct ChangeEmitter {
    let chain: ChainId
    let rules: ChangeStream.Rules
    private(set) var changes: [Change] = []
    private(set) var marks: [ChangeMark] = []
    private var life: Lifecycle
    private var stateHash: Digest
    /// The life's timeline with the moments at which its entries are due, ordered by due time.
    private var schedule: [(due: Timestamp, entry: TimelineEntry)] = []
    /// Everything due by then was emitted.
    private var clock = Timestamp(milliseconds: .min)
    private var position: Int64 = 0
    private var known: [Int64: Fact] = [:]
    private var place = ChangePlace(position: 0)

    init(chain: ChainId, rules: ChangeStream.Rules) {
        self.chain = chain
        self.rules = rules
        life = Lifecycle([], environment: rules.environment, catalogue: rules.catalogue)
        stateHash = rules.hash(life.stateBytes)
    }

    var nextDue: Timestamp? { schedule.first { $0.due > clock }?.due }

    // MARK: The clock

    /// Emits what is due at a reading.
    mutating func read(_ reading: ClockReading, _ isWanted: (ChangePlace) -> Bool) {
        place = ChangePlace(
            position: reading.position, clock: reading.at.milliseconds, ordinal: reading.ordinal)
        pass(to: reading.at, isWanted)
    }

    /// Emits what became due before an event arrived and no reading has emitted.
    mutating func pass(to fact: Fact, _ isWanted: (ChangePlace) -> Bool) {
        place = ChangePlace(position: fact.position)
        pass(to: fact.receivedAt, isWanted)
    }

    private mutating func pass(to time: Timestamp, _ isWanted: (ChangePlace) -> Bool) {
        guard time > clock else { return }
        for (due, entry) in schedule where due > clock && due <= time {
            emit(ChangeName(entry), entry: entry, at: due, isByClock: true, isWanted)
        }
        clock = time
    }

    // MARK: Events

    /// Emits the changes made by the last of these facts; the others precede it.
    mutating func add(_ facts: ArraySlice<Fact>, _ isWanted: (ChangePlace) -> Bool) {
        guard let newest = facts.last else { return }
        let before = reported
        position = newest.position
        guard chain.erased == nil else { return emit(.erased, at: clock, isWanted) }
        // Of several statements of one event, the one that names the notification is shown.
        let statements = facts.reversed().prefix { $0.position == newest.position }
        known[newest.position] = statements.first { $0.cause.notificationType != nil } ?? newest
        life = Lifecycle(
            Array(facts), environment: rules.environment, catalogue: rules.catalogue)
        let leeway = rules.catalogue.leewayMilliseconds
        schedule = life.timeline.map { (due: life.due($0, leeway: leeway), entry: $0) }
        // The sort must be stable: equal moments keep the order of the timeline.
        schedule = schedule.enumerated()
            .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
            .map(\.element)
        let hashBefore = stateHash
        stateHash = rules.hash(life.stateBytes)
        let after = reported
        let withdrawn = TimelineEntry.surplus(of: before, over: after)
        let added = TimelineEntry.surplus(of: after, over: before)
        if !withdrawn.isEmpty {
            emit(.corrected, withdrawn: withdrawn, at: clock, isWanted)
        }
        for entry in added { emit(ChangeName(entry), entry: entry, at: clock, isWanted) }
        if withdrawn.isEmpty, added.isEmpty, stateHash != hashBefore {
            emit(.updated, at: clock, isWanted)
        }
    }

    private var reported: [TimelineEntry] { schedule.filter { $0.due <= clock }.map(\.entry) }

    private mutating func emit(
        _ name: ChangeName, entry: TimelineEntry? = nil, withdrawn: [TimelineEntry] = [],
        at time: Timestamp, isByClock: Bool = false, _ isWanted: (ChangePlace) -> Bool
    ) {
        let sequence = Int64(marks.count) + 1
        marks.append(ChangeMark(sequence: sequence, name: name, stateHash: stateHash))
        defer { place.index += 1 }
        guard isWanted(place) else { return }
        var causes: [Int64: Fact] = [:]
        for cause in withdrawn.map(\.cause) + (entry.map { [$0.cause] } ?? []) {
            causes[cause] = known[cause]
        }
        changes.append(
            Change(
                name: name, place: place, chain: chain, sequence: sequence, emittedAt: time,
                isByClock: isByClock, position: position, entry: entry, withdrawn: withdrawn,
                stateHash: stateHash, answer: life.answer(at: time, now: time), causes: causes))
    }
}

extension TimelineEntry {
    /// What happened, independent of its evidence.
    private var meaning: Kind {
        switch kind {
        case .state(var transition):
            (transition.cause, transition.events) = (0, [])
            return .state(transition)
        case .fact(var event):
            (event.cause, event.secondCause, event.fact) = (0, nil, nil)
            return .fact(event)
        }
    }

    /// The multiset difference: entries that occur more often in the first timeline, in their
    /// order.
    static func surplus(of entries: [TimelineEntry], over others: [TimelineEntry])
        -> [TimelineEntry]
    {
        var counts: [Kind: Int] = [:]
        for other in others { counts[other.meaning, default: 0] += 1 }
        return entries.filter { entry in
            let meaning = entry.meaning
            let count = counts[meaning] ?? 0
            counts[meaning] = count - 1
            return count <= 0
        }
    }
}
