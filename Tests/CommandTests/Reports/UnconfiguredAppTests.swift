import AppStore
import Intake
import LedgerTestSupport
import Projection
import Queries
import Reports
import Testing

@Suite("Completeness of apps that are not configured")
struct UnconfiguredAppTests {
    /// A ledger with chains of two apps, of which the second is not configured any more.
    private func place() async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger(apps: [MadeChain.app, Self.former])
        _ = try await ledger.ingest(
            MadeChain(id: "600000000000001").life
                + MadeChain(id: "600000000000002", bundleId: Self.former).life)
        ledger.configuration.apps.removeLast()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        return ledger
    }

    private static let former = "com.example.former"

    @Test("A figure that counts such an app has a remark, one of a configured app has none")
    func metrics() async throws {
        let ledger = try await place()
        for (app, isRemarked) in [(nil, true), (Self.former, true), (MadeChain.app, false)] {
            for name in [MetricName.churn(isPaid: false), .mrr, .ltv] {
                let stamp = try await ledger.metrics(bundleId: app) {
                    try await $0.metric(name, .made()).stamp
                }
                #expect(stamp.remarks.contains(.notConfigured) == isRemarked, "\(name)")
            }
        }
        let named = try await ledger.metrics {
            try await $0.churn(.made(where: ["app=\(MadeChain.app)"])).stamp
        }
        #expect(!named.remarks.contains(.notConfigured))
        // An app of which nothing is counted.
        let misspelt = try await ledger.metrics {
            try await $0.churn(.made(where: ["app=com.example.none"])).stamp
        }
        #expect(!misspelt.remarks.contains(.notConfigured))
        var none = ledger
        none.configuration.apps = []
        let stamp = try await none.metrics { try await $0.churn(.made()).stamp }
        #expect(!stamp.remarks.contains(.notConfigured))
    }

    @Test("An answer about its subscription says that the app is not configured")
    func subscription() async throws {
        let ledger = try await place()
        try await ledger.session { session in
            for (id, isUnchecked) in [("600000000000001", false), ("600000000000002", true)] {
                let reading = try await session.snapshot.reading(id, moment: ledger.moment())
                #expect(reading.stamp.complete == nil)
                #expect(reading.stamp.isUnchecked == isUnchecked)
                let text = reading.stamp.completeText
                #expect(text.contains("the app is not configured") == isUnchecked)
            }
        }
    }
}
