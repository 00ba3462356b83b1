import LedgerStore
import LedgerTestSupport
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import Projection
@testable import Service

@Suite("Rests of the projector")
struct ProjectionPaceTests {
    private let behind = ProjectionPace.longestLag - .nanoseconds(1)
    private let hour = Duration.seconds(3600)

    /// Two cores, all used by this process, and this many notifications for each.
    private func load(
        perCore: Double, freeCores: Double = 0.2, ownCores: Double = 1.8,
        delay: Duration = .zero
    ) -> CoreLoad {
        CoreLoad(
            delay: delay, use: use(free: freeCores, own: ownCores), notificationCount: perCore * 2)
    }

    private func rest(
        _ load: CoreLoad, worked: Duration = .milliseconds(8), lag: Duration = .zero,
        isAwaited: Bool = false
    ) -> Duration {
        ProjectionPace.rest(worked: worked, load: load, lag: lag, isAwaited: isAwaited)
    }

    @Test("with low scheduling delay and few waiting senders it does not rest")
    func idle() {
        #expect(rest(CoreLoad()) == .zero)
        #expect(rest(load(perCore: ProjectionPace.manyPerCore)) == .zero)
        #expect(rest(load(perCore: 0, delay: ProjectionPace.busyDelay)) == .zero)
    }

    @Test("the more senders wait per core, the longer it rests, up to a bound")
    func senders() {
        let rests = [12.0, 14, 16, 20, 24, 1_000].map { rest(load(perCore: $0)) }
        #expect(rests == [0, 62, 124, 248, 248, 248].map { .milliseconds($0) })
    }

    @Test("the higher the scheduling delay, the longer it rests, up to a bound")
    func delays() {
        let rests = [1.0, 1.25, 1.5, 2, 3, 1_000].map {
            rest(load(perCore: 0, freeCores: 2, ownCores: 0, delay: ProjectionPace.busyDelay * $0))
        }
        #expect(rests == [0, 62, 124, 248, 248, 248].map { .milliseconds($0) })
    }

    @Test("with idle cores, senders wait for something else, and it does not rest")
    func freeCores() {
        #expect(rest(load(perCore: 64, freeCores: ProjectionPace.scarceCores)) == .zero)
        #expect(rest(load(perCore: 64, freeCores: ProjectionPace.scarceCores - 0.01)) > .zero)
    }

    @Test("when other processes use the cores, it does not rest")
    func others() {
        #expect(rest(load(perCore: 64, freeCores: 0, ownCores: 1)) == .zero)
        #expect(rest(load(perCore: 64, freeCores: 0, ownCores: 1.01)) > .zero)
    }

    @Test("without core statistics, waiting senders alone cause no rest")
    func unreported() {
        #expect(rest(CoreLoad(delay: .zero, use: nil, notificationCount: 1_000)) == .zero)
    }

    @Test("however busy the cores, it does not rest while a caller waits for a position")
    func awaited() {
        let busy = load(perCore: 64, delay: .seconds(1))
        #expect(rest(busy, worked: hour, isAwaited: true) == .zero)
        #expect(rest(busy, worked: hour) == ProjectionPace.longestRest)
    }

    @Test("however busy the cores, the lag stays within its limit")
    func lagging() {
        let (busy, worked) = (load(perCore: 64), Duration.milliseconds(1))
        #expect(rest(busy, worked: worked, lag: ProjectionPace.longestLag) == .zero)
        #expect(rest(busy, worked: worked, lag: behind) == worked * ProjectionPace.restFactor)
    }

    @Test("the rest is proportional to the work, up to the longest rest")
    func length() {
        let most = ProjectionPace.longestRest / Int(ProjectionPace.restFactor)
        for (worked, expected) in [
            (Duration.zero, Duration.zero),
            (.milliseconds(3), .milliseconds(3) * ProjectionPace.restFactor),
            (most - .milliseconds(1), (most - .milliseconds(1)) * ProjectionPace.restFactor),
            (most + .milliseconds(1), ProjectionPace.longestRest),
            (hour, ProjectionPace.longestRest),
        ] {
            #expect(rest(load(perCore: 64), worked: worked) == expected)
        }
    }

    @Test("between steps it may rest, once for each, and loses nothing by it")
    func betweenSteps() async throws {
        let ledger = try TemporaryLedger()
        try await ledger.session { #expect($0.head == 0) }
        _ = try await ledger.ingest(MadeChain(id: "570000000000021").life)
        try await ledger.ledger { ledger in
            let head = try await ledger.log.head().position
            #expect(head > 3)
            let projector = try #require(try await Projector.open(ledger))
            let rests = Mutex<[Int64]>([])
            let reported = Mutex<Int64>(0)
            var steps = ProjectionSteps(
                ledger: ledger, projections: projector.projections, numbers: ClassNumbers(),
                eventCount: 1
            ) { progress in
                guard progress.phase == .apply else { return }
                reported.withLock { $0 = progress.position }
            }
            steps.rest = { worked in
                #expect(worked > .zero)
                // The step's answers were published before: a rest delays no answer.
                rests.withLock { $0.append(reported.withLock { $0 }) }
                return true
            }
            try await steps.run(through: head)
            #expect(rests.withLock { $0 } == Array(1...head))
            #expect(try await RebuildCheck(projector).run().count == 0)
        }
    }
}

@Suite("A large backlog at the end of the service")
struct EndingProjectorTests {
    @Test("is left unchanged, and projected at the next start")
    func farBehind() async throws {
        let ledger = try TemporaryLedger()
        try await ledger.session { #expect($0.head == 0) }
        _ = try await ledger.ingest(MadeChain(id: "570000000000022").life)
        try await ledger.ledger { ledger in
            let head = try await ledger.log.head().position
            let projector = try #require(try await Projector.open(ledger))
            // Missing files need a full rebuild, however few events there are.
            try FileDamage.remove(["projections.sqlite"], in: ledger.directory)
            try FileDamage.remove(
                [DerivedFiles.name(of: projector.projections.path)], in: ledger.directory)
            let reached = try await projector.catchUp(resting: { _ in false }) { _ in
                Issue.record("Something was built.")
            }
            #expect(reached < head)
            #expect(try await projector.catchUp() == head)
            #expect(try await projector.projections.checkpoint().position == head)
        }
    }
}

@Suite("Waiting for a position")
struct AwaitedPositionTests {
    @Test("the board is awaited only while a caller waits")
    func awaited() async {
        let board = PositionWaiters()
        #expect(!board.isAwaited)
        let waiter = Task { await board.snapshot(atLeast: 5, limit: .seconds(600)) }
        while !board.isAwaited { await Task.yield() }
        waiter.cancel()
        #expect(await waiter.value == nil)
        #expect(!board.isAwaited)
    }
}

/// Use of two cores during a second.
private func use(free: Double, own: Double) -> CoreUse? {
    CoreUse(
        from: CoreTimes(total: 0, free: 0, own: 0, coreCount: 2),
        to: CoreTimes(total: 2, free: free, own: own, coreCount: 2))
}

@Suite("Core load")
struct CoreWatchTests {
    @Test("one late start changes little, many change it; and it decays again")
    func mean() {
        let watch = CoreWatch()
        #expect(watch.delay == .zero)
        watch.note(.milliseconds(32))
        #expect(watch.delay == .milliseconds(32) / CoreWatch.weight)
        for _ in 0..<(CoreWatch.weight * 10) { watch.note(.milliseconds(8)) }
        #expect(watch.delay > .microseconds(7_900) && watch.delay <= .milliseconds(8))
        for _ in 0..<(CoreWatch.weight * 10) { watch.note(.zero) }
        #expect(watch.delay < .microseconds(10))
    }

    @Test("notifications count while in progress, also those that fail")
    func taking() async {
        struct Refused: Error {}
        let watch = CoreWatch()
        await watch.whileTaking {
            await watch.whileTaking {
                for _ in 0..<(CoreWatch.weight * 20) { watch.note(.zero) }
            }
            #expect(watch.load.notificationCount.rounded() == 2)
            await #expect(throws: Refused.self) { try await watch.whileTaking { throw Refused() } }
            for _ in 0..<(CoreWatch.weight * 20) { watch.note(.zero) }
            #expect(watch.load.notificationCount.rounded() == 1)
        }
        for _ in 0..<(CoreWatch.weight * 20) { watch.note(.zero) }
        #expect(watch.load.notificationCount < 0.01)
    }

    @Test("core use is a mean too, from the first sample on")
    func uses() throws {
        let watch = CoreWatch()
        #expect(watch.freeCores == nil)
        watch.note(try #require(use(free: 1, own: 0.5)))
        #expect(watch.load.use == use(free: 1, own: 0.5))
        watch.note(try #require(use(free: 0, own: 1.5)))
        #expect(watch.load.use?.freeCores == 1 - 1 / Double(CoreWatch.useWeight))
        #expect(watch.load.use?.ownCores == 0.5 + 1 / Double(CoreWatch.useWeight))
    }
}

@Suite("System core statistics")
struct CoreTimesTests {
    private let text = """
        cpu  100 20 30 400 50 6 7 8 90 10
        cpu0 50 10 15 200 25 3 4 4 45 5
        cpu1 50 10 15 200 25 3 3 4 45 5
        intr 12345 0 0
        """

    @Test("all fields but guests', which are in others already; idle, waiting and nice are free")
    func fields() throws {
        let times = try #require(CoreTimes(statistics: text, own: 1.5))
        #expect(times.coreCount == 2)
        #expect((times.total * 100).rounded() == 621)
        #expect((times.free * 100).rounded() == 470)
        #expect(times.own == 1.5)
    }

    @Test(
        "is nil for malformed input",
        arguments: [
            "", "intr 1", "cpu 1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7",
            "cpu a b c d e f g h\ncpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 8",
        ])
    func strange(text: String) {
        #expect(CoreTimes(statistics: text, own: 0) == nil)
    }

    @Test("this machine provides it")
    func here() throws {
        let times = try #require(CoreTimes.now())
        #expect(times.coreCount > 0)
        #expect(times.own > 0)
        #expect(times.total >= times.free)
    }

    @Test("between two counts: idle cores, own cores; counts that go back give nil")
    func uses() throws {
        let first = CoreTimes(total: 100, free: 40, own: 10, coreCount: 4)
        let last = CoreTimes(total: 108, free: 41, own: 15, coreCount: 4)
        let use = try #require(CoreUse(from: first, to: last))
        #expect(use.freeCores == 0.5)
        #expect(use.ownCores == 2.5)
        #expect(use.isMostlyOwn)
        #expect(CoreUse(from: last, to: last) == nil)
        #expect(CoreUse(from: last, to: first) == nil)
        let odd = CoreTimes(total: 110, free: 40, own: 14, coreCount: 4)
        #expect(CoreUse(from: last, to: odd)?.freeCores == 0)
        #expect(CoreUse(from: last, to: odd)?.ownCores == 0)
    }
}
