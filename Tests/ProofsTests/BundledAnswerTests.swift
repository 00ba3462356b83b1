import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Testing

@testable import Proofs

@Suite("The sentence that states a proven answer")
struct BundledAnswerTests {
    private static let time = Timestamp(milliseconds: 1_768_046_400_000)
    /// An id or a value that reads as the rest of such a sentence.
    private static let words = "a at 2026-09-20T00:00:00.000Z: active, \"pro\""
    private static let quoted = #""a at 2026-09-20T00:00:00.000Z: active, \"pro\"""#

    private static func sentence(_ subject: BundleQuery.Subject, _ value: JSONValue) -> String {
        ProofBundle.Answer(
            query: BundleQuery(subject: subject, at: time, now: time, knownPosition: 3),
            reducerVersion: 1, catalogue: .null, value: value
        ).summary(by: [:])
    }

    @Test("No id, filter or entitlement can pass for words of it")
    func quotes() throws {
        let (words, quoted) = (BundledAnswerTests.words, BundledAnswerTests.quoted)
        let standing = try JSONValue.parse(
            Array(#"{"entitlements":[{"active":true,"entitlement":\#(quoted)}]}"#.utf8))
        let end = "at 2026-01-10T12:00:00.000Z, as known at position 3:"
        let customer = BundledAnswerTests.sentence(.customer(CustomerId(words)), standing)
        #expect(customer == "customer \(quoted) \(end) no standing, \(quoted)")
        let chain = ChainId(
            bundleId: BundleId(words), originalTransactionId: OriginalTransactionId(words))
        let subscription = BundledAnswerTests.sentence(.subscription(chain, askedAs: "a,b"), .null)
        #expect(
            subscription.hasPrefix(
                "subscription \(quoted) (asked as \"a,b\") of \(quoted) \(end) "))
        let cell = BundledCell(
            name: "churn", isPaid: false, column: "new", from: BundledAnswerTests.time,
            to: BundledAnswerTests.time, timeZone: "UTC", group: ["group=a b"],
            filters: ["app=com.example.app", "group=a, b"], chains: [])
        let amount = BundledAnswerTests.sentence(.cell(cell), .null)
        #expect(
            amount.contains(
                ", group \"group=a b\", only where app=com.example.app, \"group=a, b\", days in"))
    }

    @Test("It says where access rests on leeway or a grant, and when a later time was expected")
    func bases() throws {
        let time = BundledAnswerTests.time
        let entries = ["period", "grace", "leeway", "owned", "grant"].map {
            #"{"active":true,"basis":"\#($0)","entitlement":"\#($0)s"}"#
        }
        let standing = try JSONValue.parse(
            Array(#"{"entitlements":[\#(entries.joined(separator: ","))]}"#.utf8))
        for (more, expectation) in [(0, ""), (1, ", expected at 2026-01-10T12:00:00.000Z")] {
            let answer = ProofBundle.Answer(
                query: BundleQuery(
                    subject: .customer(CustomerId("anna")),
                    at: time.advanced(byMilliseconds: Int64(more)), now: time, knownPosition: 3),
                reducerVersion: 1, catalogue: .null, value: standing)
            #expect(
                answer.summary(by: [:])
                    == "customer anna at 2026-01-10T12:00:00.00\(more)Z\(expectation), as known at"
                    + " position 3: no standing, periods, graces, leeways (by leeway), owneds,"
                    + " grants (by a grant)")
        }
    }

    @Test("The check names the operator's settings that the answer rests on")
    func settings() async throws {
        let chain = MadeChain()
        var ledger = try TemporaryLedger()
        ledger.configuration.catalogue = Catalogue(
            products: [ProductId("a"): Catalogue.Product()], leewayMilliseconds: 86_400_000)
        ledger.configuration.catalogue.minimumTrust = .signed
        _ = try await ledger.ingest([chain.bought()])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        try await ledger.session { session in
            let (maker, _) = ProvenStory.maker(session, key)
            let bundle = try await maker.subscription(
                chain.id, bundleId: nil, moment: Moment(at: nil, now: ledger.now))
            let settings =
                "by the operator's settings: leeway PT24H, minimum trust signed, 1 product"
            #expect(bundle.answer?.settings == settings)
            let line = ProvenStory.check(bundle).lines.first { $0.part == "answer" }
            #expect(line?.isGood == true && line?.text.hasSuffix(", \(settings).") == true)
        }
    }

    @Test("The settings name durations, periods and the Small Business Program, quoted")
    func namedSettings() throws {
        let (month, pass) = (ISO8601Period("P1M"), ISO8601Period("P30D"))
        var catalogue = Catalogue()
        catalogue.smallBusinessProgram[BundleId(MadeChain.app)] = []
        for index in 0..<10 {
            catalogue.products[ProductId("p\(index)")] = Catalogue.Product(period: month)
        }
        catalogue.products[ProductId("z<b>")] = Catalogue.Product(period: month)
        catalogue.products[ProductId("pass")] = Catalogue.Product(duration: pass)
        // What the answer names is among the ten that are listed.
        for answer in [
            #"{"productId":"z<b>"}"#, #"{"entitlements":[{"productId":"z<b>"}]}"#,
        ] {
            let words = catalogue.bundleWords(of: try JSONValue.parse(Array(answer.utf8)))
            let periods = (0..<9).map { ", of p\($0) P1M" }.joined()
            #expect(
                words.hasSuffix(
                    ", 12 products; duration of pass P30D; period of \"z<b>\" P1M\(periods)"
                        + " and 1 more; Small Business Program of 1 app"))
        }
    }

    @Test("A leeway that no configuration allows is refused")
    func otherLeeway() throws {
        let longest = Catalogue.longestLeewayMilliseconds
        for (leeway, isRead) in [
            (0, true), (longest, true), (longest + 1_000, false), (999, false), (-1, false),
            (-5_000, false), (.max, false),
        ] {
            let catalogue = Catalogue(leewayMilliseconds: leeway)
            let read = Catalogue(bundled: try JSONValue.parse(catalogue.canonicalBytes))
            #expect((read == catalogue) == isRead, "\(leeway)")
        }
    }

    @Test("The leeway is written in its shortest form, and read in seconds alone, too")
    func leeway() async throws {
        let chain = MadeChain()
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought()])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let bundle = try await ledger.session { session in
            try await ProvenStory.maker(session, key).0.subscription(
                chain.id, bundleId: nil, moment: Moment(at: nil, now: ledger.now))
        }
        // As earlier releases wrote it.
        var answer = try #require(bundle.answer)
        answer.hasLeewayInSeconds = true
        let earlier = try ProofBundle(
            environment: bundle.environment, checkpoint: bundle.checkpoint, key: bundle.key,
            events: bundle.events, answer: answer
        ).sealed(by: key)
        for (written, text) in [(bundle, "PT2H"), (earlier, "PT7200S")] {
            let file = String(decoding: written.bytes, as: UTF8.self)
            #expect(file.contains(#""leeway":"\#(text)""#))
            #expect(ProvenStory.check(try ProofBundle(written.bytes)).isProven)
            let other = file.replacing(#""\#(text)""#, with: #""PT120M""#)
            #expect(throws: ProofError.self) { try ProofBundle(Array(other.utf8)) }
        }
    }

    @Test("A state at a later time is proven as expected when its events had arrived, not before")
    func expected() async throws {
        // given
        let chain = MadeChain()
        let off = chain.turnedOff(0)
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), off])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let day: Int64 = 86_400_000
        let (early, late) = (
            chain.start.advanced(byMilliseconds: 5 * day),
            chain.start.advanced(byMilliseconds: 12 * day)
        )
        let at = chain.start.advanced(byMilliseconds: 25 * day)
        // A clock that was set back, and one that was not.
        for (now, stated) in [(early, off.receivedAt), (late, late)] {
            // when
            let bundle = try await ledger.session { session in
                try await ProvenStory.maker(session, key).0.subscription(
                    chain.id, bundleId: nil, moment: Moment(at: at, now: now))
            }
            let answer = try #require(bundle.answer)
            // then
            #expect(answer.query.now == stated)
            #expect(answer.value["willRenew"]?.bool == false)
            let words = ", expected at \(stated.rfc3339), as known at"
            #expect(answer.summary(by: [:]).contains(words))
            #expect(ProvenStory.check(try ProofBundle(bundle.bytes)).isProven)
            try checkRefused(bundle, now: early, key)
        }
    }

    @Test("A customer's answer at a later time is proven when its events had arrived, not before")
    func expectedOfCustomer() async throws {
        let customer = CustomerId(token: "0ab11111-2222-4333-8444-555555555555")
        let chain = MadeChain(appAccountToken: customer.rawValue)
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought()])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let (early, at) = (chain.start, chain.start.advanced(byMilliseconds: 86_400_000))
        let bundle = try await ledger.session { session in
            try await ProvenStory.maker(session, key).0.customer(
                customer, moment: Moment(at: at, now: early))
        }
        let arrived = chain.bought().receivedAt
        let answer = try #require(bundle.answer)
        #expect(answer.query.now == arrived && arrived > early)
        #expect(answer.summary(by: [:]).contains(", expected at \(arrived.rfc3339), as known at"))
        #expect(ProvenStory.check(try ProofBundle(bundle.bytes)).isProven)
        try checkRefused(bundle, now: early, key)
    }

    @Test("A state at a later time is not proven as expected before its events were signed")
    func signedLater() async throws {
        let chain = MadeChain()
        var off = chain.turnedOff(0)
        let (early, late) = (chain.start(0, 86_400_000), chain.start(0, 10 * 86_400_000))
        // The operator states an arrival before the signature.
        off.receivedAt = early
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), off])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let bundle = try await ledger.session { session in
            try await ProvenStory.maker(session, key).0.subscription(
                chain.id, bundleId: nil,
                moment: Moment(at: chain.start(0, 25 * 86_400_000), now: early))
        }
        // Clocks differ.
        let now = late.advanced(byMilliseconds: -BundleQuery.clockLeadMilliseconds)
        #expect(bundle.answer?.query.now == now)
        #expect(ProvenStory.check(bundle).isProven)
        try checkRefused(bundle, now: now.advanced(byMilliseconds: -1), key)
    }

    /// A bundle whose key's owner states that it was asked before its events arrived is refused.
    func checkRefused(
        _ bundle: ProofBundle, now: Timestamp, _ key: NoteSignerKey
    ) throws {
        let answer = try #require(bundle.answer)
        var query = answer.query
        query.now = now
        let other = try ProofBundle(
            environment: bundle.environment, checkpoint: bundle.checkpoint, key: bundle.key,
            events: bundle.events,
            answer: ProofBundle.Answer(
                query: query, reducerVersion: answer.reducerVersion,
                catalogue: answer.catalogue, value: answer.value)
        ).sealed(by: key)
        let bad = ProvenStory.check(other).lines.filter { !$0.isGood }
        #expect(bad.map(\.part) == ["answer"])
        #expect(bad.first?.text.contains("arrived after `now`") == true)
    }

    @Test("Only a cell of churn is one of paid chains")
    func paid() throws {
        for (name, isRead) in [("churn", true), ("mrr", false)] {
            let cell = BundledCell(
                name: name, isPaid: true, column: "new", from: BundledAnswerTests.time,
                to: BundledAnswerTests.time, timeZone: "UTC", group: [], filters: [], chains: [])
            let json = JSONWriter.object { cell.writeMembers(to: &$0) }
            let read = BundledCell(try JSONValue.parse(json))
            #expect((read == cell) == isRead)
        }
    }

    @Test("A cell of one app is proven as such, in its query and in the sentence")
    func app() async throws {
        let (one, other) = (MadeChain(), MadeChain(id: "600000000000001", bundleId: "com.other"))
        let ledger = try TemporaryLedger(apps: [one.bundleId, other.bundleId])
        _ = try await ledger.ingest([one.bought(), other.bought()])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let (ofOne, ofOther) = ("app=\(one.bundleId)", "app=\(other.bundleId)")
        let cases: [(app: String?, filters: [String], stated: [String], amount: Int64)] = [
            (nil, [], [], 2), (nil, [ofOther], [ofOther], 1), (one.bundleId, [], [ofOne], 1),
            (one.bundleId, [ofOther, ofOne], [ofOne], 1),
            (one.bundleId, ["country=USA"], ["country=USA", ofOne], 1),
        ]
        try await ledger.session { session in
            let (maker, _) = ProvenStory.maker(session, key)
            func made(_ app: String?, _ filters: [String]) async throws -> ProofBundle {
                var parameters = CellParameters(column: "new")
                (parameters.from, parameters.filters) = ("2026-01-01", filters)
                return try await maker.cell(
                    .churn(isPaid: false), parameters, reportTimeZone: "UTC",
                    bundleId: app.map { BundleId($0) },
                    moment: Moment(at: nil, now: TemporaryLedger.end))
            }
            for (app, filters, stated, amount) in cases {
                let bundle = try await made(app, filters)
                let answer = try #require(bundle.answer)
                let cell = try #require(bundle.cell)
                #expect(cell.filters == stated && answer.value["amount"]?.int64 == amount)
                #expect(ProvenStory.check(try ProofBundle(bundle.bytes)).isProven)
                let words = stated.isEmpty ? "" : ", only where \(stated.joined(separator: ", "))"
                #expect(answer.summary(by: [:]).contains("Z\(words), days in UTC"))
            }
            // Of another app alone nothing is found, so that no figure is proven.
            let refused = await #expect(throws: ProofError.self) {
                _ = try await made(one.bundleId, [ofOther])
            }
            #expect(refused?.code == .nothingToProve)
        }
    }
}
