public import AppStore

/// Up to when it is certain, per app, that everything Apple sent is here (`completeThrough`).
/// Folded from the log in the order of positions: sweeps move it on, a notification that a sweep
/// should have found moves it back. Pure.
public struct Completeness: Hashable, Sendable {
    /// What is certain of an app from a position on: everything signed in `[from, through)`.
    public struct State: Hashable, Sendable {
        public let bundleId: BundleId
        /// Of the event that made it so, and when that was received.
        public let position: Int64
        public let receivedAt: Timestamp
        public let from: Timestamp
        public let through: Timestamp

        /// A state of these parts.
        public init(
            bundleId: BundleId, position: Int64, receivedAt: Timestamp, from: Timestamp,
            through: Timestamp
        ) {
            self.bundleId = bundleId
            self.position = position
            self.receivedAt = receivedAt
            self.from = from
            self.through = through
        }
    }

    /// By app, in order of position.
    private var states: [BundleId: [State]] = [:]

    /// Nothing is certain.
    public init() {}

    /// What was folded before.
    ///
    /// - Parameter states: in order of position.
    public init(states: [State]) {
        for state in states { self.states[state.bundleId, default: []].append(state) }
    }

    /// Every state of every app, in order of position.
    public var all: [State] { states.values.joined().sorted { $0.position < $1.position } }

    // MARK: Folding

    /// What a sweep would make certain; nil when it would move nothing: all of it was certain, or
    /// a gap that somebody could still look into lies between. The first sweep of an app begins what
    /// is certain; one behind a gap of which Apple has lost a part begins it anew, since nothing
    /// will ever close that gap.
    public func window(
        after sweep: Sweep, in environment: Environment
    ) -> (from: Timestamp, through: Timestamp)? {
        guard sweep.from < sweep.through else { return nil }
        guard let last = states[sweep.bundleId]?.last else { return (sweep.from, sweep.through) }
        guard sweep.from <= last.through else {
            let isLost = NotificationHistory.hasLost(
                last.through, askedAt: sweep.askedAt, in: environment)
            return isLost ? (sweep.from, sweep.through) : nil
        }
        guard sweep.through >= last.from else { return nil }
        let from = min(sweep.from, last.from)
        let through = max(sweep.through, last.through)
        return from == last.from && through == last.through ? nil : (from, through)
    }

    /// Takes a sweep's event; the new state, if it moved anything.
    @discardableResult
    public mutating func take(
        _ sweep: Sweep, in environment: Environment, position: Int64, receivedAt: Timestamp
    ) -> State? {
        guard let window = window(after: sweep, in: environment) else { return nil }
        return add(sweep.bundleId, position, receivedAt, window.from, window.through)
    }

    /// Takes a notification that was not here before; the new state, if a sweep had claimed that
    /// everything of its time was.
    @discardableResult
    public mutating func take(
        notificationSigned signedDate: Timestamp, of bundleId: BundleId, position: Int64,
        receivedAt: Timestamp
    ) -> State? {
        guard let last = states[bundleId]?.last, last.from <= signedDate,
            signedDate < last.through
        else { return nil }
        return add(bundleId, position, receivedAt, last.from, signedDate)
    }

    private mutating func add(
        _ bundleId: BundleId, _ position: Int64, _ receivedAt: Timestamp, _ from: Timestamp,
        _ through: Timestamp
    ) -> State {
        let state = State(
            bundleId: bundleId, position: position, receivedAt: receivedAt, from: from,
            through: through)
        states[bundleId, default: []].append(state)
        return state
    }

    // MARK: Reading

    /// What is certain of an app, going by the states that `isKnown` admits.
    public func state(
        of bundleId: BundleId, where isKnown: (State) -> Bool = { _ in true }
    ) -> State? {
        states[bundleId]?.last(where: isKnown)
    }

    /// Since when, and up to when, everything is certain of all these apps; nil when it is not of
    /// one of them, or of no time that they share.
    ///
    /// - Parameter apps: none: those that were ever swept.
    public func window(
        _ apps: [BundleId], where isKnown: (State) -> Bool = { _ in true }
    ) -> CompleteWindow? {
        var shared: CompleteWindow?
        for app in apps.isEmpty ? Array(states.keys) : apps {
            guard let state = state(of: app, where: isKnown) else {
                // An app whose first sweep is not known yet was not swept.
                if apps.isEmpty { continue }
                return nil
            }
            shared = CompleteWindow(
                from: max(shared?.from ?? state.from, state.from),
                through: min(shared?.through ?? state.through, state.through))
        }
        return shared.flatMap { $0.from <= $0.through ? $0 : nil }
    }
}
