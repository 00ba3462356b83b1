import AppStore
import AppStoreAPI
import AppleSync
import Ledger
import Simulator

/// One seeded run: a small world, Apple's notifier, a real ledger, and everything that goes wrong
/// between them, in virtual time; then a recovery, after which the ledger must tell the truth.
struct SystemRun {
    let seed: UInt64
    let world: SmallWorld
    let script: RunScript
    let time: VirtualTime
    let steps: Steps
    private let scratch: Scratch
    private var random: SeededGenerator
    private var notifier: Notifier
    private var uploads: [Delivery]
    private(set) var process: LedgerProcess
    private var api: SimulatedAPI
    /// A recovery that was begun and has not ended, and the last one that has.
    private var pending: RecoveryRequest?
    private var recovered: RecoveryRequest?
    private var nextRecovery: Timestamp
    /// Answers that were given on the way, each with the knowledge it was given from.
    private(set) var beliefs: [Belief] = []
    /// The newest position that some process told somebody of.
    private var acknowledged: Int64 = 0

    /// What the ledger said of a chain at one time.
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
        let attempts = AttemptBook(keepsTokens: script.isSignedOnce)
        notifier = Notifier(books: world.books, attempts: attempts, faults: script.deliveries)
        let first = [notifier.nextArrival, uploads.last?.receivedAt].compactMap { $0 }.min()
        let start = (first ?? SmallWorld.subscribers.horizon)
            .advanced(byMilliseconds: -3_600_000)
        time = VirtualTime(start)
        nextRecovery = start.advanced(byMilliseconds: script.recoveryInterval)
        scratch = try Scratch()
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
        _ world: SmallWorld, _ attempts: AttemptBook, _ faults: [ServedFaultRule],
        _ time: VirtualTime
    ) -> SimulatedAPI {
        var setup = SimulatedAPI.Setup(
            books: world.books, key: SmallWorld.key, authority: SmallWorld.authority,
            attempts: attempts, storeClock: { time.now }, clock: { time.now })
        setup.faults = faults
        return SimulatedAPI(setup)
    }

    // MARK: The run

    /// Everything, from the first notification to the proof. Throws `Disagreement` when the ledger
    /// is wrong.
    mutating func run() async throws {
        var happened = 0
        while try await happen() {
            happened += 1
            guard happened <= RunScript.happeningLimit else {
                throw Disagreement(
                    "It does not end: \(time.now.rfc3339), next arrival"
                        + " \(notifier.nextArrival?.rfc3339 ?? "none"), next recovery"
                        + " \(nextRecovery.rfc3339), \(notifier.tally), \(uploads.count) uploads,"
                        + " pending \(String(describing: pending)),"
                        + " complete \(process.ledger.completeness.all.suffix(3)).")
            }
            try await revive()
            if random.chance(script.projecting) { try await believe() }
            try await revive()
        }
        // Whatever is wrong is over, and Apple is asked once more, late enough for a clock that is
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

    /// Only the end of the process keeps a recovery from its end now; what was asked for.
    private mutating func recoverForGood() async throws -> RecoveryRequest {
        while try await !recover() {
            guard steps.isDead else { throw Disagreement("The last recovery failed.") }
            try await revive()
        }
        guard let recovered else { throw Disagreement("Nothing was asked for.") }
        return recovered
    }

    /// What was recovered is not recovered again.
    private mutating func askAgain(_ request: RecoveryRequest) async throws {
        let head = try await process.ledger.log.head()
        pending = request
        _ = try await recoverForGood()
        guard try await process.ledger.log.head() == head else {
            throw Disagreement("The same recovery again appended something.")
        }
    }

    /// Everything that Apple still keeps is here.
    private mutating func askForEverything(_ last: RecoveryRequest) async throws {
        var request = last
        request.from = oldest
        pending = request
        let before = try await notificationCount()
        _ = try await recoverForGood()
        guard try await notificationCount() == before else {
            throw Disagreement("There was more in Apple's history than was asked for.")
        }
    }

    private func notificationCount() async throws -> Int {
        try await process.ledger.log.events(after: 0)
            .count { $0.attributes.kind == .notification }
    }

    /// The next thing that is due; false when nothing is.
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
        notifier.settle(step, answer)
    }

    /// A back end keeps what it sends until it is acknowledged.
    private mutating func sendUpload() async throws {
        guard let delivery = uploads.last else { return }
        if try await process.take(delivery) { uploads.removeLast() }
    }

    // MARK: Crashes

    /// After a crash: a new process, on the files as they were.
    private mutating func revive() async throws {
        while steps.isDead {
            let frozen = try steps.takeFrozen()
            acknowledged = max(acknowledged, process.acknowledged)
            try await process.end()
            process = try await LedgerProcess.start(
                frozen, world, clock: process.clock, steps: steps)
            let head = try await process.ledger.log.head().position
            guard head >= acknowledged else {
                throw Disagreement("\(acknowledged) was acknowledged, and \(head) is left.")
            }
        }
    }

    // MARK: Questions on the way

    /// Asks about one chain, and remembers the answer: with the same knowledge it must be the same
    /// for ever.
    private mutating func believe() async throws {
        try await process.project()
        guard !steps.isDead else { return }
        let life = random.pick(world.lives)
        guard let query = process.snapshot?.query else { return }
        let id = life.originalTransactionId.rawValue
        let (at, head) = (time.now, try await process.ledger.log.head().position)
        beliefs.append(
            Belief(
                chain: id, at: at, position: head,
                said: try await Proof.words(query, id, at: at, position: head)))
    }

    // MARK: Recovery

    /// The oldest that Apple still tells, with a margin for a wrong clock.
    private var oldest: Timestamp {
        time.now.advanced(byMilliseconds: RunScript.hour - world.windowMilliseconds)
    }

    /// Asks Apple for everything that was sent since the last time, or goes on with what was asked
    /// for and failed; whether all of it is here.
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
            // Most go on where they stopped, some begin anew.
            if random.chance(30) { pending = nil }
            return false
        }
    }

    private mutating func nextRequest() -> RecoveryRequest {
        let through = process.ledger.completeThrough(
            of: world.books.bundleId, .everything, head: .max)
        let overlap = random.pick([0, RunScript.hour, RunScript.day])
        let from = through?.advanced(byMilliseconds: -overlap) ?? oldest
        // Before any clock's now: the window's end is what is certain afterwards.
        let to = time.now.advanced(byMilliseconds: -RunScript.hour)
        return RecoveryRequest(
            bundleId: world.books.bundleId, environment: world.environment,
            from: max(from, oldest), to: max(to, from.advanced(byMilliseconds: 1)))
    }
}
