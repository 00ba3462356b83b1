import AppStore
import AppleSync
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Simulator
import Synchronization
import Testing

@Suite("The end of a recovery: completeness and report")
struct RecoveryEndTests {
    private static let settled = RecoveryWorld.now.advanced(
        byMilliseconds: -RecoveryRun.settleMilliseconds)

    @Test("the last five minutes are not confirmed, whatever window was requested")
    func settling() async throws {
        for (excess, through) in [(Int64(-1), Int64(-1)), (0, 0), (1, 0)] {
            let world = try RecoveryWorld()
            var request = RecoveryWorld.request(1, 0)
            request.to = Self.settled.advanced(byMilliseconds: excess)
            let done = try await world.recover(request)
            #expect(done.report.to == request.to)
            #expect(
                done.report.completeThrough == Self.settled.advanced(byMilliseconds: through))
        }
        #expect(RecoveryWatch.sweepMilliseconds > RecoveryRun.settleMilliseconds)
    }

    @Test("a window within the last five minutes confirms nothing, and says so")
    func unsettled() async throws {
        for (excess, reservation) in [
            (Int64(0), RecoveryReport.Reservation?.some(.future)), (-1, nil),
        ] {
            let world = try RecoveryWorld()
            var request = RecoveryWorld.request(1, 0)
            request.from = Self.settled.advanced(byMilliseconds: excess)
            let done = try await world.recover(request)
            #expect(done.report.reservation == reservation)
            #expect(done.report.completeThrough == (reservation == nil ? Self.settled : nil))
        }
    }

    @Test(
        "a sweep is bounded and keyed by the earlier clock, Apple's or ours",
        arguments: [(7_200_000, 0), (-7_200_000, -7_200_000)] as [(Int64, Int64)])
    func clocks(_ ours: Int64, _ earlier: Int64) async throws {
        // given: a window up to now by our clock
        var world = try RecoveryWorld()
        world.ledger.now = RecoveryWorld.now.advanced(byMilliseconds: ours)
        var request = RecoveryWorld.request(1, 0)
        request.to = world.ledger.now
        // when
        let done = try await world.recover(request)
        // then
        let through = Self.settled.advanced(byMilliseconds: earlier)
        #expect(done.report.completeThrough == through)
        let requestedAt = RecoveryWorld.now.advanced(byMilliseconds: earlier)
        let times = [request.from, through, requestedAt].map { String($0.milliseconds) }
        let key = EventKey.make(.sweep, [RecoveryWorld.app.rawValue] + times + ["0"])
        let sweep = try await world.ledger.ledger { try await $0.log.event(key: key) }
        #expect(sweep?.event.position == done.head.position)
    }

    /// A recovery without an interruption, and its progress.
    private static let whole = Task {
        let reported: Mutex<[Recovery.Progress]> = Mutex([])
        let done = try await RecoveryWorld().recover(
            RecoveryWorld.request(60, 10),
            report: { progress in reported.withLock { $0.append(progress) } })
        return (done: done, steps: reported.withLock { $0 })
    }

    @Test(
        "an interrupted window up to now is resumed for a day, then restarted",
        arguments: [(600_000, true), (86_399_999, true), (86_400_000, false)] as [(Int64, Bool)])
    func open(_ later: Int64, _ goesOn: Bool) async throws {
        var request = RecoveryWorld.request(60, 10)
        let whole = try await Self.whole.value.done
        var world = try RecoveryWorld()
        request.endsNow = true
        world.faults = [ServedFaultRule(.dropped, from: 12)]
        #expect(try await world.failure(request)?.code == "appleUnreachable")
        world.faults = []
        world.ledger.now = RecoveryWorld.now.advanced(byMilliseconds: later)
        var again = request
        again.to = request.to.advanced(byMilliseconds: later)
        let done = try await world.recover(again)
        #expect(done.report.to == (goesOn ? request.to : again.to))
        #expect(done.report.completeThrough == done.report.to)
        let text = RecoveryText.report(done.report)
        let rest = "which ends at \(request.to.rfc3339); the next one fetches"
        #expect(text.contains(rest) == goesOn)
        if goesOn {
            // As without the interruption: earlier pages count.
            #expect(done.report.newCount == whole.report.newCount)
            #expect(done.requestCount < whole.requestCount)
        } else {
            #expect(done.report.knownCount > 0)
        }
        // A stated end makes another request.
        #expect(try await world.recover(RecoveryWorld.request(60, 10)).report.newCount == 0)
    }

    @Test("progress is reported while running, and never decreases")
    func progress() async throws {
        let (done, steps) = try await Self.whole.value
        #expect(steps.count > 10)
        let last = try #require(steps.max { $0.doneSliceCount < $1.doneSliceCount })
        #expect(last.doneSliceCount == last.sliceCount)
        #expect(last.appendedCount == done.report.newCount)
        #expect(
            RecoveryText.progress(last).hasSuffix(
                "\(last.sliceCount) of \(last.sliceCount) slices"))
        // Slices are reported in the order in which they end.
        #expect(Set(steps.map(\.pageCount)).count > 5)
    }

    private func last(_ world: RecoveryWorld) async throws -> StoredReport? {
        try await world.ledger.ledger { try await $0.operations.lastRecoveryReport(of: nil) }
    }

    @Test("the report is found again after its end, unchanged")
    func kept() async throws {
        let world = try RecoveryWorld()
        #expect(try await last(world) == nil)
        let first = try await world.recover(RecoveryWorld.request(40, 30))
        for _ in 0..<2 {
            let kept = try #require(try await last(world))
            #expect(kept.text == RecoveryText.report(first.report))
            #expect(
                try JSONValue.parse(Array(kept.json.utf8))
                    == TemporaryLedger.json { first.report.write(to: &$0) })
            #expect(kept.endedAt == RecoveryWorld.now)
            #expect(!kept.isFlawed)
        }
        // The requester's report is kept even without new events.
        let second = try await world.recover(RecoveryWorld.request(40, 30))
        #expect(second.report.newCount == 0)
        #expect(try await last(world)?.text == RecoveryText.report(second.report))
    }

    @Test("refused evidence is recorded as refused")
    func flawed() async throws {
        var world = try RecoveryWorld()
        world.faults = [.init(.badSignature, only: .notificationHistory, from: 2, count: 1)]
        let done = try await world.recover(RecoveryWorld.request(60, 30))
        #expect(done.report.isFlawed)
        #expect(try await last(world)?.isFlawed == true)
    }

    @Test("sweeps of the service leave a report only where something was new")
    func service() async throws {
        let world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(10, 1))
        let before = try await last(world)
        // The last day's events are still missing: the first check fetches them, the second
        // nothing.
        let looks = try await RecoveryWatchTests().looks(
            world, from: RecoveryWorld.now, after: [0])
        #expect(looks[0].requestCount > 1)
        let brought = try await last(world)
        #expect((brought != before) == looks[0].codes.contains("recovered"))
        let later = RecoveryWorld.now.advanced(byMilliseconds: 3_600_000)
        let again = try await RecoveryWatchTests().looks(world, from: later, after: [0])
        #expect(again[0].requestCount > 1)
        let after = try await last(world)
        #expect((after != brought) == again[0].codes.contains("recovered"))
    }
}
