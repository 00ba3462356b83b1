public import AppStore

/// The time up to which every notification Apple sent is known to be stored, per app
/// (`completeThrough`). Folded from the log in order of positions: sweeps advance it, a
/// notification that a sweep should have found moves it back, and one of version 1 ends it, since
/// Apple's history has version 2 alone. Pure.
public struct Completeness: Hashable, Sendable {
    /// An app's complete interval from a position on: everything signed in `[from, through)`.
    public struct State: Hashable, Sendable {
        public let bundleId: BundleId
        /// Position of the event that produced the state, and when that event was received, or
        /// that of the state before it, if later.
        public let position: Int64
        public let receivedAt: Timestamp
        /// Nil: nothing is certain since Apple sent version 1.
        public let window: CompleteWindow?
        /// The latest delivery of a version 1 notification before the next state: a sweep confirms
        /// nothing of the time before. Nil: none.
        public let versionOneAt: Timestamp?

        public init(
            bundleId: BundleId, position: Int64, receivedAt: Timestamp, window: CompleteWindow?,
            versionOneAt: Timestamp? = nil
        ) {
            self.bundleId = bundleId
            self.position = position
            self.receivedAt = receivedAt
            self.window = window
            self.versionOneAt = versionOneAt
        }
    }

    /// By app, in order of position.
    private var states: [BundleId: [State]] = [:]

    /// No app is complete.
    public init() {}

    /// Restores folded states.
    ///
    /// - Parameter states: in order of position.
    public init(states: [State]) {
        for state in states {
            add(
                state.bundleId, state.position, state.receivedAt, state.window, state.versionOneAt)
        }
    }

    /// Every state of every app, in order of position.
    public var all: [State] { states.values.joined().sorted { $0.position < $1.position } }

    // MARK: Folding

    /// The window after a sweep; nil if the sweep moves nothing: all of it was complete already, or
    /// a gap lies between that another sweep could still cover. An app's first sweep starts the
    /// window. A sweep after a gap of which Apple has dropped a part restarts it, because that gap
    /// can never be closed. Of a sweep only what follows the last delivery of version 1 counts, and
    /// only where Apple's history is not empty: then Apple sends version 2.
    public func window(after sweep: Sweep, in environment: Environment) -> CompleteWindow? {
        let state = states[sweep.bundleId]?.last
        let from = max(sweep.from, state?.versionOneAt ?? sweep.from)
        guard from < sweep.through, !isVersionOne(sweep) else { return nil }
        let swept = CompleteWindow(from: from, through: sweep.through)
        guard let last = state?.window else { return swept }
        guard swept.from <= last.through else {
            let isLost = NotificationHistory.hasLost(
                last.through, requestedAt: sweep.requestedAt, in: environment)
            return isLost ? swept : nil
        }
        guard swept.through >= last.from else { return nil }
        let joined = CompleteWindow(
            from: min(swept.from, last.from), through: max(swept.through, last.through))
        return joined == last ? nil : joined
    }

    /// Whether Apple may still send version 1, of which an empty history says nothing.
    public func isVersionOne(_ sweep: Sweep) -> Bool {
        guard let state = states[sweep.bundleId]?.last, state.versionOneAt != nil else {
            return false
        }
        return state.window == nil && sweep.fetchedCount == 0
    }

    /// Folds a sweep's event; returns the new state if it changed.
    @discardableResult
    public mutating func take(
        _ sweep: Sweep, in environment: Environment, position: Int64, receivedAt: Timestamp
    ) -> State? {
        guard let window = window(after: sweep, in: environment) else { return nil }
        let versionOneAt = states[sweep.bundleId]?.last?.versionOneAt
        return add(sweep.bundleId, position, receivedAt, window, versionOneAt)
    }

    /// Folds a new notification; returns the new state if an earlier sweep had covered its
    /// signedDate.
    @discardableResult
    public mutating func take(
        notificationSigned signedDate: Timestamp, of bundleId: BundleId, position: Int64,
        receivedAt: Timestamp
    ) -> State? {
        guard let last = states[bundleId]?.last, var window = last.window,
            window.from <= signedDate, signedDate < window.through
        else { return nil }
        window.through = signedDate
        return add(bundleId, position, receivedAt, window, last.versionOneAt)
    }

    /// Folds a version 1 notification that Apple delivered. Apple sends an app only one version,
    /// and its history has version 2 alone, so it proves nothing about the time until then.
    /// Returns the app's last state if it changed. A state is added only if the window changes, so
    /// further notifications of version 1 add none.
    @discardableResult
    public mutating func take(
        versionOneDelivered receivedAt: Timestamp, of bundleId: BundleId, position: Int64
    ) -> State? {
        guard let last = states[bundleId]?.last else {
            return add(bundleId, position, receivedAt, nil, receivedAt)
        }
        guard last.versionOneAt.map({ receivedAt > $0 }) ?? true else { return nil }
        let window = last.window.flatMap { receivedAt > $0.from ? nil : $0 }
        guard window == last.window else {
            return add(bundleId, position, receivedAt, window, receivedAt)
        }
        states[bundleId]?.removeLast()
        return add(bundleId, last.position, last.receivedAt, window, receivedAt)
    }

    /// A state follows from the one before and is not known before it, whatever arrival its event
    /// claims.
    @discardableResult
    private mutating func add(
        _ bundleId: BundleId, _ position: Int64, _ receivedAt: Timestamp,
        _ window: CompleteWindow?, _ versionOneAt: Timestamp?
    ) -> State {
        let state = State(
            bundleId: bundleId, position: position,
            receivedAt: max(receivedAt, states[bundleId]?.last?.receivedAt ?? receivedAt),
            window: window, versionOneAt: versionOneAt)
        states[bundleId, default: []].append(state)
        return state
    }

    // MARK: Reading

    /// The state of an app, considering only states that `isKnown` admits.
    public func state(
        of bundleId: BundleId, where isKnown: (State) -> Bool = { _ in true }
    ) -> State? {
        states[bundleId]?.last(where: isKnown)
    }

    /// The last window that sweeps covered, even where version 1 has ended it since.
    package func swept(_ bundleId: BundleId) -> CompleteWindow? {
        state(of: bundleId) { $0.window != nil }?.window
    }

    /// The window in which all these apps are complete; nil without apps, or if one of them has
    /// none, or they do not overlap.
    public func window(
        _ apps: [BundleId], where isKnown: (State) -> Bool = { _ in true }
    ) -> CompleteWindow? {
        var shared: CompleteWindow?
        // In any order: the latest beginning and the earliest end of all.
        for app in apps {
            // An app whose first sweep is not known yet counts as not swept.
            guard let window = state(of: app, where: isKnown)?.window else { return nil }
            shared = CompleteWindow(
                from: max(shared?.from ?? window.from, window.from),
                through: min(shared?.through ?? window.through, window.through))
        }
        return shared.flatMap { $0.from <= $0.through ? $0 : nil }
    }
}
