import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import Testing

@Suite("Reconcile: failures")
struct ReconcileFailureTests {
    private let usual = ReconcileTests()

    @Test(
        "A key or an app that Apple refuses leaves only the chains of that app",
        arguments: [
            (nil, "unauthorized"), (4_040_003, "refusedByApple"), (4_000_002, "refusedByApple"),
        ] as [(Int64?, String)])
    func refusedApp(number: Int64?, code: String) async throws {
        let (count, other) = (20, BundleId("com.example.b"))
        let place = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        _ = try await place.ingest(
            (0..<count).flatMap { number in
                [MadeChain.app, other.rawValue].map { app in
                    MadeChain(id: "5000000000001\(10 + number)", bundleId: app).bought()
                }
            })
        let refused =
            if let number {
                try AskedApple(faults: [ServedFaultRule(.error(number))])
            } else { try AskedApple(key: try ServedKey(keyId: "OTHER")) }
        let report = try await usual.reconcile(
            place, try AskedApple(), others: [other: refused.client])
        #expect(report.stop?.code == code)
        #expect(report.refusals.map(\.chain.bundleId) == [other])
        let ofOther = report.results.filter { $0.chain.bundleId == other }
        #expect((1...ReconcileLimits.concurrency).contains(ofOther.count))
        let rest = report.results.filter { $0.chain.bundleId != other }
        #expect(rest.count == count && rest.allSatisfy { $0.failure?.code != code })
    }

    @Test("An app whose rate Apple limits leaves only its own chains")
    func limitedApp() async throws {
        let (count, other) = (ReconcileLimits.failureStreak, BundleId("com.example.b"))
        let place = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        // Those of the other app come first, and are enough to end a run.
        _ = try await place.ingest(
            (0..<count * 2).map { number in
                MadeChain(id: "5000000000001\(10 + number)", bundleId: other.rawValue).bought()
            } + (0..<count).map { MadeChain(id: "5000000000002\(10 + $0)").bought() })
        let limited = try AskedApple(faults: [
            ServedFaultRule(.rateLimited(milliseconds: 600_000))
        ])
        let report = try await usual.reconcile(
            place, try AskedApple(), others: [other: limited.client])
        #expect(report.stop?.code == "rateLimited")
        #expect(report.limits.map(\.chain.bundleId) == [other])
        #expect(report.refusals.isEmpty)
        let rest = report.results.filter { $0.chain.bundleId != other }
        #expect(rest.count == count && rest.allSatisfy { $0.failure == nil })
        #expect(report.left > 0 && report.left < count * 2)
    }

    @Test("A refused key is reported beside the failure that ends the run")
    func refusedKeyBesideAnotherFailure() async throws {
        let other = BundleId("com.example.b")
        let place = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        // That of the other app comes first.
        let first = MadeChain(bundleId: other.rawValue, start: MadeChain().start(0, 86_400_000))
        _ = try await place.ingest(
            [first.bought()]
                + (0..<ReconcileLimits.failureStreak).map {
                    MadeChain(id: "5000000000001\(10 + $0)").bought()
                })
        let apple = try AskedApple()
        apple.transport.cut(after: 0)
        let refused = try AskedApple(key: try ServedKey(keyId: "OTHER"))
        let report = try await usual.reconcile(place, apple, others: [other: refused.client])
        #expect(report.stop?.code == "appleUnreachable")
        #expect(report.refusals.map(\.failure?.code) == ["unauthorized"])
        #expect(report.refusals.map(\.chain.bundleId) == [other])
    }

    @Test("When Apple cannot be reached the run ends after a few chains, and the rest is left")
    func unreachable() async throws {
        let apple = try AskedApple()
        apple.transport.cut(after: 0)
        let report = try await usual.reconcile(try await AskedApple.ledger(), apple)
        #expect(report.stop?.code == "appleUnreachable")
        #expect(report.left > 0)
        #expect(report.requests == 0)
    }

    @Test(
        "Bad responses close nothing, and nothing of them is appended",
        arguments: [
            (ServedFault.badSignature, ["signatureMismatch"]), (.garbage, ["unreadableAnswer"]),
            (.anotherApp, ["wrongApp", "answerForAnotherApp"]),
        ])
    func badAnswers(_ fault: ServedFault, _ codes: [String]) async throws {
        let place = try await AskedApple.ledger()
        let before = try await place.exportLines(.events).count
        let report = try await usual.reconcile(
            place, try AskedApple(faults: [ServedFaultRule(fault)]),
            budget: ReconcileBudget(chains: 3))
        #expect(report.count(.failed) == 3)
        #expect(
            report.results.allSatisfy { result in
                codes.contains(result.refusal?.code ?? result.failure?.code ?? "")
            })
        #expect(try await place.exportLines(.events).count == before)
    }

    @Test("Endless pages fail their chain; earlier pages are kept")
    func endless() async throws {
        for fault in [ServedFault.loop, .barren] {
            let report = try await usual.reconcile(
                try await usual.strange(),
                try AskedApple(faults: [
                    ServedFaultRule(fault, only: .notificationHistory)
                ]))
            #expect(report.results.map(\.outcome) == [.failed])
            #expect(report.results.first?.failure?.code == "endlessPages")
            #expect(report.stop == nil)
        }
    }

    @Test("Where Apple refuses the window of the notifications, the other requests are sent")
    func refusedWindow() async throws {
        let apple = try AskedApple(faults: [
            ServedFaultRule(.error(4_000_012), only: .notificationHistory)
        ])
        let report = try await usual.reconcile(try await AskedApple.ledger(), apple)
        #expect(report.stop == nil)
        #expect(report.count(.closed) > 0)
        for result in report.results
        where result.queries.first?.endpoint == "notificationHistory" {
            #expect(result.queries.count > 1)
            #expect(result.outcome == (result.failure == nil ? .closed : .failed))
        }
    }

    @Test("429 is waited for")
    func rateLimited() async throws {
        let apple = try AskedApple(faults: [
            ServedFaultRule(
                .rateLimited(milliseconds: 5_000), only: .allSubscriptionStatuses, count: 1)
        ])
        let report = try await usual.reconcile(try await usual.strange(), apple)
        #expect(report.results.map(\.outcome) == [.unknown])
        #expect(apple.clock.elapsedMilliseconds >= 5_000)
    }

    @Test("A chain that Apple does not know is reported and unchanged")
    func unknown() async throws {
        let place = try await usual.strange()
        let report = try await usual.reconcile(place, try AskedApple())
        #expect(report.results.map(\.outcome) == [.unknown])
        #expect(report.results.first?.after == ["renewalOverdue"])
        #expect(report.appended == 0)
    }

    @Test("A chain whose history Apple answers is known, also without statuses")
    func knownByHistory() async throws {
        let id = try #require(AskedApple.longLife)
        let place = try TemporaryLedger()
        let whole = try AskedApple()
        let info = try await whole.client.transactionHistory(id, in: .only(.production))
        let newest = try #require(info.value.signedTransactions?.last)
        _ = try await place.ingest([Array(newest.utf8)])
        let rules = [ServedFaultRule(.error(4_040_010), only: .allSubscriptionStatuses)]
        let report = try await usual.reconcile(place, try AskedApple(faults: rules))
        #expect(report.count(.unknown) == 0)
        let again = try await usual.reconcile(place, try AskedApple(faults: rules), .all)
        #expect(again.count(.unknown) == 0)
    }

    @Test("Without a key for the app no request is sent, and that is reported")
    func noKey() async throws {
        let apple = try AskedApple()
        let report = try await usual.reconcile(try await usual.strange(), apple, hasKey: false)
        #expect(report.withoutKey == 1)
        #expect(report.left == 0)
        #expect(apple.transport.sent.isEmpty)
    }

    @Test("Without notices no request is sent")
    func nothing() async throws {
        let apple = try AskedApple()
        let place = try TemporaryLedger()
        _ = try await place.ingest(MadeChain().life)
        let report = try await usual.reconcile(place, apple)
        #expect(report.chains == 0)
        #expect(apple.transport.sent.isEmpty)
    }

    @Test("A chain that is erased after its notices were read leaves no row")
    func erasedMeanwhile() async throws {
        let place = try await usual.strange()
        try await place.session { session in
            let snapshot = try await session.currentSnapshot()
            let apple = try AskedApple(onAnswer: { _, _ in
                _ = try? await PersonErasure(session, now: AskedApple.now).run(
                    chains: [place.chain(MadeChain().id)], customer: nil,
                    TemporaryLedger.erasing)
            })
            let books = EnvironmentLedgers(
                place.configuration, apps: place.configuration.apps, verifier: place.verifier,
                revocation: nil, ledgers: [session.ledger]
            ) { apple.clock.now }
            let report = try await Reconcile(
                [AskedApple.app: apple.client], ledgers: books, ledger: session.ledger,
                projected: { _ async throws(StoreError) in snapshot }
            ).run()
            #expect(report.results.map(\.after) == [["renewalOverdue"]])
            #expect(try await session.ledger.log.head().position == 2)
            #expect(try await session.ledger.operations.lookups().isEmpty)
        }
    }
}
