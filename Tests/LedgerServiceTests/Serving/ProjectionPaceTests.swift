import LedgerStore
import Synchronization
import Testing

@testable import LedgerService

@Suite("When the projector rests")
struct ProjectionPaceTests {
    private let busy = ProjectionPace.busyDelay * 2
    private let behind = ProjectionPace.longestLag - .nanoseconds(1)

    @Test("while the cores begin things at once, it does not")
    func idle() {
        let rest = ProjectionPace.rest(
            worked: .seconds(1), delay: ProjectionPace.busyDelay, lag: .zero, isAwaited: false)
        #expect(rest == .zero)
    }

    @Test("however busy the cores, it does not while somebody waits for a position")
    func awaited() {
        #expect(
            ProjectionPace.rest(worked: .seconds(1), delay: busy, lag: .zero, isAwaited: true)
                == .zero)
    }

    @Test("however busy the cores, answers are not left further behind than the longest lag")
    func lagging() {
        let worked = Duration.milliseconds(1)
        #expect(
            ProjectionPace.rest(
                worked: worked, delay: busy, lag: ProjectionPace.longestLag, isAwaited: false)
                == .zero)
        #expect(
            ProjectionPace.rest(worked: worked, delay: busy, lag: behind, isAwaited: false)
                == worked * ProjectionPace.restFactor)
    }

    @Test("the busier the cores, the longer it rests, up to a bound")
    func share() {
        let rests = [1.0, 1.25, 1.5, 2, 3, 1_000].map { times in
            ProjectionPace.rest(
                worked: .milliseconds(8), delay: ProjectionPace.busyDelay * times, lag: .zero,
                isAwaited: false)
        }
        #expect(
            rests == [0, 14, 28, 56, 56, 56].map { .milliseconds($0) })
    }

    @Test("it rests by what it worked, and no longer than the longest rest")
    func length() {
        let most = ProjectionPace.longestRest / Int(ProjectionPace.restFactor)
        for (worked, expected) in [
            (Duration.zero, Duration.zero),
            (.milliseconds(3), .milliseconds(3) * ProjectionPace.restFactor),
            (most - .milliseconds(1), (most - .milliseconds(1)) * ProjectionPace.restFactor),
            (most + .milliseconds(1), ProjectionPace.longestRest),
            (.seconds(3600), ProjectionPace.longestRest),
        ] {
            let rest = ProjectionPace.rest(
                worked: worked, delay: busy, lag: .zero, isAwaited: false)
            #expect(rest == expected)
        }
    }

    @Test("between steps it is asked to rest, once for each, and loses nothing by it")
    func betweenSteps() async throws {
        let ledger = try TemporaryLedger()
        try await ledger.session { #expect($0.head == 0) }
        _ = try await ledger.ingest(MadeChain(id: "570000000000021").life)
        try await ledger.ledger { ledger in
            let head = try await ledger.log.head().position
            #expect(head > 3)
            let projector = try #require(try await Projector.open(ledger))
            let rests = Mutex<[Int64]>([])
            let told = Mutex<Int64>(0)
            var steps = ProjectionSteps(
                ledger: ledger, projections: projector.projections, numbers: ClassNumbers(),
                eventCount: 1
            ) { progress in
                guard progress.phase == .apply else { return }
                told.withLock { $0 = progress.position }
            }
            steps.rest = { worked in
                #expect(worked > .zero)
                // What the step wrote was told before: a rest keeps no answer back.
                rests.withLock { $0.append(told.withLock { $0 }) }
                return true
            }
            try await steps.run(through: head)
            #expect(rests.withLock { $0 } == Array(1...head))
            #expect(try await RebuildCheck(projector).run().count == 0)
        }
    }
}

@Suite("What is far behind when the service ends")
struct EndingProjectorTests {
    @Test("is left as it was, and made the next time")
    func farBehind() async throws {
        let ledger = try TemporaryLedger()
        try await ledger.session { #expect($0.head == 0) }
        _ = try await ledger.ingest(MadeChain(id: "570000000000022").life)
        try await ledger.ledger { ledger in
            let head = try await ledger.log.head().position
            let projector = try #require(try await Projector.open(ledger))
            // Files that are gone ask for everything anew, however few events there are.
            try FileDamage.remove(["projections.sqlite"], in: ledger.directory)
            try FileDamage.remove(
                [DerivedFiles.name(of: projector.projections.path)], in: ledger.directory)
            let reached = try await projector.catchUp(resting: { _ in false }) { _ in
                Issue.record("Something was made.")
            }
            #expect(reached < head)
            #expect(try await projector.catchUp() == head)
            #expect(try await projector.projections.checkpoint().position == head)
        }
    }
}

@Suite("Who waits for a position")
struct AwaitedPositionTests {
    @Test("nobody, until somebody does; and nobody again when it was given up")
    func awaited() async {
        let board = PositionBoard()
        #expect(!board.isAwaited)
        let waiter = Task { await board.snapshot(atLeast: 5, limit: .seconds(600)) }
        while !board.isAwaited { await Task.yield() }
        waiter.cancel()
        #expect(await waiter.value == nil)
        #expect(!board.isAwaited)
    }
}

@Suite("How busy the cores are")
struct CoreWatchTests {
    @Test("one late beginning says little, many say it; and it is forgotten again")
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
}
