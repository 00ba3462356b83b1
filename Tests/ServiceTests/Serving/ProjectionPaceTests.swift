import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import Projection
@testable import Service

@Suite("Rests of the projector")
struct ProjectionPaceTests {
    private let worked = Duration.milliseconds(8)

    @Test("the rest leaves the projector its share of the time, however long the step was")
    func share() {
        for worked in [Duration.zero, worked, .seconds(3600)] {
            let rest = ProjectionPace.rest(worked: worked, lag: .zero, isAwaited: false)
            #expect((worked + rest) * ProjectionPace.workShare == worked)
        }
    }

    @Test("it does not rest while a caller waits for a position")
    func awaited() {
        #expect(ProjectionPace.rest(worked: worked, lag: .zero, isAwaited: true) == .zero)
    }

    @Test("the lag stays within its limit")
    func lagging() {
        let limit = ProjectionPace.longestLag
        #expect(ProjectionPace.rest(worked: worked, lag: limit, isAwaited: false) == .zero)
        let behind = limit - .nanoseconds(1)
        #expect(ProjectionPace.rest(worked: worked, lag: behind, isAwaited: false) > .zero)
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

@Suite("A bulk rebuild that failed")
struct FailedRebuildTests {
    @Test("begins again after pauses that double, up to minutes")
    func doubling() async throws {
        // given
        let place = try TemporaryLedger()
        _ = try await place.ingest([MadeChain(id: "570000000000023").bought()])
        try await place.ledger { ledger in
            try FileDamage.remove(["projections.sqlite"], in: ledger.directory)
            // All is read and built; then the name of the new link is not free.
            try FileManager.default.createDirectory(
                atPath: "\(ledger.directory)/.projections.sqlite.\(getpid())",
                withIntermediateDirectories: false)
            let served = ServedLedger(ledger, observer: NoServingObserver())
            let pauses = Mutex<[Duration]>([])
            // when
            await ProjectionLoop(
                served: served,
                waiting: { pause in
                    let count = pauses.withLock { pauses in
                        pauses.append(pause)
                        return pauses.count
                    }
                    if count == 4 { served.stop() }
                }
            ).run()
            // then
            let noted = pauses.withLock { $0 }
            let longest = ProjectionLoop.longestRebuildPause
            #expect(noted.count == 4)
            for (pause, next) in zip(noted, noted.dropFirst()) {
                #expect(next >= min(pause * 2, longest) && next <= longest)
            }
        }
    }

    @Test("waits no longer once another process switched the file, or the service stops")
    func ended() async throws {
        // given
        let place = try TemporaryLedger()
        try await place.session { #expect($0.head == 0) }
        try await place.ledger { ledger in
            let current = try #require(ledger.projectionFiles.current())
            let served = ServedLedger(ledger, observer: NoServingObserver())
            let loop = ProjectionLoop(served: served)
            // when, then: each would otherwise take an hour
            await loop.waitToRebuild(.seconds(3_600), from: nil)
            served.stop()
            await loop.waitToRebuild(.seconds(3_600), from: current)
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

    @Test("The moment of an answer is not before the event that it waited for")
    func moment() async throws {
        let chain = MadeChain()
        let start = TemporaryLedger.end
        let ann = CustomerId(stated: "ann")
        let clock = ManualClock(start)
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought()])
        try await place.serve(waitLimit: .seconds(60), by: clock) { host in
            let scope = QueryScope(minPosition: 2)
            async let subscription = host.subscription(chain.id, scope)
            async let entitlements = host.entitlements(of: ann, scope)
            let waiters = try host.ledger(.production).board
            let last = ContinuousClock.now + .seconds(30)
            while waiters.awaitedCount < 2, ContinuousClock.now < last {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(waiters.awaitedCount == 2)
            // when
            clock.advance(byMilliseconds: 1_000)
            let until = start.advanced(byMilliseconds: 10_000)
            _ = try await host.decide(
                .grant(ann, entitlement: "pro", until: until), about: nil,
                CommandIntake.Order(actor: "sara", reason: "r", key: "grant"), QueryScope())
            // then
            let later = start.advanced(byMilliseconds: 1_000).rfc3339
            for answer in try await [subscription, entitlements] {
                let json = try JSONValue.parse(answer.bytes)
                #expect(json["at"]?.string == later)
                #expect(json["position"]?.int64 == 2)
            }
            let standing = try await JSONValue.parse(entitlements.bytes)["standing"]
            #expect(standing?.string == "active")
        }
    }
}
