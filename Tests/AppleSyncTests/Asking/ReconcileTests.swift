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

@Suite("Reconcile, against the simulated API")
struct ReconcileTests {
    /// A life that Apple does not know, with an overdue renewal.
    func strange() async throws -> TemporaryLedger {
        let place = try TemporaryLedger()
        _ = try await place.ingest([MadeChain().bought()])
        return place
    }

    func reconcile(
        _ place: TemporaryLedger, _ apple: AskedApple, _ scope: ReconcileScope = .gaps,
        budget: ReconcileBudget = ReconcileBudget(), hasKey: Bool = true,
        others: [BundleId: AppStoreServerAPIClient] = [:]
    ) async throws -> ReconcileReport {
        try await place.session { session in
            let books = EnvironmentLedgers(
                place.configuration, apps: place.configuration.apps, verifier: place.verifier,
                revocation: nil, ledgers: [session.ledger]
            ) { apple.clock.now }
            return try await Reconcile(
                others.merging(hasKey ? [AskedApple.app: apple.client] : [:]) { $1 },
                ledgers: books,
                ledger: session.ledger,
                projected: { _ async throws(StoreError) in try await session.currentSnapshot() }
            ).run(scope, budget: budget)
        }
    }

    /// State and access of every chain, as far as independent of the time of the request.
    func states(_ place: TemporaryLedger) async throws -> [String] {
        try await place.exportLines(.subscriptions, at: AskedApple.now).map { line in
            ["originalTransactionId", "state", "transactionId", "productId", "accessUntil"]
                .map { line[$0]?.string ?? "-" }.joined(separator: " ")
        }
    }

    /// Codes of the open notices of every chain.
    func notices(_ place: TemporaryLedger) async throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for line in try await place.exportLines(.subscriptions, at: AskedApple.now) {
            found[line["originalTransactionId"]?.string ?? ""] = Set(
                (line["notices"]?.array ?? []).compactMap { $0["code"]?.string })
        }
        return found
    }

    @Test("After an outage the cheapest requests make notices and states the same as without it")
    func outage() async throws {
        let place = try await AskedApple.ledger()
        let report = try await reconcile(place, try AskedApple())
        #expect(report.count(.closed) > 5)
        #expect(report.count(.closed) + report.count(.open) == report.chains)
        #expect(report.stop == nil)
        expectFrugal(report)
        let whole = try await AskedApple.ledger(until: AskedApple.now)
        let usual = try await notices(whole)
        for result in report.results {
            let id = result.chain.originalTransactionId.rawValue
            #expect(Set(result.after).isSubset(of: usual[id] ?? []), "\(id)")
        }
        let again = try await reconcile(place, try AskedApple())
        #expect(again.chains == report.count(.open))
        let looked = Set(report.results.map { $0.chain.originalTransactionId.rawValue })
        func ofLooked(_ states: [String]) -> [String] {
            states.filter { looked.contains(String($0.prefix { $0 != " " })) }
        }
        #expect(ofLooked(try await states(place)) == ofLooked(try await states(whole)))
    }

    /// The cheapest request came first, and none after the one that closed the notice.
    private func expectFrugal(_ report: ReconcileReport) {
        for result in report.results where result.outcome == .closed {
            #expect(result.queries.dropLast().allSatisfy { $0.endpoint != "refundHistory" })
            // The closing evidence was new.
            #expect(result.queries.last?.appended ?? 0 > 0)
        }
        let overdue = report.results.filter { $0.before == ["renewalOverdue"] }
        #expect(!overdue.isEmpty)
        #expect(overdue.allSatisfy { $0.queries.first?.endpoint == "notificationHistory" })
        #expect(overdue.contains { $0.queries.count == 1 && $0.outcome == .closed })
    }

    @Test("A history that began before ours: transactions are fetched, not expired notifications")
    func historyBefore() async throws {
        let place = try TemporaryLedger()
        let id = try #require(AskedApple.longLife)
        let apple = try AskedApple()
        let info = try await apple.client.transactionHistory(id, in: .only(.production))
        let newest = try #require(info.value.signedTransactions?.last)
        _ = try await place.ingest([Array(newest.utf8)])
        let report = try await reconcile(place, apple)
        #expect(report.results.map(\.before) == [["historyMissingBefore"]])
        #expect(report.results.map(\.outcome) == [.closed])
        #expect(
            report.results.first?.queries.map(\.endpoint)
                == ["allSubscriptionStatuses", "transactionHistory"]
                || report.results.first?.queries.first?.endpoint == "notificationHistory")
    }

    @Test("A purchase after an end without known renewal info is reconciled")
    func missingRenewalInfo() async throws {
        struct Sent {
            let line: [UInt8]
            let payload: JSONValue
            let transaction: String
        }
        let sent = try AskedApple.sent.compactMap { entry -> Sent? in
            let payload = try Self.payload(JSONValue.parse(entry.line)["signedPayload"]?.string)
            guard let signed = payload["data"]?["signedTransactionInfo"]?.string else { return nil }
            return Sent(line: entry.line, payload: payload, transaction: signed)
        }
        func chain(_ sent: Sent) throws -> String? {
            try Self.payload(sent.transaction)["originalTransactionId"]?.string
        }
        let again = try #require(
            sent.lastIndex { $0.payload["subtype"]?.string == "RESUBSCRIBE" })
        let id = try chain(sent[again])
        let before = try sent[..<again].filter { try chain($0) == id }.map(\.line)
        let place = try TemporaryLedger()
        _ = try await place.ingest(before + [Array(sent[again].transaction.utf8)])
        #expect(try await notices(place)[id ?? ""]?.contains("missingRenewalInfo") == true)
        let report = try await reconcile(place, try AskedApple())
        #expect(report.results.contains { $0.before.contains("missingRenewalInfo") })
        #expect(try await notices(place)[id ?? ""]?.contains("missingRenewalInfo") == false)
    }

    /// The payload of a compact JWS of the simulator.
    private static func payload(_ jws: String?) throws -> JSONValue {
        let part = try #require(jws?.split(separator: ".").dropFirst().first)
        var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return try JSONValue.parse(Array(try #require(Data(base64Encoded: text))))
    }

    @Test("The most valuable first: access at stake, then the price relative to its currency")
    func order() async throws {
        let place = try TemporaryLedger()
        // Thirty days bought 35 days ago are overdue; those of 200 days ago ended long ago.
        func chain(
            _ id: String, daysAgo: Int64, _ price: Int64, _ currency: String,
            _ ownership: InAppOwnershipType = .purchased
        ) -> MadeDelivery {
            var chain = MadeChain()
            chain.id = id
            chain.start = AskedApple.now.advanced(byMilliseconds: -daysAgo * 86_400_000)
            return chain.bought().withTransaction {
                $0.price = price
                $0.currency = currency
                $0.inAppOwnershipType = Raw(ownership)
            }
        }
        let made = [
            chain("1", daysAgo: 200, 99_990, "USD"), chain("2", daysAgo: 35, 4_990, "USD"),
            chain("3", daysAgo: 35, 9_990, "USD"), chain("4", daysAgo: 35, 900_000, "JPY"),
            chain("5", daysAgo: 35, 300_000, "JPY"), chain("6", daysAgo: 35, 300_000, "JPY"),
            chain("7", daysAgo: 35, 9_990, "USD", .familyShared),
        ]
        _ = try await place.ingest(made.sorted { $0.receivedAt < $1.receivedAt })
        let report = try await reconcile(place, try AskedApple())
        #expect(
            report.results.map(\.chain.originalTransactionId.rawValue)
                == ["4", "3", "5", "6", "2", "7", "1"])
    }

    @Test("A budget of chains is respected, and one of requests starts no further chain")
    func budget() async throws {
        let place = try await AskedApple.ledger()
        let two = try await reconcile(
            place, try AskedApple(), budget: ReconcileBudget(chains: 2))
        #expect(two.results.count == 2)
        #expect(two.left == two.chains - 2)
        let few = try await reconcile(
            place, try AskedApple(), budget: ReconcileBudget(requests: 1))
        #expect((1...ReconcileLimits.concurrency).contains(few.results.count))
    }

    @Test("A chain that was reconciled without success pauses for a while, then is retried")
    func pause() async throws {
        let place = try await strange()
        let apple = try AskedApple()
        let first = try await reconcile(place, apple, budget: .round)
        #expect(first.results.count == 1)
        let second = try await reconcile(place, apple, budget: .round)
        #expect(second.paused == 1)
        #expect(second.results.isEmpty)
        // A manual request ignores the pause.
        #expect(try await reconcile(place, apple).results.count == 1)
        try await apple.clock.sleep(milliseconds: 2 * ReconcileLimits.pauseMilliseconds)
        #expect(try await reconcile(place, apple, budget: .round).results.count == 1)
    }

    @Test(
        "A chain whose look-up fails pauses, longer each time unless the failure may pass",
        arguments: [(Int64(5_000_000), "appleUnavailable", 1), (4_000_000, "refusedByApple", 0)])
    func pauseAfterFailure(number: Int64, code: String, third: Int) async throws {
        let place = try await strange()
        let apple = try AskedApple(faults: [ServedFaultRule(.error(number))])
        let first = try await reconcile(place, apple, budget: .round)
        #expect(first.results.map(\.failure?.code) == [code])
        let paused = try await reconcile(place, apple, budget: .round)
        #expect(paused.paused == 1)
        // After each further pause of the first length: reconciled, or still paused.
        for count in [1, third] {
            try await apple.clock.sleep(milliseconds: ReconcileLimits.pauseMilliseconds)
            let later = try await reconcile(place, apple, budget: .round)
            #expect(later.results.count == count)
        }
    }

    @Test("A look-up at a time that a clock ahead stated does not pause its chain")
    func clockAhead() async throws {
        let place = try await strange()
        let ahead = try AskedApple()
        try await ahead.clock.sleep(milliseconds: 365 * 86_400_000)
        #expect(try await reconcile(place, ahead, budget: .round).results.count == 1)
        #expect(try await reconcile(place, try AskedApple(), budget: .round).results.count == 1)
    }

    @Test("A notice that other evidence closed is forgotten: a later one is no repetition")
    func closedElsewhere() async throws {
        let place = try await strange()
        _ = try await reconcile(place, try AskedApple(), budget: .round)
        func lookups() async throws -> Int {
            try await place.session { try await $0.ledger.operations.lookups().count }
        }
        #expect(try await lookups() == 1)
        _ = try await place.ingest(MadeChain().life)
        #expect(try await reconcile(place, try AskedApple(), budget: .round).chains == 0)
        #expect(try await lookups() == 0)
    }

    @Test("By default these notices are reconciled, and a round of the service is bounded")
    func usual() {
        let codes = ReconcileScope.gaps.codes.map(\.rawValue)
        #expect(
            codes == [
                "renewalOverdue", "missingPeriod", "unexplainedExpiry", "historyMissingBefore",
                "missingRenewalInfo", "unconfirmedStatement",
            ])
        let round = ReconcileBudget(chains: 20, requests: 200, keepsPauses: true)
        #expect(ReconcileBudget.round == round)
    }

    @Test("Apple is asked about a refund that version 1 alone states")
    func refundOfVersionOne() async throws {
        // given
        let day: Int64 = 86_400_000
        let chain = MadeChain(start: AskedApple.now.advanced(byMilliseconds: -10 * day))
        var place = try TemporaryLedger()
        try place.share()
        let refund = chain.notificationV1(
            "REFUND", through: 0, cancelled: chain.start(0, 2 * day), at: chain.start(0, 3 * day))
        let summary = try await place.ingest([try chain.bought().line(), refund])
        #expect(summary.appended == 2)
        // when
        let report = try await reconcile(place, try AskedApple())
        // then
        #expect(report.results.map(\.before) == [["unconfirmedStatement"]])
        #expect(report.results.map(\.outcome) == [.unknown])
    }

    @Test("With all, a chain with any notice is reconciled")
    func all() async throws {
        let place = try TemporaryLedger()
        let chain = MadeChain()
        var late = chain.life
        late[1].receivedAt = late[1].receivedAt.advanced(byMilliseconds: 3_600_000)
        _ = try await place.ingest(late.sorted { $0.receivedAt < $1.receivedAt })
        #expect(try await reconcile(place, try AskedApple()).chains == 0)
        let report = try await reconcile(place, try AskedApple(), .all)
        #expect(report.results.map(\.before) == [["lateDelivery"]])
        #expect(report.results.map(\.outcome) == [.unknown])
    }
}
