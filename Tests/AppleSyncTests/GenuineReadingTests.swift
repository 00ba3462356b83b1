import AppStore
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Signing
import TestSupport
import Testing

/// Genuine data that was once interpreted wrongly; its own fields state the expected result.
@Suite("Genuine data once interpreted wrongly", Fixtures.condition)
struct GenuineReadingTests {
    private static let subscriber = Fixtures.subscriber.map { "jws/" + $0 }
    private static let later = [
        "second/026-notification-CONSUMPTION_REQUEST.jws", "second/027-notification-REFUND.jws",
    ]

    private func taken(
        _ files: [String], app: String, environment: Environment = .sandbox
    ) async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger(environment: environment, apps: [app])
        ledger.roots = .apple
        ledger.configuration.catalogue = Catalogue()
        let summary = try await ledger.ingest(
            paths: files.map { Fixtures.folder.appending(path: $0).path })
        #expect(summary.isClean && summary.appended == files.count)
        return ledger
    }

    private func paid(_ ledger: TemporaryLedger) async throws -> [JSONValue] {
        try await ledger.session { session in
            let query = MetricsQuery(
                session.snapshot, reportTimeZone: ledger.configuration.reportTimeZone,
                now: ledger.now, knowledge: .everything, bundleId: nil)
            var words = MetricParameters()
            (words.from, words.to) = ("2020-01-01", "2021-06-01")
            let report = try await query.churn(words, isPaid: true)
            return try #require(TemporaryLedger.json { report.write(to: &$0) }["rows"]?.array)
        }
    }

    @Test("A paid introductory offer of an app receipt is a paid period, refunded as one")
    func receiptIntro() async throws {
        let ledger = try await taken(
            ["second/029-APPLE_VALID-Production-com-ireadercity-weather.b64"],
            app: "com.ireadercity.weather", environment: .production)
        let show = try await ledger.show("420000831313291")
        #expect(show["phase"]?.string == "intro")
        let rows = try await paid(ledger)
        let added: [Int64] = rows.map { $0["new"]?.int64 ?? 0 }
        let refunded: [Int64] = rows.map { $0["churned"]?["refund"]?.int64 ?? 0 }
        #expect(added.reduce(0, +) == 1)
        #expect(refunded.reduce(0, +) == 1)
    }

    @Test("A paid introductory offer of a version 1 notification is a paid period")
    func notificationIntro() async throws {
        var ledger = try TemporaryLedger(apps: ["you.bid.com"])
        ledger.roots = .apple
        try ledger.share("yourpassword")
        let file = Fixtures.folder.appending(path: "second/008-DID_RECOVER.json").path
        #expect(try await ledger.ingest(paths: [file]).appended == 1)
        let intro = try Timestamp.stated("2020-01-10T00:00:00Z")
        #expect(
            try await ledger.show("280000541900541", at: intro)["phase"]?.string == "intro")
        #expect(try await paid(ledger).first?["new"]?.int64 == 1)
        // Its receipt is of another app: one notice, for thirteen purchases.
        let codes = try await ledger.show("280000541900541").noticeCodes
        #expect(codes.count { $0 == "contradiction" } == 1)
    }

    @Test("AUTO_RENEW_DISABLED proves that auto-renew was on before it")
    func onBefore() async throws {
        let ledger = try await taken(
            ["second/023-notification-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED.jws"],
            app: Fixtures.subscriberApp)
        func show(_ at: String) async throws -> JSONValue {
            try await ledger.show(Fixtures.subscriberId, at: try Timestamp.stated(at))
        }
        let before = try await show("2025-10-06T05:17:00.000Z")
        #expect(before["willRenew"] == .bool(true))
        #expect(before["cancellation"] == .null)
        let after = try await show("2025-10-06T05:17:56.877Z")
        #expect(after["willRenew"] == .bool(false))
        #expect(after["cancellation"]?["at"]?.string == "2025-10-06T05:17:56.877Z")
    }

    @Test("Auto-renew is unknown for a purchase that only a refund names")
    func refundOnly() async throws {
        let ledger = try await taken(
            GenuineReadingTests.subscriber + GenuineReadingTests.later,
            app: Fixtures.subscriberApp)
        for moment in ["2025-10-13T06:00:00Z", "2025-10-14T00:00:00Z", "2025-11-01T00:00:00Z"] {
            let show = try await ledger.show(
                Fixtures.subscriberId, at: try Timestamp.stated(moment))
            #expect(show["willRenew"] == .null, "\(moment)")
            #expect(show["cancellation"] == .null, "\(moment)")
            #expect(show.noticeCodes.contains("missingRenewalInfo"), "\(moment)")
        }
        let entries = try #require(
            try await ledger.timeline(Fixtures.subscriberId)["entries"]?.array)
        let end = entries.last {
            $0["kind"]?.string == "state" && $0["to"]?.string == "expired"
        }
        #expect(end?["at"]?.string == "2025-10-13T06:01:49.000Z")
        #expect(end?["reason"]?.string == "unconfirmed")
        #expect(ReconcileScope.gaps.codes.contains(.missingRenewalInfo))
    }

    /// Years are one level with months in the last of the two.
    static let changes: [([String: Int], TimelineEventName, TimelineEventName)] = [
        (["year_premium": 2, "month_premium": 1], .downgraded, .upgraded),
        (["year_premium": 1, "month_premium": 1], .crossgraded, .crossgraded),
    ]

    @Test(
        "A product change takes effect when its period is bought, however many receipts state it",
        arguments: changes)
    func productChanges(
        _ levels: [String: Int], _ toYear: TimelineEventName, _ toMonth: TimelineEventName
    ) async throws {
        let receipt = "second/027-APPLE_VALID-ProductionSandbox-com-twigano-fashion.b64"
        let others = ["023", "025", "026", "028"].map {
            "receipts/\($0)-APPLE_VALID-ProductionSandbox-com-twigano-fashion.b64"
        }
        for files in [[receipt], others + [receipt]] {
            var ledger = try await taken(files, app: "com.twigano.fashion")
            ledger.configuration.catalogue = Catalogue(
                products: Dictionary(
                    uniqueKeysWithValues: levels.map {
                        (ProductId($0.key), Catalogue.Product(level: $0.value))
                    }))
            let names = [toYear.rawValue, toMonth.rawValue]
            let facts = try await ledger.exportLines(.facts).filter {
                names.contains($0["fact"]?.string ?? "")
            }.map { "\($0["at"]?.string ?? "") \($0["fact"]?.string ?? "")" }
            #expect(
                facts == [
                    "2020-10-07T12:59:21.000Z \(toYear)", "2020-10-28T21:43:25.000Z \(toYear)",
                    "2020-10-28T21:46:19.000Z \(toMonth)", "2020-11-08T13:23:24.000Z \(toYear)",
                    "2020-11-08T13:29:43.000Z \(toMonth)", "2020-11-08T16:00:24.000Z \(toMonth)",
                    "2020-11-08T18:29:14.000Z \(toYear)", "2020-11-08T18:53:14.000Z \(toMonth)",
                ])
        }
    }
}
