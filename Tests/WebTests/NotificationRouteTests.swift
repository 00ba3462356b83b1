import AppStore
import HTTPTypes
import Hummingbird
import LedgerStore
import NIOCore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Apple's endpoint")
struct NotificationRouteTests {
    private let purchase = MadePurchase()

    @Test("A notification is durable when answered, and soon included; sent again it is no event")
    func duplicate() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let body = try purchase.notificationBody()
            let answer = try await client.notify(body)
            #expect(answer.status == 200)
            #expect(answer.bytes.isEmpty)
            #expect(try await host.end() == 1)
            let show = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            #expect(show.status == 200 && show.json["originalTransactionId"]?.string == purchase.id)
            #expect(show.json["position"]?.int64 == 1)
            #expect(show.headers[.subledgerPosition] == "1")
            #expect(show.headers[.subledgerLag] == "0")
            #expect(try await client.notify(body).status == 200)
            #expect(try await host.end() == 1)
        }
    }

    @Test(
        "A notification is of the environment that it or its parts name, else, as once, Production"
    )
    func routed() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (position, dataHasEnvironment) in [true, false].enumerated() {
                var sandbox = purchase
                sandbox.id = "60000000000000\(position)"
                sandbox.environment = .sandbox
                sandbox.dataHasEnvironment = dataHasEnvironment
                #expect(try await client.notify(sandbox.notificationBody()).status == 200)
                let path = "/v1/subscriptions/\(sandbox.id)"
                #expect(try await client.get(path).code == "noSuchSubscription")
                let found = try await client.ask(
                    "\(path)?environment=sandbox&minPosition=\(position + 1)")
                #expect(found.json["environment"]?.string == "Sandbox")
            }
            #expect(try await host.end() == 0)
            // As before 2022-02.
            var old = purchase
            old.environment = nil
            #expect(try await client.notify(old.notificationBody()).status == 200)
            #expect(try await host.end() == 1)
        }
    }

    @Test("An invalid notification is a 400 without any effect")
    func malformed() async throws {
        let cases = [
            ("", "malformedJSON"), ("{", "malformedJSON"), ("[]", "invalidBody"),
            ("{}", "invalidBody"), ("null", "invalidBody"), ("\"a.b.c\"", "invalidBody"),
            ("{\"signedPayload\":1}", "invalidBody"), ("{\"signedPayload\":null}", "invalidBody"),
            ("{\"signedPayload\":\"\"}", "malformedJWS"),
            ("{\"signedPayload\":\"a.b.c\"}", "malformedJWS"),
        ]
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (body, code) in cases {
                let answer = try await client.notify(Array(body.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(body)")
                #expect(answer.headers[.contentType] == "application/problem+json", "\(body)")
            }
            #expect(try await host.end() == 0)
        }
    }

    @Test("A body of another type, or compressed, is a 415; no type and identity are read")
    func contentType() async throws {
        let cases =
            [
                ("text/plain", nil, 415), ("", nil, 200), (" ", nil, 200),
                ("application/json", "gzip", 415), ("application/json", "br, identity", 415),
                ("application/json", "Identity", 200), ("application/json", "", 200),
            ] as [(String, String?, Int)]
        let body = try purchase.notificationBody()
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (type, encoding, status) in cases {
                var headers: HTTPFields = [.contentType: type]
                headers[.contentEncoding] = encoding
                let answer = try await client.post("/appstore/notifications", body, headers)
                let code = status == 200 ? nil : "unsupportedMediaType"
                #expect(
                    answer.status == status && answer.code == code, "\(type) \(encoding ?? "–")")
            }
        }
    }

    @Test("A body at the limit is read, one byte more is a 413")
    func size() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for excess in 0...1 {
                var body = try purchase.notificationBody()
                let room = 256 * 1024 + excess - body.count
                body += [UInt8](repeating: UInt8(ascii: " "), count: room)
                let answer = try await client.notify(body)
                #expect(
                    answer.status == (excess == 0 ? 200 : 413)
                        && answer.code == (excess == 0 ? nil : "payloadTooLarge"), "\(excess)")
            }
        }
    }

    /// A version 1 body of exactly this length; its version is at its end.
    private static func versionOne(byteCount: Int) -> [UInt8] {
        let head = Array(#"{"password":"hush","unified_receipt":{"latest_receipt":""#.utf8)
        let tail = Array(#""},"notification_type":"DID_RENEW"}"#.utf8)
        return head
            + [UInt8](
                repeating: UInt8(ascii: "A"), count: byteCount - head.count - tail.count) + tail
    }

    @Test(
        "A body of version 1 is read up to its own limit; other large ones are refused as what they are"
    )
    func sizeOfVersionOne() async throws {
        #expect(LedgerHost.notificationByteCount == 4 * 1024 * 1024)
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for excess in 0...1 {
                let body = NotificationRouteTests.versionOne(
                    byteCount: LedgerHost.notificationByteCount + excess)
                let answer = try await client.notify(body)
                #expect(answer.status == (excess == 0 ? 503 : 413), "\(excess)")
                #expect(
                    answer.code == (excess == 0 ? "sharedSecretMissing" : "payloadTooLarge"),
                    "\(excess)")
            }
            // Larger than version 2 allows.
            let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 300 * 1024)
            for (text, status, code) in [
                ("{\"signedPayload\":1}", 413, "payloadTooLarge"), ("{}", 400, "invalidBody"),
                ("[]", 400, "invalidBody"),
                ("{\"notification_type\":\"A\",}", 400, "malformedJSON"),
            ] {
                let answer = try await client.notify(Array(text.utf8) + blanks)
                #expect(answer.status == status && answer.code == code, "\(text)")
            }
        }
    }

    @Test("Large bodies leave room for small ones, up to the limit of each")
    func reserve() async throws {
        let bodies = BodyReader()
        let large = bodies.held.take(
            BodyReader.heldByteCount - BodyReader.reservedByteCount, isSmall: false)
        #expect(large != nil)
        func read(_ pieces: [Int]) async throws -> Int {
            let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
            for count in pieces { continuation.yield(ByteBuffer(repeating: 0x20, count: count)) }
            continuation.finish()
            let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
            let request = Request(head: head, body: RequestBody(asyncSequence: stream))
            return try await bodies.json(request, upTo: LedgerHost.notificationByteCount) { bytes in
                bytes.count
            }
        }
        let small = try await read([BodyReader.smallByteCount])
        #expect(small == 256 * 1024)
        for pieces in [[small + 1], [small, 1]] {
            let refused = await #expect(throws: Problem.self) { _ = try await read(pieces) }
            #expect(refused?.status == .serviceUnavailable && refused?.code == "busy", "\(pieces)")
        }
        // What was read is released, so that small ones have the whole reserve.
        let rest = bodies.held.take(BodyReader.reservedByteCount)
        #expect(rest != nil)
        let beyond = await #expect(throws: Problem.self) { _ = try await read([1]) }
        #expect(beyond?.code == "busy")
        withExtendedLifetime((large, rest)) {}
    }

    @Test(
        "Without a shared secret a version 1 notification is a 503; its password is not stored"
    )
    func versionOne() async throws {
        let place = try ServedPlace()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let body = #"{"notification_type":"DID_RENEW","password":"hush-hush"}"#
            let answer = try await client.notify(Array(body.utf8))
            #expect(answer.status == 503 && answer.code == "sharedSecretMissing")
            #expect(answer.headers[.retryAfter] != nil)
            let ledger = try host.ledger(.production).ledger
            let kept = try #require(try await ledger.operations.quarantineItem(1))
            let text = String(decoding: kept.bytes, as: UTF8.self)
            #expect(!text.contains("hush-hush"))
            #expect(text.contains("hmac-sha256:"))
        }
    }
}
