import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator
import Testing

@testable import Intake
@testable import Service

/// Bodies that any client who knows the address can post (`Log.md` §7: negative space first).
@Suite("Hostile version 1 bodies")
struct HostileNotificationV1Tests {
    private let chain = MadeChain()

    private func place(shares: Bool = true) throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        if shares { try ledger.share() }
        return ledger
    }

    private var good: String {
        String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self)
    }

    /// A body with this many transactions of one chain.
    private func naming(_ count: Int, password: String = MadeChain.secret) -> [UInt8] {
        let infos = (0..<count).map { number in
            #"{"transaction_id":"\#(number + 1)","original_transaction_id":"1","product_id":"p","#
                + #""purchase_date_ms":"\#(1_700_000_000_000 + number)","#
                + #""expires_date_ms":"\#(1_700_000_000_001 + number)"}"#
        }
        return Array(
            (#"{"notification_type":"DID_RENEW","password":"\#(password)","environment":"PROD","#
                + #""bid":"\#(MadeChain.app)","unified_receipt":{"latest_receipt_info":["#
                + infos.joined(separator: ",") + "]}}").utf8)
    }

    private func codes(_ bodies: [UInt8]..., in ledger: TemporaryLedger) async throws -> [String] {
        try await ledger.ingest(bodies).errors.map(\.code)
    }

    // MARK: Nothing is decoded without the secret

    @Test(
        "With another password a body is refused for that, whatever else is wrong with it",
        arguments: [
            ("\"is_trial_period\":\"false\"", "\"is_trial_period\":\"maybe\""),
            ("\"purchase_date_ms\":\"", "\"purchase_date_ms\":\"x"),
        ])
    func passwordFirst(part: String, replacement: String) async throws {
        let ledger = try place()
        let broken = good.replacing(part, with: replacement)
        #expect(broken != good)
        let foreign = broken.replacing(MadeChain.secret, with: "another-secret-of-somebody")
        #expect(try await codes(Array(foreign.utf8), in: ledger) == ["wrongSharedSecret"])
        #expect(try await codes(Array(broken.utf8), in: ledger) == ["undecodablePayload"])
    }

    @Test(
        "Keys are parsed up to a limit, whatever the password; one more refuses the body",
        arguments: [0, 1])
    func keys(excess: Int) async throws {
        let ledger = try place()
        // Each transaction is a value with five keys, beside the list.
        let transactions = NotificationV1.unreadValueCount / 6 - 1
        let rest = NotificationV1.unreadValueCount - transactions * 6 - 1
        func body(_ password: String) -> [UInt8] {
            let more = (0..<rest + excess).map { ",\"k\($0)\":0" }.joined()
            return Array(naming(transactions, password: password).dropLast())
                + Array("\(more)}".utf8)
        }
        #expect(
            try await codes(body("another-secret-of-somebody"), in: ledger)
                == [excess == 0 ? "wrongSharedSecret" : "payloadTooLarge"])
        #expect(
            try await codes(body(MadeChain.secret), in: ledger)
                == (excess == 0 ? [] : ["payloadTooLarge"]))
    }

    @Test("A body is read once until its password is compared, and its receipt is found by then")
    func readOnce() throws {
        let body = Array(
            (good.dropLast() + #","latest_receipt":"QUJD"}"#).replacing(
                "\"latest_receipt_info\":",
                with: "\"latest_receipt\":\"RE\\u0046G\","
                    + "\"latest_receipt_info\":"
            ).utf8)
        guard case .versionOne(let posted) = try NotificationBody(body) else {
            Issue.record("This is not version 1.")
            return
        }
        #expect(try posted.sealed.bundleId == BundleId(MadeChain.app))
        // That of the unified receipt, as in `NotificationV1`.
        #expect(posted.latestReceipt == Array("REFG".utf8))
        #expect(try NotificationV1(JSONValue.parse(body)).latestReceipt == "REFG")
        let own = Array((good.dropLast() + #","latest_receipt":"QUJD"}"#).utf8)
        #expect(NotificationV1Body(own).latestReceipt == Array("QUJD".utf8))
        #expect(NotificationV1Body(Array(good.utf8)).latestReceipt == nil)
    }

    @Test("A hundred transactions, the most that Apple sends, are all present")
    func hundred() async throws {
        let ledger = try place()
        #expect(try await codes(naming(100), in: ledger) == [])
        let facts = try await ledger.session { session in
            try await session.ledger.facts.facts(of: [
                ChainId(
                    bundleId: BundleId(MadeChain.app),
                    originalTransactionId: OriginalTransactionId("1"))
            ]).flatMap(\.1)
        }
        #expect(Set(facts.compactMap { $0.transaction?.transactionId }).count == 100)
    }

    // MARK: Passwords

    @Test("An empty password, none, a non-string one, and two match no app")
    func passwords() async throws {
        let ledger = try place()
        let bodies = [
            "\"\"", "null", "[\"0123456789abcdef0123456789abcdef\"]",
            "\"x\",\"password\":\"0123456789abcdef0123456789abcdef\"",
        ].map { Array(good.replacing("\"\(MadeChain.secret)\"", with: $0).utf8) }
        let found = try await ledger.ingest(bodies).errors.map(\.code)
        // The last one is ambiguous JSON, with a repeated key.
        #expect(found.count == bodies.count)
        #expect(found.prefix(3) == ["wrongSharedSecret", "wrongSharedSecret", "wrongSharedSecret"])
        let head = try await ledger.ledger { try await $0.log.head().position }
        #expect(head == 0)
    }

    @Test(
        "Evidence kept unparsed contains no password, wherever and however often it occurs",
        arguments: [
            ("w\"password\":\"x\",\"w\":1", "w\"password\":\"REDACTED\",\"w\":1"),
            (
                "\"password\":\"a\"\"password\":\"b",
                "\"password\":\"REDACTED\"\"password\":\"REDACTED"
            ),
            ("{\\\"password\\\":7}", "{\\\"password\\\":0}"),
            ("{\"password\":-1.5e3 ,\"a\":1}", "{\"password\":0 ,\"a\":1}"),
            ("{\"password\":null}", "{\"password\":null}"),
            ("{\"password\" : true }", "{\"password\" : true }"),
            ("{\"password\":\"null\"}", "{\"password\":\"REDACTED\"}"),
            ("{'password': secret}", "{'password': REDACTED}"),
            (#"{"password":"a\"b,c}\\","w":1}"#, #"{"password":"REDACTED","w":1}"#),
            (
                #"{"x":"{\"password\":\"a\\\"b\\\\\",\"w\":1}"}"#,
                #"{"x":"{\"password\":\"REDACTED\",\"w\":1}"}"#
            ),
            (#"{"x":"\"password\":\"a","w":1}"#, #"{"x":"\"password\":\"REDACTED","w":1}"#),
            ("\"product_id\":\"password_x\"", "\"product_id\":\"password_x\""),
            ("\"id\":\"password\",\"a\":\"b\"", "\"id\":\"password\",\"a\":\"b\""),
            ("\"password_x\":\"a\"", "\"password_x\":\"a\""),
            ("\"product_id\":\"password:x\"", "\"product_id\":\"password:x\""),
            ("\"password_x\",\"password\":\"a\"", "\"password_x\",\"password\":\"REDACTED\""),
            ("password", "password"), ("\"passwor", "\"passwor"), ("\"password", "\"password"),
            ("word\"passwrd\":\"a\"", "word\"passwrd\":\"a\""), ("wwww", "wwww"), ("", ""),
        ])
    func redaction(text: String, kept: String) {
        let bytes = Redaction.withoutPasswords(Array(text.utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == kept)
        #expect(Redaction.withoutPasswords(bytes) == bytes)
    }

    // MARK: Other apps

    @Test(
        "With the secret of one app a body about purchases of another is refused",
        arguments: [
            "", #""latest_receipt_info":{"bid":"\#(MadeChain.app)"},"#,
            #""bid":"\#(MadeChain.app)","#,
        ])
    func anotherApp(head: String) async throws {
        let other = "com.example.other"
        var ledger = try TemporaryLedger(apps: [MadeChain.app, other])
        try ledger.share()
        func body(of app: String) -> [UInt8] {
            let start = #"{\#(head)"notification_type":"DID_RENEW","environment":"PROD","#
            let password = #""password":"\#(MadeChain.secret)","unified_receipt":"#
            let list = #"{"latest_receipt_info":[{"bid":"\#(app)","transaction_id":"1","#
            let dates = #""purchase_date_ms":"1700000000000","expires_date_ms":"1700000000001"}]}}"#
            return Array([start, password, list, dates].joined().utf8)
        }
        let refused = try await codes(body(of: other), in: ledger)
        #expect(refused == ["wrongSharedSecret"])
        let standings = try await kept(ledger).map(\.standing)
        #expect(standings == [.unverifiable])
        let accepted = try await codes(body(of: MadeChain.app), in: ledger)
        #expect(accepted == [])
        let apps = try await ledger.exportLines(.events).map { $0["bundleId"]?.string }
        #expect(apps == [MadeChain.app])
    }

    // MARK: Values of another type

    @Test("Numbers instead of strings, and strings instead of numbers, mean the same")
    func spellings() async throws {
        let plain = try place()
        #expect(try await codes(Array(good.utf8), in: plain) == [])
        let at = chain.start(0, 60_000)
        let willRenew = try await plain.show(chain.id, at: at)["willRenew"]
        var body = good
        for (part, replacement) in [
            ("\"transaction_id\":\"500000000000001\"", "\"transaction_id\":500000000000001"),
            ("\"quantity\":\"1\"", "\"quantity\":1"),
            ("\"auto_renew_status\":\"1\"", "\"auto_renew_status\":true"),
            ("\"is_in_billing_retry_period\":\"0\"", "\"is_in_billing_retry_period\":false"),
        ] {
            #expect(body.contains(part))
            body = body.replacing(part, with: replacement)
        }
        let ledger = try place()
        #expect(try await codes(Array(body.utf8), in: ledger) == [])
        let reported = try await ledger.show(chain.id, at: at)
        #expect(reported["state"]?.string == "subscribed")
        #expect(reported["willRenew"] == willRenew)
    }

    @Test("A type unknown to this version is kept, changes nothing, and raises a notice")
    func unknownType() async throws {
        let ledger = try place()
        let body = good.replacing("INITIAL_BUY", with: "SOMETHING_LATER")
        #expect(try await codes(Array(body.utf8), in: ledger) == [])
        let shown = try await ledger.show(chain.id, at: chain.start(0, 60_000))
        #expect(shown["state"]?.string == "subscribed")
        let notices = shown["notices"]?.array?.compactMap { $0["code"]?.string } ?? []
        #expect(notices.contains("unknownValue"))
        let events = try await ledger.exportLines(.events)
        #expect(events.map { $0["notificationType"]?.string } == ["SOMETHING_LATER"])
    }

    // MARK: Environment

    @Test(
        "A body without environment belongs to the ledger's; the receipt inside may name one",
        arguments: [
            ("\"environment\":\"Production\",", "", nil),
            ("\"environment\":\"Production\"", "\"environment\":\"Sandbox\"", "wrongEnvironment"),
        ] as [(String, String, String?)])
    func environment(part: String, replacement: String, code: String?) async throws {
        let ledger = try place()
        let body = good.replacing("\"environment\":\"PROD\",", with: "")
            .replacing(part, with: replacement)
        #expect(!body.contains("PROD\""))
        #expect(try await codes(Array(body.utf8), in: ledger) == (code.map { [$0] } ?? []))
    }

    // MARK: Without a secret

    private func kept(_ ledger: TemporaryLedger) async throws -> [QuarantineItem] {
        try await ledger.ledger { try await Quarantine(ledger: $0).items() }
    }

    @Test("Without the secret of a configured app it is kept up to the limit, and accepted later")
    func awaitingSecret() async throws {
        let byteCount = 4 * 1_024 * 1_024
        var ledger = try place(shares: false)
        let filling = byteCount - good.utf8.count - #","x":"""#.utf8.count
        let body = Array(
            (good.dropLast() + #","x":"\#(String(repeating: "a", count: filling))"}"#).utf8)
        #expect(body.count == byteCount)
        #expect(try await codes(body, in: ledger) == ["sharedSecretMissing"])
        let item = try #require(try await kept(ledger).first)
        #expect(item.standing == .awaitingSecret)
        #expect(item.bundleId == BundleId(MadeChain.app))
        try ledger.share()
        let retried = try await ledger.retryQuarantine()
        #expect(retried.appended == 1)
        #expect(retried.errors.isEmpty)
        #expect(try await kept(ledger).isEmpty)
    }

    @Test("A seal fits into the room reserved beside a body of maximum size")
    func sealRoom() {
        #expect(SealedNotificationV1.byteCount <= LogLimits.sealByteCount)
        #expect(LogLimits.evidenceByteCount - LogLimits.sealByteCount == InputLine.maximumByteCount)
    }

    @Test("Of an app that is not configured only a bounded copy is kept, among all others")
    func stranger() async throws {
        let ledger = try place(shares: false)
        let body = good.replacing(MadeChain.app, with: "com.example.stranger")
        #expect(try await codes(Array(body.utf8), in: ledger) == ["sharedSecretMissing"])
        #expect(try await kept(ledger).map(\.standing) == [.unverifiable])
    }

    // MARK: The receipt inside

    @Test("The receipt inside a body is in the evidence, and can be ingested by itself at any time")
    func receiptInside() async throws {
        let authority = TestAuthority.receipts
        var ledger = try place()
        ledger.roots = try ledger.roots.adding(authority.rootDER)
        let store = OriginalStoreKit(AskedApple.production)
        ledger.configuration.catalogue = .simulated
        let beginning = try #require(AskedApple.production.sentSpan).lowerBound
        // Receipts cost much: only those up to the first body are signed.
        let all = try store.notificationsV1(
            through: beginning.advanced(byMilliseconds: 200 * 86_400_000),
            password: MadeChain.secret)
        let end = try #require(all.first).at
        let first = try #require(
            try store.notificationsV1(
                through: end, password: MadeChain.secret, authority: authority
            ).first)
        #expect(try await codes(first.body, in: ledger) == [])
        let id = first.originalTransactionId
        #expect(try await ledger.show(id, at: AskedApple.now)["trust"]?.string == "secret")
        let evidence = try #require(
            try await ledger.exportLines(.events) { $0.withEvidence = true }
                .first?["signedPayload"]?.string)
        let stored = try JSONValue.parse(Array(evidence.utf8))
        let receipt = try #require(stored["unified_receipt"]?["latest_receipt"]?.string)
        let summary = try await ledger.ingest([Array(receipt.utf8)])
        #expect(summary.appended == 1)
        #expect(try await ledger.show(id, at: AskedApple.now)["trust"]?.string == "signed")
    }
}
