public import AppStore

/// Apple's side of server notifications: sends the notifications of `ServedRecords` in virtual
/// time, with Apple's retry schedule and with given faults. Every attempt follows from records,
/// faults and the receiver's responses; there is no clock and no randomness.
///
/// A caller with other work between arrivals uses `next()` and `complete(_:_:)`; others use `run`.
public struct Notifier: Sendable {
    /// One attempt in progress.
    public struct Step: Sendable {
        /// Index of the notification in the records.
        let index: Int
        /// Number of the attempt, from 1.
        public let number: Int
        /// When Apple starts it.
        public fileprivate(set) var date: Timestamp
        /// When it reaches the receiver, or would.
        public fileprivate(set) var arrival: Timestamp
        /// Whether Apple repeats a notification that it records as delivered.
        fileprivate(set) var isRepetition = false
        fileprivate(set) var fault: DeliveryFault?
        /// The fault that stops it; nil when it reaches the receiver.
        public internal(set) var obstacle: AttemptResult?
    }

    /// Totals so far.
    public struct Tally: Sendable, Equatable {
        /// Notifications with at least one attempt.
        public internal(set) var notifications = 0
        /// Attempts, repetitions included.
        public internal(set) var attempts = 0
        /// Attempts that reached the receiver.
        public internal(set) var handedOver = 0
        /// Lost on the way, although Apple records a success.
        public internal(set) var lost = 0
        /// Attempts that failed, as Apple records them.
        public internal(set) var failed = 0
        /// Notifications that Apple has given up on.
        public internal(set) var givenUp = 0
    }

    let books: ServedRecords
    /// Where attempts are recorded.
    public let attempts: AttemptLog
    let faults: DeliveryFaults
    private let scripted: [Int: DeliveryFaultRule]
    /// Stacks, next one last: first attempts, and those that follow from others.
    private var first: [Step] = []
    private var later: [Step] = []
    /// Totals so far.
    public private(set) var tally = Tally()

    /// Shortest and longest time from Apple to the receiver, in milliseconds.
    static let transit: ClosedRange<Int64> = 80...4_000

    /// Sends the notifications of `books` that were signed at or after `start`.
    public init(
        books: ServedRecords, attempts: AttemptLog = AttemptLog(),
        faults: DeliveryFaults = DeliveryFaults(), from start: Timestamp? = nil
    ) {
        self.books = books
        self.attempts = attempts
        self.faults = faults
        scripted = faults.scripted(books)
        let begin = start.map { books.firstSent(from: $0) } ?? 0
        first = (begin..<max(begin, books.sent.count)).map { index in
            step(index, number: 1, at: books.sent[index].signedDate)
        }
        first.sort { Notifier.precedes($0, $1) }
        reorder()
        first.reverse()
    }

    /// When the next attempt arrives; nil when nothing is left to send.
    public var nextArrival: Timestamp? { nextIsLater ? later.last?.arrival : first.last?.arrival }

    /// Removes the next attempt. Pass it to `complete` before the next call.
    public mutating func next() -> Step? {
        guard var step = nextIsLater ? later.popLast() : first.popLast() else { return nil }
        step.obstacle = obstacle(step)
        return step
    }

    /// Records the receiver's result, which is ignored when there is an obstacle; schedules the
    /// next attempt if Apple retries.
    public mutating func complete(_ step: Step, _ answered: AttemptResult) {
        tally.attempts += 1
        if step.number == 1, !step.isRepetition { tally.notifications += 1 }
        if step.obstacle == nil, answered != .noResponse { tally.handedOver += 1 }
        if step.obstacle == .success { tally.lost += 1 }
        guard !step.isRepetition else { return }
        let result = step.fault == .dropped ? .prematureClose : answered
        let noted = step.obstacle ?? result
        attempts.note(DeliveryAttempt(date: step.date, result: noted), step.index)
        if noted == .success {
            guard step.obstacle == nil, case .duplicated(let wait) = step.fault else { return }
            var again = step
            again.date = step.date.advanced(byMilliseconds: wait)
            again.arrival = step.arrival.advanced(byMilliseconds: wait)
            (again.isRepetition, again.fault) = (true, nil)
            plan(again)
            return
        }
        tally.failed += 1
        let next = DeliverySchedule.next(
            after: step.number, at: step.date, in: books.environment)
        guard let next else {
            tally.givenUp += 1
            return
        }
        plan(self.step(step.index, number: step.number + 1, at: next))
    }

    // MARK: Planning

    private var nextIsLater: Bool {
        guard let planned = later.last else { return false }
        return first.last.map { Notifier.precedes(planned, $0) } ?? true
    }

    private func step(_ index: Int, number: Int, at due: Timestamp) -> Step {
        let fault = fault(index, number)
        var date = due
        if case .late(let milliseconds) = fault {
            date = due.advanced(byMilliseconds: milliseconds)
        }
        var random = RandomDeliveryFaults.generator(
            faults.chance?.seed ?? 0, index, number, salt: 0x7A)
        return Step(
            index: index, number: number, date: date,
            arrival: date.advanced(byMilliseconds: random.within(Notifier.transit)),
            fault: fault)
    }

    private func fault(_ index: Int, _ number: Int) -> DeliveryFault? {
        if let rule = scripted[index], number <= rule.attempts { return rule.fault }
        return faults.chance?.fault(index, number)
    }

    /// Moves reordered first attempts behind the one that follows.
    private mutating func reorder() {
        var place = first.startIndex
        while place + 1 < first.endIndex {
            if first[place].fault == .reordered {
                first[place].arrival = first[place + 1].arrival.advanced(byMilliseconds: 1)
                first.swapAt(place, place + 1)
                // It has been moved and does not wait again.
                place += 1
            }
            place += 1
        }
    }

    private mutating func plan(_ step: Step) {
        let place = later.indices.partitioningIndex { !Notifier.precedes(step, later[$0]) }
        later.insert(step, at: place)
    }

    private func obstacle(_ step: Step) -> AttemptResult? {
        if let outage = faults.outages.first(where: { $0.window.contains(step.date) }) {
            return outage.status.map { AttemptResult(status: $0) } ?? .noResponse
        }
        switch step.fault {
        case .lost: return .success
        case .refused(let status): return AttemptResult(status: status)
        case .unreachable: return .noResponse
        case .late, .duplicated, .reordered, .dropped, nil: return nil
        }
    }

    private static func precedes(_ left: Step, _ right: Step) -> Bool {
        (left.arrival, left.index, left.number) < (right.arrival, right.index, right.number)
    }
}
