import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Service
import Synchronization
import Testing

@testable import Web

@Suite("Clients that disconnect within a body, and unexpected failures")
struct BodyCutOffTests {
    private struct Unforeseen: Error {}

    /// A clock that a test moves.
    private final class Moment: Sendable {
        private let at = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { at.withLock { $0 } }
        func pass(_ duration: Duration) { at.withLock { $0 += duration } }
    }

    /// Half a body, then the error by which the connection ends.
    private static func cutOff(by error: any Error) -> RequestBody {
        let (stream, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        continuation.yield(ByteBuffer(string: #"{"a":"#))
        continuation.finish(throwing: error)
        return RequestBody(asyncSequence: stream)
    }

    private func application(_ logs: LogCodes, _ moment: Moment = Moment(), metrics: ServiceMetrics)
        -> some ApplicationProtocol
    {
        let router = Router(context: WebContext.self)
        router.add(middleware: RequestMeter(metrics: metrics))
        router.add(middleware: ProblemMiddleware(pace: LogRateLimiter { moment.now }))
        router.post("unforeseen") { _, _ -> String in throw Unforeseen() }
        let bodies = BodyReader()
        let ends: [String: any Error] = [
            "reset": IOError(errnoCode: ECONNRESET, reason: "read"),
            "closed": ChannelError.inputClosed, "cancelled": CancellationError(),
        ]
        for (name, end) in ends {
            router.post(RouterPath(name)) { request, _ -> String in
                let cut = Request(head: request.head, body: BodyCutOffTests.cutOff(by: end))
                return try await bodies.json(cut, upTo: 100) { _ in "read" }
            }
        }
        return Application(router: router, logger: logs.logger)
    }

    @Test(
        "A body that is cut off is not a failure of the service, whatever the connection's error"
    )
    func cutOff() async throws {
        let logs = LogCodes()
        let metrics = ServiceMetrics()
        try await application(logs, metrics: metrics).test(.router) { client in
            for name in ["reset", "closed", "cancelled"] {
                let answer = try await client.execute(uri: "/\(name)", method: .post)
                #expect(answer.status == .badRequest)
                #expect(String(buffer: answer.body).contains(#""code":"badRequest""#))
            }
        }
        #expect(logs.errors(.error).count == 0)
        #expect(logs.errors(.debug).count == 3)
        let text = metrics.registry.text()
        for name in ["reset", "closed", "cancelled"] {
            #expect(
                text.contains(
                    #"subledger_http_requests_total{method="POST",path="/\#(name)",status="400"} 1"#
                ))
        }
    }

    @Test("The memory of a body that is cut off is released")
    func givenBack() async throws {
        let bodies = BodyReader()
        let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        let cut = Request(head: head, body: BodyCutOffTests.cutOff(by: CancellationError()))
        await #expect(throws: TruncatedBody.self) {
            try await bodies.json(cut, upTo: 100) { _ in }
        }
        #expect(bodies.held.take(BodyReader.heldByteCount) != nil)
    }

    @Test("Unexpected failures are logged ten times per second, and answered every time")
    func bounded() async throws {
        let logs = LogCodes()
        let moment = Moment()
        try await application(logs, moment, metrics: ServiceMetrics()).test(.router) { client in
            for _ in 0...LogRateLimiter.entriesPerSecond {
                let answer = try await client.execute(uri: "/unforeseen", method: .post)
                #expect(answer.status == .internalServerError)
            }
            #expect(logs.errors(.error).count == LogRateLimiter.entriesPerSecond)
            moment.pass(.milliseconds(1_001))
            _ = try await client.execute(uri: "/unforeseen", method: .post)
        }
        #expect(logs.errors(.error).count == LogRateLimiter.entriesPerSecond + 1)
        #expect(logs.errors(.error).last?["suppressed"] == "1")
        #expect(logs.errors(.error).last?["error"] == "Unforeseen")
    }

    @Test("A page that fails unexpectedly, and a form that is cut off, are logged as elsewhere")
    func pages() async throws {
        let logs = LogCodes()
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let tokens = AccessTokens([])
            let access = ConsoleGuard(
                sessions: ConsoleSessions(tokens),
                pages: ConsolePages(
                    host: host, tokens: tokens, answers: ResponseMemoryBudget()),
                problems: ProblemMiddleware())
            let router = Router(context: WebContext.self)
            router.add(middleware: access)
            router.get("console/unforeseen") { _, _ -> String in throw Unforeseen() }
            router.get("console/cut") { request, _ -> String in
                var head = request.head
                head.headerFields[.contentType] = "application/x-www-form-urlencoded"
                let end = IOError(errnoCode: ECONNRESET, reason: "read")
                _ = try await ConsoleForm(
                    Request(head: head, body: BodyCutOffTests.cutOff(by: end)))
                return "read"
            }
            let application = Application(router: router, logger: logs.logger)
            try await application.test(.router) { client in
                let failed = try await client.execute(uri: "/console/unforeseen", method: .get)
                #expect(failed.status == .internalServerError)
                #expect(failed.headers[.contentType] == "text/html; charset=utf-8")
                let cut = try await client.execute(uri: "/console/cut", method: .get)
                #expect(cut.status == .badRequest)
            }
        }
        #expect(logs.errors(.error).map { $0["error"]?.description } == ["Unforeseen"])
        #expect(logs.errors(.debug).map { $0["error"]?.description } == ["IOError"])
    }

    @Test("A flood of one code does not suppress other codes")
    func codes() {
        let moment = Moment()
        let pace = LogRateLimiter { moment.now }
        for _ in 0..<LogRateLimiter.entriesPerSecond { #expect(pace.admit("a") == 0) }
        #expect(pace.admit("a") == nil)
        #expect(pace.admit("b") == 0)
        moment.pass(.seconds(1))
        #expect(pace.admit("a") == nil)
        moment.pass(.milliseconds(1))
        #expect(pace.admit("a") == 2)
        #expect(pace.admit("a") == 0)
    }
}
