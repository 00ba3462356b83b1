import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import TestSupport
import Testing
import subledger

/// The text output for support, for lives from stories.
@Suite("show and timeline for people")
struct SupportTextTests {
    private struct Texts {
        var timeline: [String]
        var show: [String]
    }

    private func texts(_ name: String, _ id: String, at: String? = nil) async throws -> Texts {
        try await texts(name, (id, at))[0]
    }

    /// The texts about several ids and times of one story.
    private func texts(
        _ name: String, _ asked: (id: String, at: String?)...
    ) async throws -> [Texts] {
        let story = try StoryTelling.story(name)
        var reporting = try await StoryTelling(story)
        try await reporting.take(
            try story.deliveries.map { try $0.line(signedBy: TestAuthority.shared) })
        func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
        let texts = try await reporting.session { session in
            var texts: [Texts] = []
            for (id, at) in asked {
                let time = try at.map { try Timestamp.stated($0) }
                let reading = try await session.snapshot.reading(
                    id, moment: Moment(at: time, now: StoryCheck.end))
                texts.append(
                    Texts(
                        timeline: lines(reading.timelineText()), show: lines(reading.showText())))
            }
            return texts
        }
        await reporting.scratch.remove()
        return texts
    }

    private func expect(
        _ lines: [String], _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            lines.contains { line in parts.allSatisfy { line.contains($0) } },
            "\(lines.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    // MARK: Refunds

    private let refunded = "refund-of-old-period-while-new-one-runs"

    @Test("A refund has its amount, transaction and period")
    func refund() async throws {
        let texts = try await texts(refunded, "400001000003001")
        expect(
            texts.timeline,
            "refunded 9.99 USD of com.example.pro.monthly, transaction 400001000003002,"
                + " 2026-02-10T12:00:00.000Z to 2026-03-10T12:00:00.000Z")
        #expect(texts.show.first?.hasPrefix("com.example.app · ") == true)
    }

    @Test("show of a refunded transaction begins with the refund, then the chain")
    func refundedTransaction() async throws {
        let at = "2026-03-25T00:00:00.000Z"
        let texts = try await texts(refunded, "400001000003002", at: at)
        #expect(
            texts.show.first
                == "transaction 400001000003002: refunded on 2026-03-20T16:00:00.000Z, 9.99 USD:"
                + " com.example.pro.monthly, 2026-02-10T12:00:00.000Z to 2026-03-10T12:00:00.000Z")
        #expect(texts.show[1] == "com.example.app · 400001000003001 · Production")
        expect(texts.show, "renewing (has access)")
    }

    @Test("show of a transaction whose period is over says so first; of a current one, nothing")
    func endedTransaction() async throws {
        let at = "2026-03-15T00:00:00.000Z"
        let all = try await texts(
            refunded, ("400001000003002", at), ("400001000003003", at),
            ("400001000003003", "2026-02-01T00:00:00.000Z"))
        let firsts = all.map { $0.show.first ?? "" }
        #expect(
            firsts[0].hasPrefix(
                "transaction 400001000003002: its period ended on 2026-03-10T12:00:00.000Z:"))
        #expect(firsts[1].hasPrefix("com.example.app · "))
        #expect(firsts[2].hasPrefix("transaction 400001000003003: begins later:"))
    }

    @Test("A consumable was purchased, regardless of its consumption")
    func consumable() async throws {
        let all = try await texts(
            "one-time-consumable-refunded", ("400001000033001", nil), ("400001000033002", nil))
        let (kept, refunded) = (all[0], all[1])
        expect(kept.timeline, "● purchased (consumable)  ")
        expect(kept.show, "purchased (consumable) (no access)")
        expect(refunded.timeline, "● purchased (consumable) → revoked (refund)")
        expect(
            refunded.timeline,
            "refunded 3.98 USD of com.example.coins.100, transaction"
                + " 400001000033002, bought on 2026-01-12T18:00:00.000Z")
        expect(refunded.show, "revoked", "refunded 3.98 USD", "transaction 400001000033002")
        #expect(refunded.show.first?.hasPrefix("transaction 400001000033002: refunded on ") == true)
    }

    @Test("A revocation is of an assignment only where a statement of it says so")
    func assignedLater() async throws {
        let chain = MadeChain()
        func day(_ number: Int64) -> Timestamp {
            chain.start.advanced(byMilliseconds: number * 86_400_000)
        }
        for (ownership, type) in [
            (InAppOwnershipType.purchased, "refund"), (.assigned, "assignment"),
        ] {
            let place = try TemporaryLedger()
            _ = try await place.ingest([
                chain.bought(),
                chain.notification(.refund, nil, 0, at: day(2), status: .revoked)
                    .withTransaction {
                        $0.revocationDate = day(2)
                        $0.inAppOwnershipType = Raw(ownership)
                    },
                chain.notification(.refundReversed, nil, 0, at: day(4))
                    .withTransaction { $0.inAppOwnershipType = Raw(.assigned) },
            ])
            let text = try await place.session { session in
                try await session.snapshot.reading(
                    chain.id, moment: Moment(at: day(3), now: day(5))
                ).showText()
            }
            expect(text.split(separator: "\n").map(String.init), "revoked   ", " \(type), 2026-")
        }
    }

    @Test("Of two refunds of one date, show has that of the purchase that governs")
    func refundsOfOneDate() async throws {
        let chain = MadeChain()
        let date = chain.start(1).advanced(byMilliseconds: 86_400_000)
        // The earlier purchase's is signed last.
        let refunds = [(1, Int64(1_000)), (0, 2_000)].map { period, late in
            chain.notification(
                .refund, nil, period, at: date.advanced(byMilliseconds: late), status: .revoked
            ).withTransaction { $0.revocationDate = date }
        }
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought(), chain.renewed(1)] + refunds)
        let text = try await place.session { session in
            try await session.snapshot.reading(
                chain.id, moment: Moment(at: date, now: chain.start(2))
            ).showText()
        }
        expect(
            text.split(separator: "\n").map(String.init), "revoked   ",
            ", transaction \(chain.transactionId(1)), ")
    }

    // MARK: Changes and ends

    @Test("A cancelled change of product has both products, and the proving events")
    func cancelledChange() async throws {
        let texts = try await texts("downgrade-cancelled", "400001000019001")
        expect(
            texts.timeline,
            "productChangeCancelled com.example.pro.monthly → com.example.basic.monthly",
            "event 3 DID_CHANGE_RENEWAL_PREF, signed", "; event 2 DID_CHANGE_RENEWAL_PREF/DOWNGRADE"
        )
    }

    @Test("An unconfirmed end is marked as such, with the start of its notice")
    func unconfirmed() async throws {
        let texts = try await texts("expiry-by-clock-renewal-overdue", "400001000010001")
        expect(
            texts.timeline,
            "renewing → expired (unconfirmed: the period elapsed, no end was reported)")
        expect(texts.show, "reason", "unconfirmed: the period elapsed")
        expect(
            texts.show, "! renewalOverdue, since 2026-03-10T12:00:00.000Z, about",
            "com.example.pro.monthly, transaction 400001000010002,"
                + " 2026-02-10T12:00:00.000Z to 2026-03-10T12:00:00.000Z:")
    }

    @Test("While leeway gives access, show names it and its end")
    func leeway() async throws {
        let id = "400001000010001"
        let all = try await texts(
            "expiry-by-clock-renewal-overdue", (id, "2026-03-10T13:59:59.999Z"),
            (id, "2026-03-10T14:00:00.000Z"))
        let access = ["access by leeway until 2026-03-10T14:00:00.000Z", "no access"]
        for (texts, access) in zip(all, access) {
            expect(texts.show, "expired (\(access)) since 2026-03-10T12:00:00.000Z")
        }
    }

    @Test("The end of a period lists the events of its date and of its reason")
    func causes() async throws {
        let texts = try await texts("expiry-voluntary", "400001000009001")
        expect(
            texts.timeline, "subscribed → expired (voluntary)", "event 5 EXPIRED/VOLUNTARY, signed",
            "; event 1 SUBSCRIBED/INITIAL_BUY")
        expect(texts.show, "reason", "voluntary")
    }

    // MARK: Missing data

    @Test("show at a moment within a gap says that there is no data")
    func gap() async throws {
        let id = "400002000033001"
        let all = try await texts(
            "sandbox-long-gap", (id, "2026-01-05T12:07:00.000Z"),
            (id, "2026-01-05T12:04:59.999Z"), (id, "2026-01-05T12:10:01.000Z"))
        expect(
            all[0].show, "unknown",
            "no data for"
                + " 2026-01-05T12:05:00.000Z to 2026-01-05T12:10:01.000Z: a period is missing")
        expect(all[0].show, "! missingPeriod, since 2026-01-05T12:05:00.000Z:")
        for outside in all[1...] {
            #expect(!outside.show.contains { $0.contains("no data for") })
        }
        let upgraded = try await texts("upgrade-successor-unknown", "400001000017001")
        expect(upgraded.show, "unknown", "from 2026-02-10T12:00:00.000Z on: a period is missing")
    }

    @Test("Before the first known period, the error says why nothing is known")
    func before() async throws {
        let error = await #expect(throws: QueryError.self) {
            _ = try await texts("adopted-mid-life", "400002000031001", at: "2026-01-20T00:00:00Z")
        }
        #expect(error?.code == "noSuchSubscription")
        #expect(error?.message.contains("nothing is known of the time before") == true)
    }

    @Test("Only evidence signed by Apple is shown as signed; verifyReceipt responses are dated")
    func dated() async throws {
        for (name, id) in [
            ("grace-recovery-told-by-a-lower-rank", "400002000092001"),
            ("invented-purchases-of-a-lower-rank", "400002000090001"),
        ] {
            let lines = try await texts(name, id).timeline
            let answers = lines.filter { $0.contains(" verifyReceipt, ") }
            #expect(!answers.isEmpty)
            #expect(answers.allSatisfy { $0.contains("verifyReceipt, dated 20") }, "\(answers)")
            #expect(lines.contains { $0.contains(", signed 20") })
        }
    }
}
