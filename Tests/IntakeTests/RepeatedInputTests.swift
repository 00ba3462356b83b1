import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import Signing
import Simulator
import TestSupport
import Testing

@Suite("Repeated and conflicting input")
struct RepeatedInputTests {
    private let chain = MadeChain()

    @Test("A replayed file appends nothing, is clean and changes nothing")
    func replayed() async throws {
        let ledger = try TemporaryLedger()
        let first = try await ledger.ingest(chain.life)
        let before = try await ledger.timeline(chain.id)
        let second = try await ledger.ingest(chain.life)
        #expect(first.appended == 4)
        #expect(second.appended == 0)
        #expect(second.duplicates == 4)
        #expect(second.position == 4)
        #expect(second.isClean)
        #expect(try await ledger.timeline(chain.id) == before)
    }

    /// Evidence of each kind, and the ids of its key by `Log.md`.
    private func evidence() throws -> [(line: [UInt8], kind: EventKind, ids: [String?])] {
        var all: [(line: [UInt8], kind: EventKind, ids: [String?])] = []
        func add(_ line: [UInt8], _ kind: EventKind, _ ids: [String?]) {
            all.append((line, kind, ids))
        }
        func add(_ evidence: Delivery.Evidence, _ kind: EventKind, _ ids: [String?]) throws {
            add(try MadeDelivery(receivedAt: chain.start(1), evidence: evidence).line(), kind, ids)
        }
        func hash(_ bytes: [UInt8]) -> String { SHA256.hash(bytes).hexadecimal }
        let bought = chain.bought()
        add(
            try bought.with { $0.notificationUUID = NotificationUUID("u") }.line(), .notification,
            ["u"])
        let unnamed = Array(try bought.with { $0.notificationUUID = nil }.token().utf8)
        add(unnamed, .notification, [nil, hash(try CompactJWS(parsing: unnamed).payload)])
        let (app, id, paid) = (MadeChain.app, chain.id, chain.transactionId(1))
        let transaction = chain.transaction(1, signed: Timestamp(milliseconds: 1_770_638_400_001))
        let renewal = chain.renewal(1, signed: Timestamp(milliseconds: 1_770_638_400_002))
        try add(.transaction(transaction), .transaction, [app, paid, "1770638400001"])
        let pair: [String?] = [app, id, paid, "1770638400001", "1770638400002"]
        try add(.pair(transaction, renewal, Raw(.expired)), .renewalPair, pair + ["2"])
        try add(.pair(transaction, renewal, nil), .renewalPair, pair + [nil])
        let appTransaction = Array(
            (#"{"receiptType":"Production","bundleId":"com.example.app","appTransactionId":"70","#
                + #""receiptCreationDate":1770638400003,"deviceVerificationNonce":"n"}"#).utf8)
        add(
            Array(try TestAuthority.signer.sign(appTransaction).utf8), .appTransaction,
            [app, "70", "1770638400003", "n"])
        let purchase = ReceiptContents.subscription(
            productId: chain.product, transactionId: id, purchaseDate: chain.start,
            expiresDate: chain.start(1))
        let receipt = try TestAuthority.receipts.sign(
            ReceiptContents(type: .production, creationDate: chain.start, purchases: [purchase]))
        add(receipt, .receipt, [hash(receipt)])
        let response = chain.verifyReceipt(through: 0, at: chain.start)
        add(response, .verifyReceipt, [hash(response)])
        let body = chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start)
        let blank = chain.notificationV1(
            "INITIAL_BUY", through: 0, at: chain.start, password: "")
        add(body, .notificationV1, [hash(blank)])
        return all
    }

    @Test("The key of each kind is made of the documented ids")
    func keys() throws {
        // given
        let place = try StoredReceipts.place()
        let preparation = EventPreparation(
            verifier: place.verifier, packer: EvidencePacker(), apps: place.configuration.apps,
            environment: .production, source: .import)
        for (line, kind, ids) in try evidence() {
            // when
            let submission = try #require(try InputLine.submissions(line, input: "input").first)
            let prepared = preparation.prepare(submission, now: place.now)
            // then
            guard case .event(let event, _) = prepared else {
                Issue.record("\(kind) is refused")
                continue
            }
            #expect(event.attributes.kind == kind)
            #expect(event.key == EventKey.make(kind, ids), "\(kind)")
        }
    }

    @Test("Signed again by Apple, the same claims are still a duplicate")
    func signedAgain() async throws {
        let ledger = try TemporaryLedger()
        let (one, two) = (try chain.bought().line(), try chain.bought().line())
        #expect(one != two)
        let summary = try await ledger.ingest([one, two])
        #expect(summary.appended == 1)
        #expect(summary.duplicates == 1)
    }

    /// The same token with the other form of its signature: n − s for s.
    private func otherForm(_ token: String) throws -> String {
        let jws = try CompactJWS(parsing: Array(token.utf8))
        // The order of P-256 (SEC 2 §2.4.2).
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        var difference: [UInt8] = []
        var borrow = 0
        for index in (0..<32).reversed() {
            let place = order.index(order.startIndex, offsetBy: index * 2)
            let digit = Int(order[place...].prefix(2), radix: 16) ?? 0
            let rest = digit - Int(jws.signature[32 + index]) - borrow
            borrow = rest < 0 ? 1 : 0
            difference.insert(UInt8(truncatingIfNeeded: rest), at: 0)
        }
        return String(
            decoding: CompactJWS.assemble(
                headerSegment: jws.headerSegment, payload: jws.payload,
                signature: Array(jws.signature.prefix(32)) + difference), as: UTF8.self)
    }

    @Test(
        "The other form of a signature verifies, and is the same event, whichever comes first",
        arguments: [false, true])
    func secondForm(isFirst: Bool) async throws {
        let ledger = try TemporaryLedger()
        let token = try chain.bought().token()
        let other = try otherForm(token)
        #expect(other != token)
        #expect(try otherForm(other) == token)
        let lines = [token, other].map { Array($0.utf8) }
        let summary = try await ledger.ingest(isFirst ? lines.reversed() : lines)
        #expect(summary.appended == 1 && summary.duplicates == 1 && summary.isClean)
        #expect(try await ledger.show(chain.id)["state"] != nil)
    }

    @Test("Another wrapper around the same JWS is a duplicate")
    func otherWrapper() async throws {
        let ledger = try TemporaryLedger()
        let token = try chain.bought().token()
        let summary = try await ledger.ingest([
            Array(token.utf8), Array(#"{"signedPayload":"\#(token)"}"#.utf8),
            Array(#"{"receivedAt":1,"signedPayload":"\#(token)"}"#.utf8),
            Array(#"{"notificationHistory":[{"signedPayload":"\#(token)"}]}"#.utf8),
        ])
        #expect(summary.appended == 1)
        #expect(summary.duplicates == 3)
        #expect(summary.isClean)
    }

    @Test("The same identity with other claims is appended, counted as a conflict, and no failure")
    func conflict() async throws {
        let ledger = try TemporaryLedger()
        let other = chain.bought().withTransaction { $0.price = 1 }
        let summary = try await ledger.ingest([
            try chain.bought().line(), try other.line(), try other.line(),
        ])
        #expect(summary.appended == 1)
        #expect(summary.conflicts == 1)
        #expect(summary.duplicates == 1)
        #expect(summary.read == 3)
        #expect(summary.position == 2)
        #expect(summary.errors.isEmpty)
        #expect(summary.isClean)
        let events = try await ledger.exportLines(.events)
        #expect(events.map { $0["conflict"]?.bool } == [false, true])
        #expect(try await ledger.show(chain.id).noticeCodes.contains("contradiction"))
    }

    @Test(
        "A claimed receivedAt is kept and marked",
        arguments: ["\"2026-01-11T08:00:00.000Z\"", "1768118400000"])
    func claimed(text: String) async throws {
        let ledger = try TemporaryLedger()
        let token = try chain.bought().token()
        _ = try await ledger.ingest([
            Array(#"{"receivedAt":\#(text),"signedPayload":"\#(token)"}"#.utf8)
        ])
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == "2026-01-11T08:00:00.000Z")
        #expect(event["receivedAtClaimed"]?.bool == true)
    }

    @Test("Without a claim the current time is used, and null is no claim")
    func unclaimed() async throws {
        let ledger = try TemporaryLedger()
        let token = try chain.bought().token()
        _ = try await ledger.ingest([
            Array(#"{"receivedAt":null,"signedPayload":"\#(token)"}"#.utf8)
        ])
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == ledger.now.rfc3339)
        #expect(event["receivedAtClaimed"]?.bool == false)
    }

    @Test("Received times never go back unless a line claims so, and no claim moves another")
    func neverBack() async throws {
        var ledger = try TemporaryLedger()
        var (late, early) = (chain.bought(), chain.renewed(1))
        late.receivedAt = try Timestamp.stated("2026-06-01T00:05:00.000Z")
        early.receivedAt = try Timestamp.stated("2026-03-01T00:00:00.000Z")
        ledger.now = try Timestamp.stated("2026-06-01T00:00:00.000Z")
        _ = try await ledger.ingest([
            try late.line(), Array(try chain.turnedOff(1).token().utf8), try early.line(),
        ])
        ledger.now = try Timestamp.stated("2026-05-01T00:00:00.000Z")
        _ = try await ledger.ingest([Array(try chain.expired(1).token().utf8)])
        let events = try await ledger.exportLines(.events)
        #expect(
            events.map { $0["receivedAt"]?.string } == [
                "2026-06-01T00:05:00.000Z", "2026-06-01T00:00:00.000Z",
                "2026-03-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z",
            ])
        #expect(events.map { $0["receivedAtClaimed"]?.bool } == [true, false, true, false])
    }

    @Test("A claim over five minutes ahead is none, unless the evidence is signed after now")
    func ahead() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = try Timestamp.stated("2026-06-01T00:00:00.000Z")
        var early = chain.bought()
        early.receivedAt = try Timestamp.stated("2026-06-01T00:05:00.001Z")
        let start = try Timestamp.stated("2026-07-01T00:00:00.000Z")
        let simulated = MadeChain(id: "520000000000001", start: start).bought()
        let summary = try await ledger.ingest([early, simulated])
        #expect(summary.appended == 2)
        let events = try await ledger.exportLines(.events)
        #expect(
            events.map { $0["receivedAt"]?.string } == [
                ledger.now.rfc3339, simulated.receivedAt.rfc3339,
            ])
        #expect(events.map { $0["receivedAtClaimed"]?.bool } == [false, true])
    }

    @Test("Positions follow the order of the input")
    func order() async throws {
        let ledger = try TemporaryLedger()
        let chains = (0..<40).map { MadeChain(id: "5200000000000\($0 + 10)") }
        let deliveries = chains.flatMap(\.life)
        let summary = try await ledger.ingest(deliveries)
        #expect(summary.appended == 160)
        let events = try await ledger.exportLines(.events)
        #expect(events.compactMap { $0["position"]?.int64 } == Array(1...160))
        #expect(
            events.compactMap { $0["originalTransactionId"]?.string }
                == chains.flatMap { [$0.id, $0.id, $0.id, $0.id] })
    }
}
