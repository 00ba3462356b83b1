import AppStore
import Ledger
import Testing

/// What a verifyReceipt response lists in `in_app` alone: Apple decodes the receipt that was sent,
/// however old it is (`Lifecycle.md` §7).
@Suite("The receipt in a verifyReceipt response")
struct SubmittedReceiptTests {
    /// The facts of a response to a request of one day, about a receipt created on another.
    private func response(
        on requested: Int64, created: Int64?, live: [String] = [], sent: [String]
    ) throws -> [Fact] {
        let creation = created.map { date("receipt_creation_date", day($0)) } ?? ""
        let text = """
            {"status":0,"latest_receipt_info":[\(live.joined(separator: ","))],
             "receipt":{"in_app":[\(sent.joined(separator: ","))]\(creation)
              \(date("request_date", day(requested)))}}
            """
        let response = try VerifyReceiptResponse(Array(text.utf8))
        let origin = FactOrigin(
            position: requested, receivedAt: day(requested), trust: .transport, digest: .unset)
        let statements = ReceiptStatements(
            response, origin: origin, statedAt: response.statedAt
        ) { part in
            Digest(words: (UInt64(requested), UInt64(part), 0, 1))
        }
        return statements.parts.map(\.fact)
    }

    /// A purchase of chain "1", from one day until another or forever.
    private func purchase(
        _ id: String, of product: String = "pro.monthly", _ from: Int64, _ to: Int64?,
        cancelled: Int64? = nil
    ) -> String {
        let end = to.map { date("expires_date", day($0)) } ?? ""
        let cancellation = cancelled.map { date("cancellation_date", day($0)) } ?? ""
        return """
            {"transaction_id":"\(id)","original_transaction_id":"1","product_id":"\(product)"
             \(date("purchase_date", day(from)))\(end)\(cancellation)}
            """
    }

    private func date(_ name: String, _ date: Timestamp) -> String {
        ",\"\(name)_ms\":\"\(date.milliseconds)\""
    }

    // MARK: Dates

    @Test("A purchase listed only there is as of the receipt's creation, or its own cancellation")
    func dates() throws {
        let facts = try response(
            on: 40, created: 10, live: [purchase("3", 30, 60)],
            sent: [
                purchase("1", 0, 30), purchase("2", 5, 35, cancelled: 20), purchase("3", 30, 60),
            ])
        #expect(facts.map { $0.transaction?.signedDate } == [day(10), day(20), nil])
        #expect(facts.allSatisfy { $0.signedDate == day(40) })
    }

    @Test(
        "Without a creation date, or with a later one, it is as of the request",
        arguments: [nil, 50])
    func requestDate(created: Int64?) throws {
        let facts = try response(on: 40, created: created, sent: [purchase("1", 0, 30)])
        #expect(facts.map { $0.transaction?.signedDate } == [day(40)])
    }

    // MARK: Refunds

    @Test("An old receipt does not reverse a refund; a newer one does", arguments: [nil, 60])
    func oldReceipt(end: Int64?) throws {
        let catalogue = Catalogue(products: [ProductId("pro.monthly"): .init()])
        let refunded = try response(
            on: 25, created: 25, sent: [purchase("1", 5, end, cancelled: 20)])
        let old = try response(on: 40, created: 5, sent: [purchase("1", 5, end)])
        let life = given(refunded + old, catalogue: catalogue)
        #expect(life.state(day(45)) == .revoked)
        #expect(life.timelineEvents(.refunded).map(\.at) == [day(20)])
        #expect(life.timelineEvents(.refundReversed).isEmpty)
        let new = try response(on: 50, created: 50, sent: [purchase("1", 5, end)])
        let reversed = given(refunded + old + new, catalogue: catalogue)
        #expect(reversed.state(day(49)) == .revoked)
        #expect(reversed.state(day(51)) == (end == nil ? .owned : .subscribed))
    }

    @Test("A refund that version 1 states later than the receipt remains unconfirmed")
    func refundOfVersionOne() throws {
        var refund = Fact.reported(.notificationV1, type: .refund, at: day(20)).trusted(.secret)
        refund.transaction = .period("1", day(5), day(35))
        let old = try response(on: 30, created: 6, sent: [purchase("1", 5, 35)])
        let notices = given([refund.revoked(day(20))] + old).notices(.unconfirmedStatement)
        #expect(notices.map(\.from) == [day(20)])
        #expect(notices.map(\.to) == [nil])
    }

    @Test("Nor does an old receipt withdraw a refund that a response stated beside signed data")
    func refundBesideSigned() throws {
        let bought = Fact.subscribed("1", day(5), day(35))
        let refunded = try response(
            on: 25, created: 25, live: [purchase("1", 5, 35, cancelled: 20)], sent: [])
        let old = try response(on: 30, created: 6, sent: [purchase("1", 5, 35)])
        let notices = given([bought] + refunded + old).notices(.unconfirmedStatement)
        #expect(notices.map(\.from) == [day(25)])
    }

    @Test("A reversal is dated by the receipt that shows it, in timeline, state and money")
    func reversalDate() throws {
        let refunded = try response(
            on: 25, created: 25, sent: [purchase("1", 5, 60, cancelled: 20)])
        let reversed = try response(on: 50, created: 40, sent: [purchase("1", 5, 60)])
        let life = given(refunded + reversed)
        let states: [Start] = [
            Start(.subscribed, day(5)), Start(.revoked, day(20)), Start(.subscribed, day(40)),
            Start(.expired, day(60)),
        ]
        expectHistory(life, states)
        #expect(life.timelineEvents(.refundReversed).map(\.at) == [day(40)])
        let reversals = [39, 41].map { reported(life, .refunds, limit: day($0))["reversals"] }
        #expect(reversals == [nil, 1])
    }

    @Test("A refund stated by a receipt that was requested late holds until signed data denies it")
    func requestedLate() throws {
        let bought = Fact.transaction("1", day(5), day(35), at: day(30))
        let refunded = try response(
            on: 50, created: 25, sent: [purchase("1", 5, 35, cancelled: 20)])
        let life = given([bought] + refunded)
        let notices = life.notices(.unconfirmedStatement)
        #expect(notices.map(\.from) == [day(25)])
        #expect(notices.map(\.to) == [day(30)])
        // A receipt created after the signed statement contradicts it.
        let again = try response(
            on: 55, created: 40, sent: [purchase("1", 5, 35, cancelled: 20)])
        let contradicted = given([bought] + refunded + again).notices(.contradiction)
        #expect(contradicted.map(\.from) == [day(25)])
        #expect(contradicted.map(\.to) == [nil])
    }

    @Test("The first statement of a refund is the one of the oldest receipt, also if sent last")
    func firstStatement() throws {
        let bought = Fact.subscribed("1", day(5), day(35))
        let cancelled = [purchase("1", 5, 35, cancelled: 20)]
        let newer = try response(on: 40, created: 30, sent: cancelled)
        let older = try response(on: 50, created: 25, sent: cancelled)
        let notices = given([bought] + newer + older).notices(.unconfirmedStatement)
        #expect(notices.map(\.from) == [day(25)])
        #expect(notices.map(\.evidence) == [[1, 50]])
    }

    // MARK: Ends

    @Test("A later end is dated by the receipt that states it")
    func silentExtension() throws {
        let first = try response(on: 25, created: 25, sent: [purchase("1", 5, 35)])
        let later = try response(on: 50, created: 30, sent: [purchase("1", 5, 60)])
        let extended = given(first + later).timelineEvents(.extended)
        #expect(extended.map(\.at) == [day(30)])
    }

    @Test("The end that an old receipt states is no different one after an extension")
    func extended() throws {
        let old = try response(on: 30, created: 6, sent: [purchase("1", 5, 35)])
        let prolonged = Fact.transaction("1", day(5), day(40), at: day(20))
        #expect(given([prolonged] + old).notices(.contradiction).isEmpty)
    }

    // MARK: Upgrades

    @Test(
        "A purchase listed only there, cancelled when another product was bought, was replaced",
        arguments: [12, nil])
    func replaced(created: Int64?) throws {
        let basic = purchase("1", of: "basic", 0, 30, cancelled: 10)
        let pro = purchase("2", of: "pro", 10, 40)
        let sent = try response(on: 12, created: created, live: [pro], sent: [basic, pro])
        let life = given(sent)
        #expect(life.timelineEvents(.refunded).isEmpty)
        #expect(life.timelineEvents(.upgraded).map(\.at) == [day(10)])
        #expect(life.state(day(11)) == .renewing)
        // The live list has a field for upgrades: there it was refunded.
        let live = try response(on: 14, created: created, live: [basic, pro], sent: [basic, pro])
        for facts in [live, sent + live] {
            #expect(given(facts).timelineEvents(.refunded).map(\.at) == [day(10)])
        }
    }
}
