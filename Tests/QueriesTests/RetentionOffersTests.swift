import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import TestSupport
import Testing

@Suite("The results of retention messages")
struct RetentionOffersTests {
    private static let day: Int64 = 86_400_000
    private static let other = "com.example.other"
    private let renewed = MadeChain(id: "690000000000001")
    private let ended = MadeChain(id: "690000000000002")
    /// Its first period runs at `now`.
    private let running = MadeChain(
        id: "690000000000003", start: MadeChain().start.advanced(byMilliseconds: 21 * day))
    private let elsewhere = MadeChain(id: "690000000000004", bundleId: other)
    /// 2026-02-28.
    private let now = Timestamp(milliseconds: 1_772_236_800_000)

    private func shown(
        _ chain: MadeChain, _ rule: String, _ message: String, offer: String? = nil
    ) -> RetentionRecord {
        var record = unanswered(chain, .shown)
        (record.rule, record.message, record.promotionalOffer) = (rule, message, offer)
        return record
    }

    private func unanswered(
        _ chain: MadeChain, _ outcome: RetentionRecord.Outcome
    ) -> RetentionRecord {
        RetentionRecord(
            requestId: "",
            chain: ChainId(
                bundleId: BundleId(chain.bundleId),
                originalTransactionId: OriginalTransactionId(chain.id)),
            at: chain.start.advanced(byMilliseconds: 5 * Self.day), outcome: outcome)
    }

    private func answer(_ rows: String, unknown: Int) throws -> JSONValue {
        let text =
            #"{"definition":"retention-offers/1","environment":"Production","#
            + #""from":"2026-01-10T12:00:00.000Z","to":"2026-02-28T00:00:00.000Z","rows":[\#(rows)],"#
            + #""unanswered":{"noRule":2,"unknownChain":\#(unknown),"unavailable":0,"late":3}}"#
        return try JSONValue.parse(Array(text.utf8))
    }

    private func row(_ rule: String, _ message: String, _ offer: String?, _ counts: [Int]) -> String
    {
        let name = offer.map { "\"\($0)\"" } ?? "null"
        return #"{"rule":"\#(rule)","message":"\#(message)","promotionalOffer":\#(name),"#
            + #""shown":\#(counts[0]),"kept":\#(counts[1]),"lost":\#(counts[2]),"open":\#(counts[3])}"#
    }

    @Test("Rows are by rule, message and offer, with what became of each; an app has its own")
    func counts() async throws {
        // given
        let ledger = try TemporaryLedger(apps: [MadeChain.app, Self.other])
        _ = try await ledger.ingest([
            renewed.bought(), renewed.renewed(1), elsewhere.bought(), elsewhere.renewed(1),
            ended.bought(), ended.turnedOff(0), ended.expired(0), running.bought(),
        ])
        var records = [
            shown(renewed, "b", "m2"), shown(renewed, "a", "m2"), shown(ended, "a", "m2"),
            shown(running, "a", "m2"), shown(elsewhere, "a", "m2"),
            shown(ended, "a", "m1", offer: "half"), shown(renewed, "a", "m1"),
            unanswered(elsewhere, .unknownChain),
        ]
        records += (0..<2).map { _ in unanswered(renewed, .noRule) }
        records += (0..<3).map { _ in unanswered(renewed, .late) }
        for index in records.indices { records[index].requestId = "r\(index)" }
        // when
        let (all, own) = try await ledger.session { [records] session in
            let operations = session.ledger.operations
            let erasures = try await operations.erasureCount()
            let isKept = try await operations.keep(records, erasures: erasures)
            #expect(isKept)
            var answers: [JSONValue] = []
            for bundleId in [nil, BundleId(MadeChain.app)] {
                let offers = try await session.snapshot.retentionOffers(
                    from: renewed.start, to: now, now: now, bundleId: bundleId)
                let json = try TemporaryLedger.json { offers.write(to: &$0) }
                answers.append(json.without("position"))
            }
            return (answers[0], answers[1])
        }
        // then
        let before = [row("a", "m1", nil, [1, 1, 0, 0]), row("a", "m1", "half", [1, 0, 1, 0])]
        let after = row("b", "m2", nil, [1, 1, 0, 0])
        let ofAll = before + [row("a", "m2", nil, [4, 2, 1, 1]), after]
        let ofOne = before + [row("a", "m2", nil, [3, 1, 1, 1]), after]
        let (everyApp, oneApp) = (ofAll.joined(separator: ","), ofOne.joined(separator: ","))
        #expect(try all == answer(everyApp, unknown: 1))
        #expect(try own == answer(oneApp, unknown: 0))
    }
}
