import AppStore
import AppStoreAPI
import AppleSync
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport

/// One seeded run: a small world, Apple's notifier, a real ledger, and all faults between them, in
/// virtual time; then a recovery, after which the ledger must answer correctly.
struct SystemRun {
    let seed: UInt64
    let world: SmallWorld
    let script: RunScript
    let time: VirtualTime
    let steps: Steps
    private let scratch: TemporaryDirectory
    private var random: SeededGenerator
    private var notifier: Notifier
    private var uploads: [Delivery]
    private(set) var process: LedgerProcess
    private var api: SimulatedAPI
    /// The unfinished recovery, and the last finished one.
    private var pending: RecoveryRequest?
    private var recovered: RecoveryRequest?
    private var nextRecovery: Timestamp
    /// Answers given during the run, each with the position it was based on.
    private(set) var beliefs: [Belief] = []
    /// The newest position acknowledged by any process.
    private var acknowledged: Int64 = 0

    /// The ledger's answer about a chain at one time.
    struct Belief {
        let chain: String
        let at: Timestamp
        let position: Int64
        let said: String
    }

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        world = SmallWorld(&random, seed: seed)
        script = RunScript(&random, world, seed: seed)
        uploads = world.uploads.reversed()
        let attempts = AttemptLog(keepsTokens: script.isSignedOnce)
        notifier = Notifier(books: world.books, attempts: attempts, faults: script.deliveries)
        let first = [notifier.nextArrival, uploads.last?.receivedAt].compactMap { $0 }.min()
        let start = (first ?? SmallWorld.subscribers.horizon)
            .advanced(byMilliseconds: -3_600_000)
        time = VirtualTime(start)
        nextRecovery = start.advanced(byMilliseconds: script.recoveryInterval)
        scratch = try TemporaryDirectory()
        steps = Steps(fatal: script.crashes, in: scratch)
        api = SystemRun.api(world, attempts, script.api, time)
        let directory = "\(scratch.path)/data"
        if script.beginsPrepared {
            try await EmptyLedger.copy(of: world, to: directory)
        }
        process = try await LedgerProcess.start(
            directory, world,
            clock: VirtualClock(time: time, errorMilliseconds: script.clockError), steps: steps)
    }

    private static func api(
        _ world: SmallWorld, _ attempts: AttemptLog, _ faults: [ServedFaultRule],
        _ time: VirtualTime
    ) -> SimulatedAPI {
        var setup = SimulatedAPI.Setup(
            books: world.books, key: TestAuthority.key, authority: TestAuthority.shared,
            attempts: attempts, storeClock: { time.now }, clock: { time.now })
        setup.faults = faults
        return SimulatedAPI(setup)
    }

    // MARK: The run

    /// The whole run, from the first notification to the proof. Throws `Disagreement` when the
    /// ledger violates an invariant.
    mutating func run() async throws {
        var happened = 0
        while try await happen() {
            happened += 1
            guard happened <= RunScript.happeningLimit else {
                throw Disagreement(
                    "The run does not end: \(time.now.rfc3339), next arrival"
                        + " \(notifier.nextArrival?.rfc3339 ?? "none"), next recovery"
                        + " \(nextRecovery.rfc3339), \(notifier.tally), \(uploads.count) uploads,"
                        + " pending \(String(describing: pending)),"
                        + " complete \(process.ledger.completeness.all.suffix(3)).")
            }
            try await revive()
            if random.chance(script.projecting) { try await verifyEvidence() }
            try await revive()
        }
        // All faults have ended, and Apple is queried once more, late enough for a clock that is
        // behind.
        time.advance(milliseconds: RunScript.quietEnd)
        api = SystemRun.api(world, notifier.attempts, [], time)
        pending = nil
        let request = try await recoverForGood()
        if script.endsTwice { try await askAgain(request) }
        if script.endsWithFullWindow { try await askForEverything(request) }
        repeat {
            try await revive()
            try await process.project()
        } while steps.isDead
        try await Proof(run: self, completeThrough: request.to).check()
        try await process.end()
    }

    /// Recovers until done, which only a crash can delay now; returns the request.
    private mutating func recoverForGood() async throws -> RecoveryRequest {
        while try await !recover() {
            guard steps.isDead else { throw Disagreement("The last recovery failed.") }
            try await revive()
        }
        guard let recovered else { throw Disagreement("No recovery was requested.") }
        return recovered
    }

    /// Repeating a recovery must append nothing.
    private mutating func askAgain(_ request: RecoveryRequest) async throws {
        let head = try await process.ledger.log.head()
        pending = request
        _ = try await recoverForGood()
        guard try await process.ledger.log.head() == head else {
            throw Disagreement("Repeating the recovery appended events.")
        }
    }

    /// Everything that Apple still keeps must be in the log.
    private mutating func askForEverything(_ last: RecoveryRequest) async throws {
        var request = last
        request.from = oldest
        pending = request
        let before = try await notificationCount()
        _ = try await recoverForGood()
        guard try await notificationCount() == before else {
            throw Disagreement("Apple's history held more than was recovered.")
        }
    }

    private func notificationCount() async throws -> Int {
        try await process.ledger.log.events(after: 0)
            .count { $0.attributes.kind == .notification }
    }

    /// Performs the next due action; false when there is none.
    private mutating func happen() async throws -> Bool {
        let (arrival, upload) = (notifier.nextArrival, uploads.last?.receivedAt)
        guard let next = [arrival, upload].compactMap({ $0 }).min() else { return false }
        if nextRecovery < next {
            time.reach(nextRecovery)
            let isComplete = try await recover()
            let wait = isComplete ? script.recoveryInterval : RunScript.secondTry
            nextRecovery = max(nextRecovery, time.now).advanced(byMilliseconds: wait)
            return true
        }
        time.reach(next)
        if next == arrival {
            try await notify()
        } else {
            try await sendUpload()
        }
        return true
    }

    private mutating func notify() async throws {
        guard let step = notifier.next() else { return }
        var answer = AttemptResult.other
        if step.obstacle == nil {
            let body = try notifier.body(step, signedBy: SmallWorld.signer)
            answer = try await process.take(body)
        }
        notifier.complete(step, answer)
    }

    /// A back end retries an upload until it is acknowledged.
    private mutating func sendUpload() async throws {
        guard let delivery = uploads.last else { return }
        if try await process.take(delivery) { uploads.removeLast() }
    }

    // MARK: Crashes

    /// After a crash, starts a new process on the files as they were.
    private mutating func revive() async throws {
        while steps.isDead {
            let frozen = try steps.takeFrozen()
            acknowledged = max(acknowledged, process.acknowledged)
            try await process.end()
            process = try await LedgerProcess.start(
                frozen, world, clock: process.clock, steps: steps)
            let head = try await process.ledger.log.head().position
            guard head >= acknowledged else {
                throw Disagreement("\(acknowledged) was acknowledged, but the log ends at \(head).")
            }
        }
    }

    // MARK: Queries during the run

    /// Queries one chain and stores the answer: as of the same position it must never change.
    private mutating func verifyEvidence() async throws {
        try await process.project()
        guard !steps.isDead else { return }
        let life = random.pick(world.lives)
        guard let snapshot = process.snapshot else { return }
        let id = life.originalTransactionId.rawValue
        let (at, head) = (time.now, try await process.ledger.log.head().position)
        beliefs.append(
            Belief(
                chain: id, at: at, position: head,
                said: try await Proof.words(snapshot, id, at: at, position: head)))
    }

    // MARK: Recovery

    /// The oldest date that Apple still keeps, with a margin for a wrong clock.
    private var oldest: Timestamp {
        time.now.advanced(byMilliseconds: RunScript.hour - world.windowMilliseconds)
    }

    /// Requests everything sent since the last recovery, or continues a failed one; returns whether
    /// all of it was recorded.
    private mutating func recover() async throws -> Bool {
        try await process.project()
        guard !steps.isDead else { return false }
        let request = pending ?? nextRequest()
        pending = request
        let client = AppStoreServerAPIClient(
            credentials: try SmallWorld.credentials(), hosts: APIHosts(baseUrl: "http://apple"),
            transport: InProcessTransport(api: api, time: time, steps: steps),
            clock: process.clock, chance: { $0.upperBound })
        do throws(RecoveryFailure) {
            let report = try await process.recover(request, client)
            guard !steps.isDead else { return false }
            pending = nil
            recovered = request
            return report.refusedCount == 0 && report.reservation == nil
        } catch {
            if steps.isDead { return false }
            if case .store = error { throw error }
            // Most continue where they stopped, some start again.
            if random.chance(30) { pending = nil }
            return false
        }
    }

    private mutating func nextRequest() -> RecoveryRequest {
        let through = process.ledger.complete(
            of: world.books.bundleId, .everything, head: .max)?.through
        let overlap = random.pick([0, RunScript.hour, RunScript.day])
        let from = through?.advanced(byMilliseconds: -overlap) ?? oldest
        // Earlier than any clock's now: the end of the window is what becomes certain.
        let to = time.now.advanced(byMilliseconds: -RunScript.hour)
        return RecoveryRequest(
            bundleId: world.books.bundleId, environment: world.environment,
            from: max(from, oldest), to: max(to, from.advanced(byMilliseconds: 1)))
    }
}
