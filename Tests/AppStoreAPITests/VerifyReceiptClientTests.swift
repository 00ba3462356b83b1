import AppStore
import AppStoreAPI
import LedgerTestSupport
import Testing

@Suite("The verifyReceipt client")
struct VerifyReceiptClientTests {
    static let secret = "0123456789abcdef0123456789abcdef"
    /// A sequence; its contents are not parsed before sending.
    static let receipt: [UInt8] = [0x30, 0x80, 0, 0]

    typealias Step = ScriptedTransport.Step

    static func status(_ number: Int, _ more: String = "") -> Step {
        .json("{\"status\":\(number)\(more)}")
    }

    static let valid = status(0, ",\"environment\":\"Production\",\"latest_receipt_info\":[]")

    /// A client, its network and its clock.
    struct Desk {
        let transport: ScriptedTransport
        let clock = ManualClock(Asked.start, sleeping: .advances)
        let client: VerifyReceiptClient

        init(
            _ steps: [Step], secret: String? = VerifyReceiptClientTests.secret,
            policy: RetryPolicy = RetryPolicy()
        ) {
            transport = ScriptedTransport(steps)
            client = VerifyReceiptClient(
                sharedSecret: secret, transport: transport, clock: clock, policy: policy,
                chance: { $0.upperBound })
        }

        func failure(
            _ receipt: [UInt8] = VerifyReceiptClientTests.receipt,
            first: Environment = .production
        ) async -> APIFailure? {
            await Asked.failure { _ = try await client.verify(receipt, first: first) }
        }

        var hosts: [String] { transport.requests.map(\.host) }
    }

    // MARK: Failures

    /// Not arguments: each would be encoded as JSON, byte by byte.
    @Test("Input that is not a receipt, or too long, is not sent")
    func noReceipt() async {
        let desk = Desk([Self.valid])
        for bytes in [
            [], Array("no receipt".utf8), Array("{\"a\":1}".utf8),
            [UInt8](repeating: 0x30, count: AppReceiptLimits.byteCount + 1),
        ] {
            let code = await desk.failure(bytes)?.code
            #expect(code == .invalidRequest, "\(bytes.prefix(16))")
        }
        #expect(desk.transport.requests.isEmpty)
    }

    @Test("A receipt of the longest length is sent")
    func longest() async throws {
        let desk = Desk([Self.valid])
        _ = try await desk.client.verify(
            [UInt8](repeating: 0x30, count: AppReceiptLimits.byteCount))
        #expect(desk.transport.requests.count == 1)
    }

    @Test(
        "Local environments are rejected",
        arguments: [Environment.xcode, .localTesting])
    func local(_ environment: Environment) async {
        let desk = Desk([Self.valid])
        #expect(await desk.failure(first: environment)?.code == .invalidRequest)
        #expect(desk.transport.requests.isEmpty)
    }

    @Test("A wrong shared secret is an error of its own, without a retry")
    func wrongSecret() async {
        let desk = Desk([Self.status(21004)])
        let failure = await desk.failure()
        #expect(failure?.code == .wrongSharedSecret)
        #expect(failure?.receiptStatus == Raw(.wrongSharedSecret))
        #expect(failure?.isRetryable == false)
        #expect(failure?.description.contains("sharedSecretFile") == true)
        #expect(desk.transport.requests.count == 1)
        let without = Desk([Self.status(21004)], secret: nil)
        #expect(await without.failure()?.reason.contains("none is configured") == true)
    }

    @Test(
        "A receipt that Apple does not confirm fails at once",
        arguments: [21000, 21001, 21003, 21010, 21011, 21100, 21199, -1, 1])
    func refused(_ status: Int) async {
        let desk = Desk([Self.status(status, ",\"is-retryable\":false,\"receipt\":{}")])
        let failure = await desk.failure()
        #expect(failure?.code == .receiptRefusedByApple)
        #expect(failure?.receiptStatus?.rawValue == Int64(status))
        #expect(failure?.environment == .production)
        #expect(desk.transport.requests.count == 1)
    }

    @Test(
        "A transient status is retried within the budget, then reported",
        arguments: [
            (21002, "", APIFailure.Code.receiptRefusedByApple), (21005, "", .appleUnavailable),
            (21009, "", .appleUnavailable), (21100, ",\"is-retryable\":true", .appleUnavailable),
            (21199, ",\"is-retryable\":\"1\"", .appleUnavailable),
        ])
    func exhausted(_ status: Int, _ more: String, _ code: APIFailure.Code) async {
        let desk = Desk(
            [Self.status(status, more)],
            policy: RetryPolicy(attempts: 3, firstWaitMilliseconds: 100))
        let failure = await desk.failure()
        #expect(failure?.code == code)
        #expect(failure?.receiptStatus?.rawValue == Int64(status))
        #expect(failure?.description.contains("3 times") == true)
        #expect(desk.transport.requests.count == 3)
        #expect(desk.clock.waits == [100, 200])
    }

    @Test("Beyond 21199 is-retryable means nothing", arguments: [21099, 21200])
    func outside(_ status: Int) async {
        let desk = Desk([Self.status(status, ",\"is-retryable\":true")])
        #expect(await desk.failure()?.code == .receiptRefusedByApple)
        #expect(desk.transport.requests.count == 1)
    }

    @Test("Two environments that assign a receipt to each other end the request")
    func pingPong() async {
        let desk = Desk([Self.status(21007), Self.status(21008)])
        let failure = await desk.failure()
        #expect(failure?.code == .receiptRefusedByApple)
        #expect(failure?.environment == .sandbox)
        #expect(desk.hosts == ["buy.itunes.apple.com", "sandbox.itunes.apple.com"])
        let itself = Desk([Self.status(21008)])
        #expect(await itself.failure()?.receiptStatus == Raw(.isProductionReceipt))
        #expect(itself.transport.requests.count == 1)
    }

    @Test(
        "Responses that are not Apple's",
        arguments: [
            (Step.json("<html>"), APIFailure.Code.unreadableAnswer),
            (.json("{}"), .unreadableAnswer),
            (.json("{\"status\":\"none\"}"), .unreadableAnswer),
            (.json("{\"status\":0}", status: 301), .unexpectedStatus),
            (.json("{\"status\":0}", status: 403), .unexpectedStatus),
            (.failure(.tooLarge), .answerTooLarge), (.failure(.cancelled), .cancelled),
        ])
    func unreadable(_ step: Step, _ code: APIFailure.Code) async {
        let desk = Desk([step])
        #expect(await desk.failure()?.code == code)
        #expect(desk.transport.requests.count == 1)
    }

    @Test("A response has at most 4 MiB")
    func answerLength() async throws {
        func step(_ count: Int) -> Step {
            let frame = "{\"status\":0,\"x\":\"\"}"
            let filling = String(repeating: "a", count: count - frame.utf8.count)
            return .json("{\"status\":0,\"x\":\"\(filling)\"}")
        }
        let limit = APILimits.answerByteCount
        let answer = try await Desk([step(limit)]).client.verify(Self.receipt)
        #expect(answer.body.count == limit)
        #expect(await Desk([step(limit + 1)]).failure()?.code == .answerTooLarge)
    }

    @Test("The secret is in no error and no description")
    func secrecy() async {
        for step in [Self.status(21004), Self.status(21003), .failure(.disconnected), .json("x")] {
            let desk = Desk([step], policy: RetryPolicy(attempts: 1))
            let failure = await desk.failure()
            #expect(failure != nil)
            for text in [
                "\(String(describing: failure))", "\(desk.client)",
                String(reflecting: desk.client),
                "\(Mirror(reflecting: desk.client).children.count)",
            ] { #expect(!text.contains(Self.secret)) }
        }
    }

    // MARK: Successes

    @Test(
        "A transient status is retried",
        arguments: [
            Self.status(21002), Self.status(21005), Self.status(21009),
            Self.status(21150, ",\"is-retryable\":1"), Step.json("", status: 503),
            .json("", status: 429), .failure(.notConnected), .failure(.disconnected),
            .failure(.timedOut),
        ])
    func passes(_ step: Step) async throws {
        let desk = Desk([step, step, Self.valid])
        #expect(try await desk.client.verify(Self.receipt).value.status == Raw(.valid))
        #expect(desk.transport.requests.count == 3)
        #expect(desk.clock.waits == [500, 1_000])
    }

    @Test("The request: base64, the secret, and no exclusion")
    func request() async throws {
        let desk = Desk([Self.valid])
        _ = try await desk.client.verify(Array("MIAAAA==\n".utf8))
        let request = try #require(desk.transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.url == "https://buy.itunes.apple.com/verifyReceipt")
        let body = try JSONValue.parse(request.body ?? [])
        #expect(body["receipt-data"]?.string == "MIAAAA==")
        #expect(body["password"]?.string == Self.secret)
        #expect(body["exclude-old-transactions"]?.bool == false)
        _ = try await desk.client.verify(Self.receipt)
        let plain = try JSONValue.parse(desk.transport.requests.last?.body ?? [])
        #expect(plain["receipt-data"]?.string == "MIAAAA==")
        let without = Desk([Self.valid], secret: nil)
        _ = try await without.client.verify(Self.receipt)
        let body2 = try JSONValue.parse(without.transport.requests.last?.body ?? [])
        #expect(body2["password"] == nil)
    }

    @Test("A transaction receipt of iOS 6 is sent as base64 text")
    func transactionReceipt() async throws {
        let purchase = "eyJ0cmFuc2FjdGlvbi1pZCIgPSAiNyI7fQ=="  // {"transaction-id" = "7";}
        let text = "{ \"purchase-info\" = \"\(purchase)\"; }"
        let desk = Desk([Self.status(21006)])
        let answer = try await desk.client.verify(Array(text.utf8))
        #expect(answer.value.status == Raw(.validButExpired))
        let body = try JSONValue.parse(desk.transport.requests.last?.body ?? [])
        #expect(body["receipt-data"]?.string?.hasPrefix("eyAicHVyY2hhc2UtaW5mbyI") == true)
    }

    @Test("A receipt of the other environment is sent there")
    func elsewhere() async throws {
        let desk = Desk([Self.status(21007), Self.status(21005), Self.valid])
        #expect(try await desk.client.verify(Self.receipt).environment == .sandbox)
        #expect(
            desk.hosts == [
                "buy.itunes.apple.com", "sandbox.itunes.apple.com", "sandbox.itunes.apple.com",
            ])
        let back = Desk([Self.status(21008), Self.valid])
        let answer = try await back.client.verify(Self.receipt, first: .sandbox)
        #expect(answer.environment == .production)
        #expect(back.hosts == ["sandbox.itunes.apple.com", "buy.itunes.apple.com"])
    }
}
