import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Testing

@Suite("Intake of version 1 notifications")
struct NotificationV1IntakeTests {
    private let chain = MadeChain()

    private func place(secret: String = MadeChain.secret) throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        try ledger.share(secret)
        return ledger
    }

    /// Bought, renewed, payment failed, recovered later.
    private var life: [[UInt8]] {
        [
            chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            chain.notificationV1("DID_RENEW", through: 1, at: chain.start(1)),
            chain.notificationV1(
                "DID_FAIL_TO_RENEW", through: 1, isRetrying: true, at: chain.start(2)),
        ]
    }

    /// The content of all of the ledger's files, for a search.
    private func isWritten(_ text: String, in ledger: TemporaryLedger) throws -> Bool {
        let needle = Data(text.utf8)
        let root = ledger.configuration.dataDirectory
        let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap {
            $0 as? String
        }
        #expect(names.contains { $0.hasSuffix("log.sqlite") })
        return names.contains { name in
            FileManager.default.contents(atPath: "\(root)/\(name)")?.range(of: needle) != nil
        }
    }

    // MARK: Refused

    @Test("Another password is refused, and neither it nor ours is written anywhere")
    func wrongPassword() async throws {
        let ledger = try place()
        let summary = try await ledger.ingest([
            chain.notificationV1(
                "INITIAL_BUY", through: 0, at: chain.start(0), password: "fedcba9876543210-guess")
        ])
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret"])
        #expect(summary.appended == 0)
        #expect(try !isWritten("fedcba9876543210-guess", in: ledger))
        #expect(try !isWritten(MadeChain.secret, in: ledger))
    }

    @Test("The seal is the HMAC of the body with an empty password, the password being its key")
    func sealed() async throws {
        // given: the code was computed with Python's hmac
        let ledger = try place()
        let seal =
            "hmac-sha256:33eee2d66da0aac54bf8afa5902726a42599437b97dfee0d7e1306c364ea521a"
        func body(_ password: String) -> [UInt8] {
            let text =
                #"{"notification_type":"INITIAL_BUY","password":"\#(password)","#
                + #""environment":"PROD","bid":"com.example.app","#
                + #""original_transaction_id":"500000000000001"}"#
            return Array(text.utf8)
        }
        // when
        let summary = try await ledger.ingest([body("0123456789abcdef0123456789abcdef")])
        // then
        #expect(summary.appended == 1)
        let stored = try await ledger.ledger { ledger in
            try await ledger.log.event(at: 1)?.originalBytes()
        }
        #expect(stored == body(seal))
    }

    @Test("A seal over other bytes is invalid")
    func tampered() async throws {
        let ledger = try place()
        _ = try await ledger.ingest([life[0]])
        let stored = try await ledger.ledger { ledger in
            try #require(try await ledger.log.event(at: 1)?.originalBytes())
        }
        let text = String(decoding: stored, as: UTF8.self)
        let altered = text.replacing("\"INITIAL_BUY\"", with: "\"CANCEL\"")
        #expect(altered != text)
        let summary = try await ledger.ingest([Array(altered.utf8)])
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret"])
        // The stored bytes can be ingested again: the same event.
        #expect(try await ledger.ingest([stored]).duplicates == 1)
    }

    @Test(
        "Without a usable secret it waits, and is accepted once there is one",
        arguments: [nil, "short"] as [String?])
    func noSecret(secret: String?) async throws {
        var ledger = try TemporaryLedger()
        if let secret { try ledger.share(secret) }
        let summary = try await ledger.ingest([life[0]])
        #expect(summary.errors.map(\.code) == ["sharedSecretMissing"])
        // True of a missing setting and of an unusable file.
        let message = try #require(summary.errors.first?.message)
        #expect(message.contains("is not set, or its file could not be used"))
        #expect(try !isWritten(MadeChain.secret, in: ledger))
        try ledger.share()
        let retried = try await ledger.retryQuarantine()
        #expect(retried.appended == 1)
        #expect(
            try await ledger.show(chain.id, at: chain.start(0))["state"]?.string == "subscribed")
    }

    @Test("Refused because of a wrong configured secret, it is accepted once the right one is set")
    func ourSecretWrong() async throws {
        var ledger = try TemporaryLedger()
        try ledger.share("fedcba9876543210fedcba9876543210")
        let summary = try await ledger.ingest([life[0]])
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret"])
        try ledger.share()
        let retried = try await ledger.retryQuarantine()
        #expect(retried.appended == 1)
    }

    @Test("Of an app that is left out neither event nor secret is stored; a retry takes it in")
    func leftOut() async throws {
        // given
        var ledger = try TemporaryLedger(apps: [MadeChain.app, "com.example.other"])
        try ledger.share()
        let whole = ledger.configuration
        ledger.configuration.limit(to: BundleId("com.example.other"))
        let stray = Array("{\"hello\":\"\(MadeChain.secret)\"}".utf8)
        // when
        let summary = try await ledger.ingest([life[0], stray])
        // then
        #expect(summary.appended == 0 && summary.errors.first?.code == "wrongApp")
        #expect(try !isWritten(MadeChain.secret, in: ledger))
        let items = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        #expect(items.map { $0.message.contains("REDACTED") } == [false, true])
        ledger.configuration = whole
        let retried = try await ledger.retryQuarantine()
        #expect(retried.appended == 1)
    }

    @Test("A product whose id starts like the password's name leaves quarantine unchanged")
    func productNamedPassword() async throws {
        var ledger = try TemporaryLedger()
        var chain = chain
        chain.product = "password_manager.pro.monthly"
        let body = chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0))
        #expect(try await ledger.ingest([body]).errors.map(\.code) == ["sharedSecretMissing"])
        try ledger.share()
        #expect(try await ledger.retryQuarantine().appended == 1)
    }

    @Test("An unreadable body is reported, and affects nothing else")
    func broken() async throws {
        let ledger = try place()
        let good = String(decoding: life[0], as: UTF8.self)
        let bad = [
            ("\"password\":\"0123456789abcdef0123456789abcdef\"", "\"password\":7"),
            ("\"password\":\"0123456789abcdef0123456789abcdef\",", ""),
            ("\"latest_receipt_info\":[", "\"latest_receipt_info\":\"\u{1}\",\"x\":["),
        ].map { good.replacing($0, with: $1) }
        #expect(Set(bad + [good]).count == 4)
        let summary = try await ledger.ingest(bad.map { Array($0.utf8) } + [life[1]])
        #expect(summary.appended == 1)
        #expect(summary.errors.map(\.input.last) == ["1", "2", "3"])
    }

    @Test("A field of the wrong type in a genuine one keeps it, as genuine, for a later version")
    func genuineButUnreadable() async throws {
        let ledger = try place()
        let body = String(decoding: life[0], as: UTF8.self)
            .replacing("\"is_trial_period\":\"false\"", with: "\"is_trial_period\":\"maybe\"")
        let summary = try await ledger.ingest([Array(body.utf8)])
        #expect(summary.errors.map(\.code) == ["undecodablePayload"])
        let items = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        #expect(items.map(\.standing) == [.genuineConfigured])
        #expect(try !isWritten(MadeChain.secret, in: ledger))
    }

    @Test("A body of another environment is not accepted by this ledger")
    func environment() async throws {
        let ledger = try place()
        let body = String(decoding: life[0], as: UTF8.self)
            .replacing("\"environment\":\"PROD\"", with: "\"environment\":\"Sandbox\"")
        let summary = try await ledger.ingest([Array(body.utf8)])
        #expect(summary.errors.map(\.code) == ["wrongEnvironment"])
    }

    // MARK: Accepted

    @Test("A life in version 1 is reported with its rank, and the secret is nowhere")
    func wholeLife() async throws {
        let ledger = try place()
        let summary = try await ledger.ingest(life)
        #expect(summary.appended == 3)
        #expect(summary.errors.isEmpty)
        let shown = try await ledger.show(
            chain.id, at: chain.start(2).advanced(byMilliseconds: 60_000))
        #expect(shown["state"]?.string == "billingRetry")
        let timeline = try await ledger.timeline(chain.id)
        let causes = timeline["entries"]?.array?.compactMap { $0["cause"] } ?? []
        #expect(!causes.isEmpty)
        for cause in causes {
            #expect(cause["kind"]?.string == "notificationV1")
            #expect(cause["trust"]?.string == "secret")
        }
        #expect(try !isWritten(MadeChain.secret, in: ledger))
        let events = try await ledger.exportLines(.events)
        #expect(
            events.map { $0["notificationType"]?.string } == [
                "INITIAL_BUY", "DID_RENEW", "DID_FAIL_TO_RENEW",
            ])
        #expect(events.allSatisfy { $0["trust"]?.string == "secret" })
    }

    @Test("The same body again is a duplicate, also under the next secret")
    func duplicates() async throws {
        var ledger = try place()
        _ = try await ledger.ingest([life[0]])
        #expect(try await ledger.ingest([life[0]]).duplicates == 1)
        try ledger.share("fedcba9876543210fedcba9876543210\n\(MadeChain.secret)")
        let again = chain.notificationV1(
            "INITIAL_BUY", through: 0, at: chain.start(0),
            password: "fedcba9876543210fedcba9876543210")
        #expect(try await ledger.ingest([again]).duplicates == 1)
        #expect(try await ledger.ingest([life[1]]).appended == 1)
    }

    @Test("A body of several chains is a fact of each")
    func severalChains() async throws {
        let ledger = try place()
        var other = MadeChain()
        other.id = "600000000000001"
        let body = String(decoding: life[1], as: UTF8.self).replacing(
            "\"latest_receipt_info\":[",
            with:
                "\"latest_receipt_info\":[\(String(decoding: other.receiptInfo(0).encoded(), as: UTF8.self)),"
        )
        #expect(try await ledger.ingest([Array(body.utf8)]).appended == 1)
        for id in [chain.id, other.id] {
            #expect(try await ledger.show(id, at: chain.start(0))["state"]?.string == "subscribed")
        }
    }

    @Test("Version 2 agrees with it; where it does not, version 2 holds and a notice says so")
    func besideVersionTwo() async throws {
        let ledger = try place()
        _ = try await ledger.ingest([chain.bought(), chain.renewed(1)])
        _ = try await ledger.ingest(Array(life[0...1]))
        #expect(try await notices(ledger).isEmpty)
        var stretched = chain
        stretched.start = chain.start.advanced(byMilliseconds: 3_600_000)
        _ = try await ledger.ingest([
            stretched.notificationV1("DID_RENEW", through: 1, at: chain.start(1, 7_000))
        ])
        #expect(try await notices(ledger) == ["contradiction"])
        #expect(
            try await ledger.show(chain.id, at: chain.start(1))["productId"]?.string
                == chain.product)
    }

    private func notices(_ ledger: TemporaryLedger) async throws -> Set<String> {
        let shown = try await ledger.show(
            chain.id, at: chain.start(1).advanced(byMilliseconds: 86_400_000))
        let codes = shown["notices"]?.array?.compactMap { $0["code"]?.string } ?? []
        return Set(codes).subtracting(["lateDelivery"])
    }
}
