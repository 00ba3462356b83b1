import AppStore
import AppStoreAPI
import LedgerStore
import Testing

@testable import AppleSync

@Suite("Requests of a recovery")
struct RecoveryPlanTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)

    private func plan(
        hours: Int64, _ change: (inout RecoveryRequest) -> Void = { _ in }
    ) -> RecoveryPlan {
        var request = RecoveryRequest(
            bundleId: BundleId("com.example.app"), environment: .production,
            from: RecoveryPlanTests.start,
            to: RecoveryPlanTests.start.advanced(byMilliseconds: hours * 3_600_000))
        change(&request)
        return RecoveryPlan(request)
    }

    @Test("one page is requested first; if there are more, urgent types, then everything")
    func order() throws {
        let plan = plan(hours: 72)
        #expect(plan.first.count == 1)
        #expect(plan.question(plan.first[0]).notificationType == nil)
        let pieces = try #require(plan.pieces(of: plan.first[0], now: plan.to))
        let urgent = pieces.filter { $0.pass < RecoveryPlan.everything }
        let names = urgent.map { piece in
            let question = plan.question(piece)
            return (question.notificationType?.rawValue ?? "")
                + (question.notificationSubtype.map { ".\($0.rawValue)" } ?? "")
        }
        #expect(
            names == [
                "DID_RENEW", "DID_RENEW.BILLING_RECOVERY", "EXPIRED", "EXPIRED.VOLUNTARY",
                "EXPIRED.BILLING_RETRY", "EXPIRED.PRICE_INCREASE", "EXPIRED.PRODUCT_NOT_FOR_SALE",
            ])
        #expect(urgent.allSatisfy { $0.from == plan.from && $0.to == plan.to })
        let rest = pieces.filter { $0.pass == RecoveryPlan.everything }
        #expect(rest.count == Int(RecoveryPlan.sliceCount))
        #expect(rest.allSatisfy { plan.question($0).notificationType == nil })
    }

    @Test("slices cover the window without gap and overlap", arguments: [1, 2, 5, 72, 4_320])
    func cover(_ hours: Int64) throws {
        let plan = plan(hours: hours)
        let pieces = try #require(plan.pieces(of: plan.first[0], now: plan.to))
            .filter { $0.pass == RecoveryPlan.everything }
        #expect(pieces.first?.from == plan.from)
        #expect(pieces.last?.to == plan.to)
        for (one, next) in zip(pieces, pieces.dropFirst()) {
            #expect(one.to == next.from)
            #expect(one.from < one.to)
            #expect(one.to.milliseconds % 1_000 == RecoveryPlan.oddMilliseconds)
        }
    }

    @Test("slices are no shorter than a minute: at the bound two, below it one")
    func shortest() throws {
        for (milliseconds, count) in [(120_000, 2), (119_999, 1)] {
            var request = plan(hours: 1).request
            request.to = request.from.advanced(byMilliseconds: Int64(milliseconds))
            let plan = RecoveryPlan(request)
            let pieces = try #require(plan.pieces(of: plan.first[0], now: plan.to))
            #expect(pieces.count(where: { $0.pass == RecoveryPlan.everything }) == count)
        }
    }

    @Test("a window that reaches into the future is cut before now, and still ends at its end")
    func future() throws {
        let plan = plan(hours: 48)
        let now = RecoveryPlanTests.start.advanced(byMilliseconds: 3_600_000)
        let pieces = try #require(plan.pieces(of: plan.first[0], now: now))
            .filter { $0.pass == RecoveryPlan.everything }
        #expect(pieces.dropLast().allSatisfy { $0.to <= now })
        #expect(pieces.last?.to == plan.to)
    }

    @Test("a slice is cut once, and not while being walked")
    func once() throws {
        let plan = plan(hours: 72)
        let pieces = try #require(plan.pieces(of: plan.first[0], now: plan.to))
        let small = try #require(pieces.last)
        #expect(plan.pieces(of: small, now: plan.to) == nil)
        var walked = plan.first[0]
        walked.place = "somewhere"
        #expect(plan.pieces(of: walked, now: plan.to) == nil)
    }

    @Test("one customer's window stays whole, and types are requested one by one")
    func filters() throws {
        let one = plan(hours: 72) { $0.id = "1" }
        #expect(one.question(one.first[0]).transactionId == "1")
        #expect(one.pieces(of: one.first[0], now: one.to)?.count == 1)
        let typed = plan(hours: 72) { $0.types = RecoveryType.all(of: .subscribed) }
        #expect(typed.first.count == 3)
        #expect(typed.first.allSatisfy { typed.isCounted($0.pass) })
        #expect(typed.question(typed.first[2]).notificationSubtype?.value == .resubscribe)
        let failures = plan(hours: 72) { $0.onlyFailures = true }
        #expect(failures.question(failures.first[0]).onlyFailures == true)
    }

    @Test(
        "a list of types is parsed completely or not at all",
        arguments: [
            ("DID_RENEW", 2), ("DID_RENEW,DID_RENEW.BILLING_RECOVERY", 2), ("TEST", 1),
            ("EXPIRED.VOLUNTARY", 1), ("", nil), ("EXPIRED.UPGRADE", nil), ("NOTHING", nil),
            ("EXPIRED,NOTHING", nil), ("EXPIRED.", nil), ("EXPIRED.VOLUNTARY.X", nil),
            // Apple lists two subtypes of it.
            ("OFFER_REDEEMED", 3), ("OFFER_REDEEMED.RESUBSCRIBE", nil),
        ] as [(String, Int?)])
    func types(_ text: String, _ count: Int?) {
        #expect(RecoveryType.read(text)?.count == count)
    }

    @Test("expired history is cut off, unless that is all or nothing")
    func tooOld() {
        let day: Int64 = 86_400_000
        let plan = plan(hours: 48)
        func cut(_ now: Timestamp) -> RecoveryPlan? { plan.cut(at: now, marginMilliseconds: 5) }
        #expect(cut(plan.from.advanced(byMilliseconds: 179 * day)) == nil)
        let shorter = cut(plan.from.advanced(byMilliseconds: 181 * day))
        #expect(shorter?.from == plan.from.advanced(byMilliseconds: day + 5))
        #expect(shorter?.to == plan.to)
        #expect(cut(plan.to.advanced(byMilliseconds: 180 * day)) == nil)
    }
}
