import AppStore
import AppStoreAPI
import AppleSync
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import TestSupport
import Testing

@testable import Simulator

/// A simulated outage without recovery: only notices are reconciled. Events that began without a
/// previously known date leave no notice; completeness must then not be claimed for that time.
@Suite("After an outage, reconcile alone")
struct ReconcileAloneTests {
    static let plan = HistoryPlan(
        world: SubscriberWorld(bundleId: AskedApple.app), seed: 7, limit: .chains(200))
    static let books = ServedRecords(plan)
    static let outage = days(60)...days(5)

    static func days(_ count: Int64) -> Timestamp {
        AskedApple.now.advanced(byMilliseconds: -count * 86_400_000)
    }

    /// A ledger with the evidence so far: notifications by Apple's retry schedule, uploads when
    /// they were sent.
    func ledger() async throws -> TemporaryLedger {
        var place = try TemporaryLedger()
        place.now = AskedApple.now
        place.configuration.catalogue = .simulated
        let arrived = try Self.notifications() + Self.uploads()
        let lines = arrived.sorted { $0.arrival < $1.arrival }.map(\.line)
        #expect(try await place.ingest(lines).isClean)
        return place
    }

    private typealias Arrived = (arrival: Timestamp, line: [UInt8])

    /// Chains with evidence of the last 200 days, or still to come: nothing happens to the others
    /// in the outage, in what is recovered, or later.
    private static let recent: Set<String> = {
        var recent: Set<String> = []
        var stream = HistoryStream(plan)
        while case let page = stream.next(), !page.isEmpty {
            for delivery in page.map(\.delivery) where delivery.receivedAt >= days(200) {
                guard let id = delivery.transaction?.originalTransactionId else { continue }
                recent.insert(id.rawValue)
            }
        }
        return recent
    }()

    private static func notifications() throws -> [Arrived] {
        var faults = DeliveryFaults()
        faults.outages = [DeliveryOutage(outage)]
        var notifier = Notifier(books: books, faults: faults)
        var lines: [Arrived] = []
        while let step = notifier.next() {
            notifier.complete(step, .success)
            guard step.obstacle == nil, step.arrival <= AskedApple.now,
                recent.contains(books.sent[step.index].chain)
            else { continue }
            let body = try JSONValue.parse(try notifier.body(step, signedBy: TestAuthority.signer))
            var json = JSONWriter()
            json.object {
                $0.member("receivedAt", step.arrival.milliseconds)
                $0.member("signedPayload", body["signedPayload"]?.string ?? "")
            }
            lines.append((step.arrival, json.bytes))
        }
        return lines
    }

    private static func uploads() throws -> [Arrived] {
        var lines: [Arrived] = []
        var stream = HistoryStream(plan)
        while case let page = stream.next(), !page.isEmpty {
            for delivery in page.map(\.delivery) {
                if case .notification = delivery.evidence { continue }
                let arrival = delivery.receivedAt
                guard arrival <= AskedApple.now, !outage.contains(arrival),
                    let id = delivery.transaction?.originalTransactionId,
                    recent.contains(id.rawValue)
                else { continue }
                lines.append((arrival, try TestAuthority.signer.line(delivery)))
            }
        }
        return lines
    }

    /// The true state of every recent chain that has begun.
    private static let truth: [String: TrueInterval] = {
        var truth: [String: TrueInterval] = [:]
        var stream = HistoryStream(plan)
        while case let page = stream.next(), !page.isEmpty {
            for reported in page.compactMap(\.truth)
            where recent.contains(reported.originalTransactionId.rawValue) {
                truth[reported.originalTransactionId.rawValue] = reported.intervals.last {
                    $0.from <= AskedApple.now
                }
            }
        }
        return truth
    }()

    /// Takes in everything that Apple sent between these days before now.
    private func recover(
        _ place: TemporaryLedger, _ apple: AskedApple, _ from: Int64, _ to: Int64
    ) async throws -> RecoveryReport {
        try await place.ledger { ledger in
            let projecting = CommandProjecting(ledger) { _ in }
            let recovery = Recovery(
                RecoveryRequest(
                    bundleId: AskedApple.app, environment: .production, from: Self.days(from),
                    to: Self.days(to)),
                ledger: ledger, client: apple.client, apps: place.configuration.apps,
                verifier: place.verifier, revocation: nil
            ) { AskedApple.now }
            let result = await Result {
                try await RecoveryRun(recovery) { () async throws(StoreError) in
                    try await projecting.snapshot()
                }.run()
            }
            await projecting.close()
            return try result.get()
        }
    }

    /// Chains whose reported state is wrong, with both states.
    private func wrong(_ place: TemporaryLedger) async throws -> [String: String] {
        var reported: [String: String] = [:]
        for line in try await place.exportLines(.subscriptions, at: AskedApple.now) {
            reported[line["originalTransactionId"]?.string ?? ""] = line["state"]?.string
        }
        var wrong: [String: String] = [:]
        for (id, interval) in Self.truth where reported[id] != interval.state.rawValue {
            wrong[id] = "\(reported[id] ?? "nothing") for \(interval.state.rawValue)"
        }
        return wrong
    }

    @Test(
        "undated events stay unseen and completeness is not claimed; recovery finds them")
    func unseen() async throws {
        let (place, apple) = (try await ledger(), try AskedApple(books: Self.books))
        let before = try await recover(place, apple, 170, 61)
        #expect(before.completeThrough == Self.days(61))
        let atFirst = try await wrong(place)
        let report = try await ReconcileTests().reconcile(place, apple)
        #expect(report.stop == nil)
        #expect(report.count(.closed) > 10)
        let unseen = try await wrong(place)
        // Renewals, failed renewals and expirations were found.
        #expect(unseen.count < atFirst.count)
        // A reversed refund, a resubscription, a refund, and a payment that succeeded during
        // billing retry.
        #expect(
            Set(unseen.values) == [
                "revoked for renewing", "expired for subscribed", "renewing for revoked",
                "expired for renewing",
            ])
        let truth = Self.truth
        for id in unseen.keys {
            #expect(truth[id].map { Self.outage.contains($0.from) } == true)
            let line = try await place.show(id)
            #expect(line["completeThrough"]?.string == Self.days(61).rfc3339)
            guard unseen[id] == "expired for renewing" else { continue }
            let states = try await place.timeline(id)["intervals"]?.array ?? []
            #expect(states.map { $0["state"]?.string }.suffix(2) == ["billingRetry", "expired"])
            #expect(!report.results.contains { $0.chain.originalTransactionId.rawValue == id })
        }
        let after = try await recover(place, apple, 61, 1)
        #expect(after.completeThrough == Self.days(1))
        #expect(try await wrong(place).isEmpty)
    }
}
