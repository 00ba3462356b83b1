import AppStore
import LedgerTestSupport
import NIOSSL
import Testing

@testable import AppStoreAPI

@Suite("Retries")
struct RetryTests {
    static let good = ScriptedTransport.Step.json("{\"signedTransactionInfo\":\"x\"}")

    func ask(_ asked: Asked, _ choice: EnvironmentChoice = .only(.production)) async throws {
        _ = try await asked.client.transactionInfo("1", in: choice)
    }

    @Test(
        "transient failures are retried",
        arguments: [
            ScriptedTransport.Step.json("", status: 500), .json("", status: 503),
            .refusal(5_000_001), .refusal(4_040_002), .refusal(4_040_004), .refusal(4_040_006),
            .failure(.notConnected), .failure(.disconnected), .failure(.timedOut),
            .failure(.connectTimedOut), .failure(.tlsFailed(reason: "x")),
        ])
    func passes(_ step: ScriptedTransport.Step) async throws {
        let asked = try Asked([step, step, RetryTests.good])
        try await ask(asked)
        #expect(asked.transport.requests.count == 3)
        #expect(asked.clock.waits == [500, 1_000])
    }

    @Test("a TLS connection that ends within a response was one; a failed handshake was none")
    func endedConnection() {
        #expect(HTTPTransport.failure(NIOSSLError.uncleanShutdown) == .disconnected)
        for (error, reason) in [
            (NIOSSLError.noCertificateToValidate, "noCertificateToValidate"),
            (NIOSSLError.handshakeFailed(.zeroReturn), "handshakeFailed"),
            (NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), "EOF during handshake"),
            (NIOSSLExtraError.failedToValidateHostname, "failedToValidateHostname"),
        ] as [(any Error, String)] {
            #expect(HTTPTransport.failure(error) == .tlsFailed(reason: reason), "\(error)")
        }
    }

    @Test("after close nothing is sent, so that a change has no unknown outcome")
    func closedTransport() async {
        let transport = HTTPTransport()
        await transport.close()
        let request = TransportRequest(method: "GET", url: "http://127.0.0.1:9/", headers: [])
        await #expect(throws: TransportFailure.notConnected) {
            try await transport.send(request)
        }
    }

    @Test("waits double up to the longest, and attempts are limited")
    func attempts() async throws {
        let asked = try Asked(
            [.json("", status: 503)],
            policy: RetryPolicy(
                attempts: 5, firstWaitMilliseconds: 100, longestWaitMilliseconds: 300))
        let failure = await Asked.failure { try await ask(asked) }
        #expect(failure?.code == .appleUnavailable)
        #expect(failure?.isRetryable == true)
        #expect(asked.transport.requests.count == 5)
        #expect(asked.clock.waits == [100, 200, 300, 300])
    }

    @Test("a port that no address has is no connection", arguments: ["0", "65536", "9\(Int.max)"])
    func unusablePort(port: String) async {
        let transport = HTTPTransport()
        let request = TransportRequest(method: "GET", url: "http://127.0.0.1:\(port)/", headers: [])
        await #expect(throws: TransportFailure.notConnected) { try await transport.send(request) }
        await transport.close()
    }

    @Test("jitter may reduce every wait to 0")
    func noWait() async throws {
        let asked = try Asked([.json("", status: 503)], chance: { $0.lowerBound })
        _ = await Asked.failure { try await ask(asked) }
        #expect(asked.transport.requests.count == RetryPolicy().attempts)
        #expect(asked.clock.waits.allSatisfy { $0 == 0 })
    }

    @Test("the budget bounds all waits together")
    func budget() async throws {
        let asked = try Asked(
            [.json("", status: 503)],
            policy: RetryPolicy(
                attempts: 100, firstWaitMilliseconds: 400, longestWaitMilliseconds: 400,
                budgetMilliseconds: 1_000))
        _ = await Asked.failure { try await ask(asked) }
        #expect(asked.clock.waits == [400, 400, 200])
        #expect(asked.transport.requests.count == 4)
    }

    @Test("Retry-After is the time of the next request in milliseconds")
    func retryAfter() async throws {
        let until = Asked.start.advanced(byMilliseconds: 7_000)
        let limited = TransportResponse(
            status: 429, retryAfter: String(until.milliseconds),
            body: Array("{\"errorCode\":4290000}".utf8))
        let asked = try Asked([.answer(limited), RetryTests.good], chance: { $0.lowerBound })
        try await ask(asked)
        #expect(asked.clock.now >= until)
        #expect(asked.clock.waits == [7_000])
    }

    @Test("a Retry-After at the budget is waited for, a longer one is reported")
    func retryAfterBound() async throws {
        for (wait, count) in [(5_000, 2), (5_001, 1)] {
            let until = Asked.start.advanced(byMilliseconds: Int64(wait))
            let limited = TransportResponse(status: 429, retryAfter: String(until.milliseconds))
            let asked = try Asked(
                [.answer(limited), RetryTests.good],
                policy: RetryPolicy(budgetMilliseconds: 5_000), chance: { $0.lowerBound })
            let failure = await Asked.failure { try await ask(asked) }
            #expect(asked.transport.requests.count == count)
            #expect((failure == nil) == (count == 2))
            if let failure {
                #expect(failure.code == .rateLimited)
                #expect(failure.retryAt == until)
                #expect(asked.clock.waits == [])
            }
        }
    }

    @Test(
        "during a long hold requests fail with its end instead of waiting")
    func longHold() async throws {
        let until = Asked.start.advanced(byMilliseconds: 600_000)
        let limited = TransportResponse(status: 429, retryAfter: String(until.milliseconds))
        let asked = try Asked([.answer(limited), RetryTests.good])
        #expect(await Asked.failure { try await ask(asked) }?.retryAt == until)
        asked.clock.advance(byMilliseconds: 1_000)
        let later = await Asked.failure { try await ask(asked) }
        #expect(later?.code == .rateLimited)
        #expect(later?.retryAt == until)
        #expect(asked.transport.requests.count == 1)
        #expect(asked.clock.waits == [])
        // A wait within the budget is made.
        asked.clock.advance(byMilliseconds: 599_000 - RetryPolicy().budgetMilliseconds)
        try await ask(asked)
        #expect(asked.clock.waits == [RetryPolicy().budgetMilliseconds])
        #expect(asked.transport.requests.count == 2)
    }

    @Test("a refusal without Retry-After says to try again later")
    func unlimitedHold() async throws {
        // given
        let limited = Array(repeating: TransportResponse(status: 429), count: 10)
        let asked = try Asked(limited.map { .answer($0) })
        // when
        let failure = await Asked.failure { try await ask(asked) }
        // then
        #expect(failure?.code == .rateLimited && failure?.retryAt == nil)
        #expect(failure?.remedy.hasPrefix("Try again later.") == true)
    }

    @Test("the next request is sent within the hour, however long Apple's hold")
    func farHold() async throws {
        let limited = TransportResponse(status: 429, retryAfter: String(Int64.max))
        let asked = try Asked([.answer(limited), RetryTests.good])
        #expect(await Asked.failure { try await ask(asked) }?.code == .rateLimited)
        asked.clock.advance(byMilliseconds: APILimits.longestHoldMilliseconds)
        try await ask(asked)
        #expect(asked.transport.requests.count == 2)
        #expect(asked.clock.waits == [])
    }

    @Test("Retry-After is read as milliseconds since 1970, or as seconds from now")
    func retryAfterForms() {
        let now = Asked.start
        #expect(
            RetryAfter.read("1000000000000", now: now) == Timestamp(milliseconds: 1_000_000_000_000)
        )
        #expect(RetryAfter.read(" 3 ", now: now) == now.advanced(byMilliseconds: 3_000))
        for text in ["", "soon", "-1", "1.5"] { #expect(RetryAfter.read(text, now: now) == nil) }
        #expect(RetryAfter.read(nil, now: now) == nil)
    }

    @Test(
        "a change with an unknown outcome is not sent twice",
        arguments: [
            ScriptedTransport.Step.json("", status: 500), .failure(.disconnected),
            .failure(.timedOut), .failure(.tooLarge), .failure(.cancelled), .json("<html>"),
            .json("{\"success\":"), .json("{}", status: 202),
        ])
    func unknownOutcome(_ step: ScriptedTransport.Step) async throws {
        let asked = try Asked([step])
        let failure = await Asked.failure { try await RequestTests.extend(asked) }
        #expect(failure?.code == .unknownOutcome)
        #expect(asked.transport.requests.count == 1)
    }

    @Test("a change whose task was cancelled before is not sent, and says so")
    func cancelledBefore() async throws {
        // given
        let asked = try Asked([.json("{\"success\":true}")])
        // when
        let failure = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Asked.failure { _ = try await RequestTests.extend(asked) }
        }.value
        // then
        #expect(failure?.code == .cancelled)
        #expect(asked.transport.requests.isEmpty)
    }

    /// Changes that could be applied twice, or that Apple refuses a second time.
    private static let once: Set<Endpoint> = [
        .extendRenewalDate, .massExtendRenewalDate, .requestTestNotification, .uploadImage,
        .deleteImage, .uploadMessage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL,
        .initiatePerformanceTest,
    ]

    @Test(
        "what could take effect twice is sent once, and everything else again",
        arguments: RequestTests.reading + RequestTests.changing + RequestTests.messaging)
    func sentOnce(_ asking: RequestTests.Case) async throws {
        for step in [.json("", status: 503), .failure(.timedOut)] as [ScriptedTransport.Step] {
            // given
            let asked = try Asked([step], policy: RetryPolicy(attempts: 2))
            // when
            let failure = await Asked.failure { try await asking.ask(asked.client) }
            // then
            let isOnce = RetryTests.once.contains(asking.endpoint)
            #expect((failure?.code == .unknownOutcome) == isOnce)
            #expect(asked.transport.requests.count == (isOnce ? 1 : 2))
        }
    }

    @Test("a test notification with an unreadable response may have been sent")
    func unreadableTest() async throws {
        // given
        let asked = try Asked([.json("<html>")])
        // when
        let failure = await Asked.failure {
            _ = try await asked.client.requestTestNotification(in: .production)
        }
        // then
        #expect(failure?.code == .unknownOutcome)
        #expect(failure?.environment == .production)
    }

    @Test("an extension that Apple did not make is a refusal, not a success")
    func notExtended() async throws {
        // given
        let asked = try Asked([.json("{\"success\":false}")])
        // when
        let failure = await Asked.failure { try await RequestTests.extend(asked) }
        // then
        #expect(failure?.code == .refusedByApple)
        #expect(failure?.reason == "Apple did not extend the subscription.")
        #expect(asked.transport.requests.count == 1)
    }

    @Test(
        "a change that was not sent, or was rejected temporarily, is retried",
        arguments: [
            ScriptedTransport.Step.failure(.notConnected), .refusal(4_040_006), .refusal(4_290_000),
        ])
    func repeatedChange(_ step: ScriptedTransport.Step) async throws {
        let asked = try Asked([step, .json("{\"success\":true}")])
        let answer = try await RequestTests.extend(asked)
        #expect(answer.value.success == true)
        #expect(asked.transport.requests.count == 2)
    }

    // MARK: Tokens and environments

    @Test("a rejected token is replaced once, by Apple's clock")
    func clock() async throws {
        let refused = TransportResponse(status: 401, date: "Mon, 01 Jun 2026 01:00:00 GMT")
        let asked = try Asked([.answer(refused), RetryTests.good])
        try await ask(asked)
        let tokens = asked.transport.requests.compactMap { $0.header("authorization") }
        #expect(tokens.count == 2)
        #expect(Set(tokens).count == 2)
        #expect(asked.client.tokens.correctionMilliseconds == 3_600_000)
    }

    @Test("a token rejected twice is reported, with what to check")
    func refusedTwice() async throws {
        let asked = try Asked([.json("", status: 401)])
        let failure = await Asked.failure { try await ask(asked) }
        #expect(failure?.code == .unauthorized)
        #expect(failure?.isRetryable == false)
        #expect(asked.transport.requests.count == 2)
    }

    @Test(
        "ids unknown to Production are requested from Sandbox",
        arguments: [
            [ScriptedTransport.Step.refusal(4_040_010)],
            [.json("", status: 401), .json("", status: 401)],
        ])
    func fallback(_ steps: [ScriptedTransport.Step]) async throws {
        let asked = try Asked(steps + [RetryTests.good])
        let answer = try await asked.client.transactionInfo("1", in: .productionFirst)
        #expect(answer.environment == .sandbox)
        #expect(asked.transport.requests.last?.host == "api.storekit-sandbox.apple.com")
    }

    /// Responses of Production, then of Sandbox, and whose rejection is the failure.
    static let rejections: [([ScriptedTransport.Step], APIFailure.Code, Environment)] = [
        ([.refusal(4_040_010)], .refusedByApple, .production),
        ([.refusal(4_040_005)], .refusedByApple, .production),
        ([.json("", status: 401)], .unauthorized, .production),
        ([.refusal(4_040_010), .json("", status: 401)], .refusedByApple, .production),
        // An app that was never released: the token is rejected twice, and Sandbox decides.
        (
            [.json("", status: 401), .json("", status: 401), .refusal(4_040_010)],
            .refusedByApple, .sandbox
        ),
    ]

    @Test("an id in neither environment gets the rejection that decides", arguments: rejections)
    func nowhere(
        _ steps: [ScriptedTransport.Step], _ code: APIFailure.Code, _ environment: Environment
    ) async throws {
        let asked = try Asked(steps)
        let failure = await Asked.failure { try await ask(asked, .productionFirst) }
        #expect(failure?.code == code)
        #expect(failure?.environment == environment)
        #expect(asked.transport.requests.last?.host == "api.storekit-sandbox.apple.com")
    }

    @Test("each environment has its own address, without trailing slashes")
    func ownHosts() async throws {
        let hosts = APIHosts(production: "https://one.example/", sandbox: "https://two.example/x//")
        let asked = try Asked([.refusal(4_040_010), RetryTests.good], hosts: hosts)
        try await ask(asked, .productionFirst)
        let path = "/inApps/v1/transactions/1"
        #expect(
            asked.transport.requests.map(\.url) == [
                "https://one.example" + path, "https://two.example/x" + path,
            ])
    }

    @Test("a named environment is the only one used")
    func named() async throws {
        let asked = try Asked([.refusal(4_040_010)])
        _ = await Asked.failure { try await ask(asked) }
        #expect(asked.transport.requests.count == 1)
        let failure = await Asked.failure { try await ask(asked, .only(.xcode)) }
        #expect(failure?.code == .invalidRequest)
    }

    @Test("other rejections do not fall back to Sandbox")
    func noFallback() async throws {
        let asked = try Asked([.refusal(4_000_006)])
        _ = await Asked.failure { try await ask(asked, .productionFirst) }
        #expect(asked.transport.requests.count == 1)
    }
}
