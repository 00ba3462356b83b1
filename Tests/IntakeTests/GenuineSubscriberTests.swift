import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Signing
import TestSupport
import Testing

/// The eight real notifications of one sandbox subscriber; the expected results are derived by hand
/// from their payloads and `Lifecycle.md` §2.
@Suite("A real subscriber", Fixtures.condition)
struct GenuineSubscriberTests {
    static let pro = "com.getsession.org.pro_sub"
    static let threeMonths = "com.getsession.org.pro_sub_3_months"

    /// state, from, to, product, transaction.
    static let intervals = [
        // A RENEWAL signed before its purchaseDate of 07:09:12, the first period known: rule 4.
        "renewing 2025-10-01T07:08:38.835Z 2025-10-01T07:12:12.000Z \(pro) 2000001024998954",
        // No evidence between the two ends: rule 5, nothing failing.
        "expired 2025-10-01T07:12:12.000Z 2025-10-01T07:30:12.000Z \(pro) 2000001024998954",
        "renewing 2025-10-01T07:30:12.000Z 2025-10-01T07:33:12.000Z \(pro) 2000001025012675",
        "expired 2025-10-01T07:33:12.000Z 2025-10-02T07:06:07.000Z \(pro) 2000001025012675",
        "subscribed 2025-10-02T07:06:07.000Z 2025-10-02T07:09:07.000Z \(pro) 2000001025686313",
        "expired 2025-10-02T07:09:07.000Z 2025-10-06T05:16:18.000Z \(pro) 2000001025686313",
        "subscribed 2025-10-06T05:16:18.000Z 2025-10-06T05:16:30.000Z \(threeMonths)"
            + " 2000001027701898",
        // The upgrade begins in a running period: rule 7.
        "renewing 2025-10-06T05:16:30.000Z 2025-10-06T05:19:30.000Z \(pro) 2000001027701928",
        "expired 2025-10-06T05:19:30.000Z null \(pro) 2000001027701928",
    ]

    static let transitions = [
        "null>renewing null", "renewing>expired unconfirmed", "expired>renewing null",
        "renewing>expired voluntary", "expired>subscribed null", "subscribed>expired voluntary",
        "expired>subscribed null", "subscribed>renewing null", "renewing>expired voluntary",
    ]

    private func taken(
        shuffledBy seed: Int = 0, receivedAt: String? = nil
    ) async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger(environment: .sandbox, apps: [Fixtures.subscriberApp])
        ledger.roots = .apple
        var lines: [[UInt8]] = []
        for file in Fixtures.subscriber {
            let token = try Fixtures.text(file)
            let claim = receivedAt.map { #""receivedAt":"\#($0)","# } ?? ""
            lines.append(Array(#"{\#(claim)"signedPayload":"\#(token)"}"#.utf8))
        }
        if seed > 0 { lines = Array(lines[seed...] + lines[..<seed]).reversed() }
        let summary = try await ledger.ingest(lines)
        #expect(summary.appended == 8)
        #expect(summary.position == 8)
        #expect(summary.isClean)
        return ledger
    }

    private func text(_ value: JSONValue?) -> String { value?.string ?? "null" }

    @Test("Its states are those the payloads imply, in any order of arrival", arguments: [0, 3, 6])
    func states(seed: Int) async throws {
        let timeline = try await taken(shuffledBy: seed).timeline(Fixtures.subscriberId)
        let intervals = timeline["intervals"]?.array?.map { interval in
            ["state", "from", "to", "productId", "transactionId"].map { text(interval[$0]) }
                .joined(separator: " ")
        }
        #expect(intervals == GenuineSubscriberTests.intervals)
        let entries = try #require(timeline["entries"]?.array)
        let transitions = entries.filter { $0["kind"]?.string == "state" }.map { entry in
            "\(text(entry["from"]))>\(text(entry["to"])) \(text(entry["reason"]))"
        }
        #expect(transitions == GenuineSubscriberTests.transitions)
    }

    @Test(
        "Events without a state change are in its timeline with the notification that proves them")
    func facts() async throws {
        let timeline = try await taken().timeline(Fixtures.subscriberId)
        let facts = try #require(timeline["entries"]?.array).filter {
            $0["kind"]?.string == "fact"
        }.map { entry in
            "\(text(entry["at"])) \(text(entry["fact"])) \(entry["cause"]?["position"]?.int64 ?? 0)"
        }
        #expect(
            facts == [
                "2025-10-01T07:09:12.000Z renewed 1", "2025-10-01T07:30:12.000Z renewed 2",
                "2025-10-01T07:33:32.269Z autoRenewDisabled 2",
                "2025-10-02T07:07:35.473Z autoRenewDisabled 4",
                "2025-10-06T05:16:30.000Z upgraded 7",
                "2025-10-06T05:17:01.952Z autoRenewDisabled 8",
            ])
    }

    @Test("The gaps between its notifications are notices, which have evidence and begin with them")
    func notices() async throws {
        let ledger = try await taken(receivedAt: "2025-10-01T07:10:00.000Z")
        let show = try await ledger.show(Fixtures.subscriberId)
        let notices = try #require(show["notices"]?.array)
        #expect(show.noticeCodes == ["historyMissingBefore", "missingPeriod", "unexplainedExpiry"])
        #expect(notices[0].evidence == [1])
        #expect(notices[1].evidence == [1, 2])
        #expect(notices[2].evidence == [2])
        func codes(_ at: String) async throws -> [String] {
            let time = try Timestamp.stated(at)
            return try await ledger.show(Fixtures.subscriberId, at: time).noticeCodes
        }
        #expect(try await codes("2025-10-01T07:08:38.835Z") == ["historyMissingBefore"])
        #expect(try await codes("2025-10-01T07:12:11.999Z") == ["historyMissingBefore"])
        // At the start of the gap, so that it is reported inside the gap.
        #expect(
            try await codes("2025-10-01T07:12:12.000Z")
                == ["historyMissingBefore", "missingPeriod"])
        #expect(
            try await codes("2025-10-01T07:33:12.000Z")
                == ["historyMissingBefore", "missingPeriod", "unexplainedExpiry"])
    }

    @Test(
        "A late import is late if it states its arrival, and else says nothing about it")
    func late() async throws {
        let stated = try await taken(receivedAt: "2026-01-01T00:00:00.000Z")
        #expect(try await stated.show(Fixtures.subscriberId).noticeCodes.contains("lateDelivery"))
        let ledger = try await taken()
        let show = try await ledger.show(Fixtures.subscriberId)
        #expect(!show.noticeCodes.contains("lateDelivery"))
        let entries = try await ledger.timeline(Fixtures.subscriberId)["entries"]?.array ?? []
        #expect(!entries.isEmpty)
        #expect(entries.allSatisfy { $0["cause"]?["lateness"]?.isNull == true })
        // Knowledge still begins with the import.
        let before = AsOf.knownAt(ledger.now.advanced(byMilliseconds: -1))
        await #expect(throws: QueryError.self) {
            try await ledger.show(Fixtures.subscriberId, knowledge: before)
        }
    }

    @Test("Attributes are those of the governing period and the newest renewal info")
    func attributes() async throws {
        let ledger = try await taken()
        func show(_ at: String) async throws -> JSONValue {
            let time = try Timestamp.stated(at)
            return try await ledger.show(Fixtures.subscriberId, at: time)
        }
        let first = try await show("2025-10-02T07:06:30.000Z")
        #expect(first["state"]?.string == "subscribed")
        #expect(first["entitled"]?.bool == true)
        #expect(first["appleStatus"]?.int64 == 1)
        #expect(first["willRenew"]?.bool == true)
        #expect(first["cancellation"]?.isNull == true)
        #expect(first["accessUntil"]?.string == "2025-10-02T07:09:07.000Z")
        let cancelled = try await show("2025-10-02T07:08:00.000Z")
        #expect(cancelled["willRenew"]?.bool == false)
        #expect(cancelled["cancellation"]?["reason"]?.string == "voluntary")
        #expect(cancelled["cancellation"]?["at"]?.string == "2025-10-02T07:07:35.473Z")
        let upgraded = try await show("2025-10-06T05:16:35.000Z")
        #expect(upgraded["productId"]?.string == GenuineSubscriberTests.pro)
        #expect(upgraded["accessUntil"]?.string == "2025-10-06T05:19:30.000Z")
        #expect(upgraded["price"]?["milliunits"]?.int64 == 1990)
        #expect(upgraded["price"]?["currency"]?.string == "AUD")
        #expect(upgraded["storefront"]?.string == "AUS")
        let ended = try await show("2025-10-06T05:19:30.000Z")
        #expect(ended["state"]?.string == "expired")
        #expect(ended["appleStatus"]?.int64 == 2)
        #expect(ended["accessUntil"]?.isNull == true)
        #expect(ended.evidence == [7, 8])
    }

    @Test("Before its first period there is no subscription, by any id")
    func beforeTheFirst() async throws {
        let ledger = try await taken()
        let before = try Timestamp.stated("2025-10-01T07:08:38.834Z")
        for id in [Fixtures.subscriberId, "2000001027701928"] {
            let error = await #expect(throws: QueryError.self) {
                try await ledger.show(id, at: before)
            }
            #expect(error?.code == "noSuchSubscription")
            #expect(error?.message.contains("nothing is known of the time before") == true)
        }
    }
}
