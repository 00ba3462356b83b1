import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import AppleSync
@testable import SQLiteStore

@Suite("Limits of requests, at the bound and one past it")
struct AskingLimitTests {
    static let hour: Int64 = 3_600_000
    static let day = 24 * hour

    // MARK: Lists

    @Test("a list holds the maximum number of ids, and one more is too many, in each form")
    func idCount() throws {
        #expect(InputProblem.tooManyIds.message.contains("\(BackfillLimits.idCount)"))
        for head in ["", "transaction_id,x\n"] {
            let rows = ["1", "2", "2", "x", "3"].map { head.isEmpty ? $0 : "\($0),y" }
            let whole = Array((head + rows.joined(separator: "\n")).utf8)
            // An invalid or repeated id does not count.
            #expect(try IdListReader.read(whole, idCount: 3).ids == ["1", "2", "3"])
            #expect(throws: InputProblem.tooManyIds) {
                try IdListReader.read(whole, idCount: 2)
            }
        }
    }

    @Test("a file of the maximum size is accepted, one byte more is refused")
    func listBytes() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("1\n2\n".utf8), to: "ids")
        #expect(try await IdList.read(path: path, longest: 4).ids == ["1", "2"])
        await #expect(throws: InputProblem.tooLong) {
            try await IdList.read(path: path, longest: 3)
        }
        #expect(InputProblem.tooLong.code == "listTooLong")
        #expect(InputProblem.tooLong.message.contains("\(BackfillLimits.listByteCount)"))
    }

    @Test("a record has a maximum of columns; one more costs its line")
    func columns() throws {
        for (extra, ids) in [(0, ["1", "2"]), (1, ["2"])] {
            let filler = Array(repeating: "y", count: BackfillLimits.columnCount - 1 + extra)
            let text = "transaction_id,x\n" + (["1"] + filler).joined(separator: ",") + "\n2,z\n"
            let list = try IdList(reading: Array(text.utf8))
            #expect(list.ids == ids)
            #expect(list.badLines.count == extra)
        }
    }

    // MARK: Failures in a row

    /// The result of a backfill of ten ids where the requests for these fail.
    private func backfill(unreachable places: some Sequence<Int>) async throws -> BackfillReport {
        let apple = try AskedApple()
        apple.transport.refuse(places.map { BackfillTests.ids[$0] })
        return try await BackfillTests().backfill(
            BackfillTests.ids, apple, try TemporaryLedger())
    }

    @Test("a backfill tolerates one failure less than the maximum in a row, wherever they are")
    func backfillStreak() async throws {
        let bound = BackfillLimits.failureStreak
        for start in [0, 3] {
            let borne = try await backfill(unreachable: start..<start + bound - 1)
            #expect(borne.stop == nil)
            #expect(borne.left == 0)
            #expect(borne.failed.count == bound - 1)
            let stopped = try await backfill(unreachable: start..<start + bound)
            #expect(stopped.stop?.code == "appleUnreachable")
            #expect(stopped.run.settled == start)
            #expect(stopped.failed.isEmpty)
        }
    }

    @Test("ids that failed apart are requested once more, until the maximum in a row fails again")
    func backfillSecondStreak() async throws {
        let bound = BackfillLimits.failureStreak
        let borne = try await backfill(unreachable: (0..<bound - 1).map { 2 * $0 })
        #expect(borne.stop == nil)
        #expect(borne.failed.count == bound - 1)
        let stopped = try await backfill(unreachable: (0..<bound).map { 2 * $0 })
        #expect(stopped.stop?.code == "appleUnreachable")
        #expect(stopped.left == 0)
        #expect(stopped.failed.count == bound)
    }

    @Test("ids that fail at the end of a list are settled, unless they are the maximum, or all")
    func backfillEnd() async throws {
        let (count, bound) = (BackfillTests.ids.count, BackfillLimits.failureStreak)
        // An earlier one is requested once more, too.
        let borne = try await backfill(unreachable: [0] + Array(count - bound + 2..<count))
        #expect(borne.stop == nil)
        #expect(borne.left == 0)
        #expect(borne.failed.count == bound - 1)
        let stopped = try await backfill(unreachable: count - bound..<count)
        #expect(stopped.stop?.code == "appleUnreachable")
        #expect(stopped.left == bound)
        let apple = try AskedApple()
        apple.transport.cut(after: 0)
        let few = Array(BackfillTests.ids.prefix(bound - 1))
        let all = try await BackfillTests().backfill(few, apple, try TemporaryLedger())
        #expect(all.stop?.code == "appleUnreachable")
        #expect(all.left == few.count)
    }

    @Test("a run that resumes before a last id, which fails, ends with it; the next retries it")
    func backfillLastAgain() async throws {
        let place = try TemporaryLedger()
        let list = IdList(BackfillTests.ids)
        var kept = BackfillRun(startedAt: AskedApple.now)
        (kept.settled, kept.done) = (list.ids.count - 1, list.ids.count - 1)
        let (run, key) = (
            kept, list.digest(AskedApple.app, in: .productionFirst, includesRefunds: true)
        )
        try await place.ledger { ledger in
            try await ledger.operations.keep(
                run, of: key, troubles: [], solved: nil, at: AskedApple.now)
        }
        let apple = try AskedApple()
        apple.transport.cut(after: 0)
        let report = try await BackfillTests().backfill(list.ids, apple, place)
        #expect(report.resumedAt == list.ids.count - 1)
        #expect(report.stop == nil)
        #expect(report.failed.map(\.id) == [list.ids[list.ids.count - 1]])
        let again = try await BackfillTests().backfill(list.ids, apple, place)
        #expect(again.resumedAt == list.ids.count)
        #expect(again.failed.count == 1)
        // Retried in vain, it keeps the list no longer from starting anew.
        apple.transport.cut(after: nil)
        let next = try await BackfillTests().backfill(list.ids, apple, place)
        #expect(next.resumedAt == 0)
        #expect(next.failed.isEmpty)
    }

    /// Chains with overdue renewals that Apple does not know, the most expensive first.
    private func overdue(_ count: Int) async throws -> (place: TemporaryLedger, ids: [String]) {
        let place = try TemporaryLedger()
        let ids = (0..<count).map { "90000000000000\($0 + 10)" }
        let made = ids.enumerated().map { index, id in
            var chain = MadeChain()
            chain.id = id
            chain.start = AskedApple.now.advanced(byMilliseconds: -35 * Self.day)
            return chain.bought().withTransaction { $0.price = Int64(100 - index) * 1_000 }
        }
        _ = try await place.ingest(made)
        return (place, ids)
    }

    @Test("reconcile tolerates one failure less than the maximum in a row, and any number apart")
    func reconcileStreak() async throws {
        let bound = ReconcileLimits.failureStreak
        let (place, ids) = try await overdue(9)
        func run(_ unreachable: some Sequence<Int>) async throws -> ReconcileReport {
            let apple = try AskedApple()
            apple.transport.refuse(unreachable.map { ids[$0] })
            return try await ReconcileTests().reconcile(place, apple)
        }
        let borne = try await run(2..<2 + bound - 1)
        #expect(borne.stop == nil)
        #expect(borne.count(.failed) == bound - 1)
        #expect(borne.count(.unknown) == ids.count - bound + 1)
        let apart = try await run([0, 2, 4, 6, 8])
        #expect(apart.stop == nil)
        #expect(apart.count(.failed) == 5)
        let stopped = try await run(2..<2 + bound)
        #expect(stopped.stop?.code == "appleUnreachable")
        // Those already started.
        #expect(stopped.results.count < 2 + bound + ReconcileLimits.concurrency)
    }

    // MARK: Concurrency

    @Test(
        "the maximum number of ids is requested concurrently, and no more", .timeLimit(.minutes(20))
    )
    func backfillWidth() async throws {
        let crowd = Mutex<CrowdedTransport?>(nil)
        let apple = try AskedApple(carrying: { transport in
            let crowded = CrowdedTransport(transport, width: BackfillLimits.concurrency)
            crowd.withLock { $0 = crowded }
            return crowded
        })
        let report = try await BackfillTests().backfill(
            BackfillTests.ids, apple, try TemporaryLedger())
        #expect(report.isComplete)
        #expect(crowd.withLock { $0 }?.most == BackfillLimits.concurrency)
    }

    @Test(
        "the maximum number of chains is reconciled concurrently, and no more",
        .timeLimit(.minutes(20)))
    func reconcileWidth() async throws {
        let crowd = Mutex<CrowdedTransport?>(nil)
        let apple = try AskedApple(carrying: { transport in
            let crowded = CrowdedTransport(transport, width: ReconcileLimits.concurrency)
            crowd.withLock { $0 = crowded }
            return crowded
        })
        let (place, ids) = try await overdue(9)
        let report = try await ReconcileTests().reconcile(place, apple)
        #expect(report.results.count == ids.count)
        #expect(crowd.withLock { $0 }?.most == ReconcileLimits.concurrency)
    }

    @Test(
        "a recovery has the maximum number of concurrent requests, and no more",
        .timeLimit(.minutes(20)))
    func recoveryWidth() async throws {
        let world = try RecoveryWorld()
        let crowd = Mutex<CrowdedTransport?>(nil)
        // The first request runs alone: it shows whether there are more pages.
        let done = try await world.recover(
            RecoveryWorld.request(60, 10),
            carrying: { transport in
                let crowded = CrowdedTransport(
                    transport, width: APILimits.concurrency, after: 1)
                crowd.withLock { $0 = crowded }
                return crowded
            })
        #expect(done.report.newCount > 50)
        #expect(crowd.withLock { $0 }?.most == APILimits.concurrency)
    }

    // MARK: Pauses

    @Test(
        "a chain pauses for an hour, doubling each time, and never for more than 30 days"
    )
    func pauses() {
        #expect(ReconcileLimits.pause(after: 0) == Self.hour)
        #expect(ReconcileLimits.pause(after: 1) == Self.hour)
        #expect(ReconcileLimits.pause(after: 2) == 2 * Self.hour)
        #expect(ReconcileLimits.pause(after: 10) == 512 * Self.hour)
        #expect(ReconcileLimits.pause(after: 11) == 30 * Self.day)
        #expect(ReconcileLimits.pause(after: .max) == 30 * Self.day)
    }

    @Test("the pause ends with its last millisecond")
    func pauseEnd() async throws {
        for (excess, isAsked) in [(Int64(-1), false), (0, true)] {
            let (place, _) = try await overdue(1)
            let apple = try AskedApple()
            let first = try await ReconcileTests().reconcile(place, apple, budget: .round)
            #expect(first.results.count == 1)
            let passed = apple.clock.elapsedMilliseconds
            try await apple.clock.sleep(
                milliseconds: ReconcileLimits.pauseMilliseconds - passed + excess)
            let second = try await ReconcileTests().reconcile(place, apple, budget: .round)
            #expect(second.results.count == (isAsked ? 1 : 0))
            #expect(second.paused == (isAsked ? 0 : 1))
        }
    }

    @Test("access that ended sixty days ago may be restored; a millisecond earlier it is history")
    func recent() {
        func work(_ id: String, endedAgo: Int64, price: Int64) -> OpenNotice {
            OpenNotice(
                chain: ChainId(
                    bundleId: AskedApple.app, originalTransactionId: OriginalTransactionId(id)),
                code: .missingPeriod, from: AskedApple.now,
                price: Money(milliunits: price, currency: "USD"), ownership: "purchased",
                accessUntil: AskedApple.now.advanced(byMilliseconds: -endedAgo))
        }
        let bound = ReconcileLimits.recentMilliseconds
        // The more expensive one comes first only when both are equally recent.
        for (endedAgo, order) in [(bound - 1, ["2", "1"]), (bound, ["1", "2"])] {
            let ordered = ReconcileWork.ordered(
                ReconcileWork.grouped([
                    work("1", endedAgo: Self.day, price: 1_000),
                    work("2", endedAgo: endedAgo, price: 9_000),
                ]), at: AskedApple.now)
            #expect(ordered.map(\.chain.originalTransactionId.rawValue) == order)
        }
    }

    @Test("notifications are requested from a day later than Apple keeps them")
    func windowMargin() async throws {
        let (place, ids) = try await overdue(1)
        let apple = try AskedApple()
        let chain = ChainId(
            bundleId: AskedApple.app, originalTransactionId: OriginalTransactionId(ids[0]))
        let work = ReconcileWork.grouped([
            OpenNotice(
                chain: chain, code: .renewalOverdue, from: AskedApple.now, price: nil,
                ownership: nil, accessUntil: nil)
        ])
        let result = try await place.session { session -> ChainReconciliation in
            let books = EnvironmentLedgers(
                place.configuration, apps: place.configuration.apps, verifier: place.verifier,
                revocation: nil, ledgers: [session.ledger]
            ) { apple.clock.now }
            return await Reconcile(
                [AskedApple.app: apple.client], ledgers: books, ledger: session.ledger,
                projected: { _ async throws(StoreError) in try await session.currentSnapshot() }
            ).lookUp(work[0], .gaps)
        }
        #expect(result.failure == nil)
        let asked = try #require(
            apple.transport.sent.first { $0.url.contains("/notifications/history") })
        let body = try JSONValue.parse(asked.body ?? [])
        let oldest = AskedApple.now.advanced(byMilliseconds: -180 * Self.day)
        #expect(
            body["startDate"]?.int64
                == oldest.advanced(byMilliseconds: NotificationHistory.marginMilliseconds)
                .milliseconds)
        #expect(body["endDate"]?.int64 == AskedApple.now.milliseconds)
    }

    // MARK: TEST notifications

    @Test("Apple's report is awaited for the given time and polled every two seconds")
    func polls() async throws {
        let wait = 5 * TestNotificationLimits.pollMilliseconds
        let place = try TemporaryLedger()
        let apple = try AskedApple(faults: [
            .init(.error(4_040_008), only: .testNotificationStatus)
        ])
        let report = try await place.ledger { ledger in
            try await TestNotification(
                apple.client, ledger: ledger, verifier: place.verifier, clock: apple.clock
            ).run(wait: wait)
        }
        #expect(report.diagnosis == .noResult)
        #expect(report.token != nil && report.attempts.isEmpty)
        #expect(apple.clock.elapsedMilliseconds == wait)
        // At once, and after each wait.
        #expect(apple.api.counts[.testNotificationStatus] == 6)
    }
}
