import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Signing
import Simulator
import Testing

/// Simulated lives with evidence of original StoreKit alone, and beside version 2.
@Suite("Version 1 notifications against the truth")
struct VersionOneTruthTests {
    static let reported = OriginalStoreKit(AskedApple.production)

    /// Signed once for all tests.
    private static let notifications = Result {
        try reported.notificationsV1(
            through: AskedApple.now, password: MadeChain.secret,
            authority: TestAuthority.receipts
        ).map(\.body)
    }

    private func wrong(_ place: TemporaryLedger) async throws -> [String: String] {
        try await MigrationTests().wrong(Self.reported.ids(at: AskedApple.now), place)
    }

    @Test("With one verifyReceipt request every state is true; before, what version 1 can express")
    func withVerifyReceipt() async throws {
        let place = try StoredReceipts.place()
        let sent = try await place.ingest(try Self.notifications.get())
        #expect(sent.errors.isEmpty, "\(sent.errors.prefix(3))")
        let kinds = Set(try await wrong(place).values)
        // A reversed refund, and a non-renewing purchase: version 1 reports neither.
        #expect(kinds == ["revoked for expired", "nothing for lapsed"])
        let ids = Self.reported.ids(at: AskedApple.now)
        let answers = ids.compactMap { Self.reported.verifyReceipt(of: $0, at: AskedApple.now) }
        let summary = try await place.ingest(answers)
        #expect(summary.errors.isEmpty, "\(summary.errors.prefix(3))")
        let untrue = try await wrong(place)
        #expect(untrue == [:], "\(untrue)")
        // Both are true, at different times.
        let contradictions = try await notices("contradiction", place)
        #expect(contradictions == [:], "\(contradictions)")
        let unconfirmed = try await notices("unconfirmedStatement", place)
        #expect(unconfirmed == [:], "\(unconfirmed)")
    }

    @Test("Versions 1 and 2 of the same lives never contradict each other")
    func together() async throws {
        let place = try StoredReceipts.place()
        var lines: [[UInt8]] = []
        var refunded: Set<String> = []
        var stream = HistoryStream(AskedApple.productionPlan)
        while case let page = stream.next(), !page.isEmpty {
            for delivery in page.map(\.delivery)
            where delivery.signedDate.map({ $0 <= AskedApple.now }) == true {
                lines.append(try TestAuthority.signer.line(delivery))
                guard let transaction = delivery.transaction, transaction.revocationDate != nil,
                    let id = transaction.transactionId?.rawValue
                else { continue }
                refunded.insert(id)
            }
        }
        let alone = try await place.ingest(lines)
        #expect(alone.errors.isEmpty, "\(alone.errors.prefix(3))")
        let before = try await notices("contradiction", place)
        let states = try await wrong(place)
        let summary = try await place.ingest(try Self.notifications.get())
        #expect(summary.errors.isEmpty, "\(summary.errors.prefix(3))")
        #expect(summary.appended > 100)
        #expect(try await notices("contradiction", place) == before)
        #expect(try await wrong(place) == states)
        // A refund that only version 1 reports has no signed evidence.
        let unconfirmed = try await notices("unconfirmedStatement", place).values.joined()
        for message in unconfirmed where message.contains("refunded") {
            let words = message.split(separator: " ")
            let place = try #require(words.firstIndex(of: "transaction"))
            #expect(!refunded.contains(String(words[place + 1])), "\(message)")
        }
    }

    /// Chains with notices of this code, and their messages.
    private func notices(
        _ code: String, _ place: TemporaryLedger
    ) async throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for line in try await place.exportLines(.subscriptions, at: AskedApple.now) {
            let notices = line["notices"]?.array ?? []
            for notice in notices where notice["code"]?.string == code {
                found[line["originalTransactionId"]?.string ?? "", default: []].append(
                    notice["message"]?.string ?? "")
            }
        }
        return found
    }
}
