import AppStore
import LedgerTestSupport
import Signing
import Synchronization
import Testing

@testable import AppStoreAPI
@testable import Simulator

@Suite("Performance tests of the simulated Apple")
struct SimulatedPerformanceTests {
    private static let messaging = "/inApps/v1/messaging"
    private static let target = "http://127.0.0.1:8080/appstore/retention"
    private static let id = Served.books.someIds(1)[0]

    /// The requests that were posted, and how many at once.
    private final class Receiver: Sendable {
        struct State {
            var bodies: [(body: [UInt8], url: String)] = []
            var current = 0
            var most = 0
        }

        let state = Mutex(State())

        func post(_ body: [UInt8], _ url: String) async -> AttemptResult {
            state.withLock { state in
                state.bodies.append((body, url))
                state.current += 1
                state.most = max(state.most, state.current)
            }
            await Task.yield()
            state.withLock { $0.current -= 1 }
            return .unsuccessfulHTTPResponseCode
        }
    }

    private func api(_ receiver: Receiver) -> SimulatedAPI {
        var setup = SimulatedAPI.Setup(
            books: Served.books, key: Asked.key, authority: TestAuthority.shared,
            attempts: RecoveryWorld.attempts, storeClock: { Served.now }, clock: { Served.now })
        setup.post = { body, url in await receiver.post(body, url) }
        return SimulatedAPI(setup)
    }

    private func ask(
        _ api: SimulatedAPI, _ method: String, _ path: String, _ body: String = ""
    ) throws -> (status: Int, json: JSONValue) {
        let token = try TokenSource(Asked.credentials()).token(at: Served.now)
        let reply = api.answer(
            ServedRequest(
                method: method, path: SimulatedPerformanceTests.messaging + path,
                authorization: "Bearer \(token)", body: Array(body.utf8)))
        return (reply.status, (try? JSONValue.parse(reply.body)) ?? .null)
    }

    private func start(_ api: SimulatedAPI) throws -> (status: Int, json: JSONValue) {
        try ask(
            api, "POST", "/performanceTest",
            "{\"originalTransactionId\":\"\(SimulatedPerformanceTests.id)\"}")
    }

    private func setURL(_ api: SimulatedAPI, _ url: String) throws -> Int64? {
        let reply = try ask(api, "PUT", "/realtime/url", "{\"realtimeURL\":\"\(url)\"}")
        return reply.json["errorCode"]?.int64
    }

    @Test("Without a URL there is no test; plain http is for this machine only")
    func refused() throws {
        let api = api(Receiver())
        #expect(try start(api).json["errorCode"]?.int64 == 4_040_021)
        let unknown = try ask(api, "GET", "/performanceTest/result/test-1")
        #expect(unknown.json["errorCode"]?.int64 == 4_040_018)
        for url in ["http://example.com/", "http://127.0.0.1.example.com/", "ftp://127.0.0.1/"] {
            #expect(try setURL(api, url) == 4_000_215, "\(url)")
        }
        #expect(try setURL(api, "https://example.com/") == nil)
        #expect(try setURL(api, SimulatedPerformanceTests.target) == nil)
    }

    @Test("A test posts its number of signed requests, a bounded number at once, to the URL")
    func performed() async throws {
        let receiver = Receiver()
        let api = api(receiver)
        _ = try setURL(api, SimulatedPerformanceTests.target)
        let begun = try start(api)
        #expect(begun.status == 200)
        #expect(begun.json["config"]?["totalRequests"]?.int64 == 100)
        let id = try #require(begun.json["requestId"]?.string)
        #expect(try start(api).json["errorCode"]?.int64 == 4_000_213)
        let path = "/performanceTest/result/\(id)"
        let pending = try ask(api, "GET", path).json
        #expect(pending["result"]?.string == "PENDING")
        #expect(pending["numPending"]?.int64 == 100)

        await api.perform(id)
        let posted = receiver.state.withLock { $0.bodies }
        #expect(posted.count == ServedPerformanceTest.requestCount)
        #expect(receiver.state.withLock { $0.most } <= ServedPerformanceTest.concurrency)
        var identifiers: Set<String> = []
        let verifier = try Served.verifier
        for (body, url) in posted {
            #expect(url == SimulatedPerformanceTests.target)
            let token = try #require(try JSONValue.parse(body)["signedPayload"]?.string)
            let request = try verifier.verifyRetentionRequest(
                Array(token.utf8), receivedAt: Served.now
            ).payload
            #expect(request.originalTransactionId?.rawValue == SimulatedPerformanceTests.id)
            #expect(request.signedDate == Served.now)
            identifiers.insert(request.requestIdentifier ?? "")
        }
        #expect(identifiers.count == posted.count)
        let result = try ask(api, "GET", path).json
        #expect(result["result"]?.string == "FAIL")
        #expect(result["target"]?.string == SimulatedPerformanceTests.target)
        #expect(result["successRate"]?.int64 == 0)
        #expect(result["numPending"]?.int64 == 0)
        #expect(result["failures"]?["UNSUCCESSFUL_HTTP_RESPONSE_CODE"]?.int64 == 100)
        // Another one may begin.
        #expect(try start(api).json["requestId"]?.string == "test-2")
    }

    private func result(_ attempts: [(AttemptResult, Int64)]) throws -> JSONValue {
        var test = ServedPerformanceTest(chain: "1", target: "https://example.com/")
        for (result, milliseconds) in attempts { test.note(result, milliseconds: milliseconds) }
        var json = JSONWriter()
        json.object { test.writeMembers(to: &$0) }
        return try JSONValue.parse(json.bytes)
    }

    private func attempts(
        _ count: Int, _ result: AttemptResult, _ milliseconds: Int64
    ) -> [(AttemptResult, Int64)] {
        Array(repeating: (result, milliseconds), count: count)
    }

    @Test("95 of 100 within 700 ms pass; one fewer, or a millisecond more, fails")
    func threshold() throws {
        let most = attempts(94, .success, 700) + attempts(5, .noResponse, 0)
        let passed = try result(most + attempts(1, .success, 700))
        #expect(passed["result"]?.string == "PASS")
        #expect(passed["successRate"]?.int64 == 95)
        #expect(passed["failures"]?["NO_RESPONSE"]?.int64 == 5)
        let failed = try result(most + attempts(1, .success, 701))
        #expect(failed["result"]?.string == "FAIL")
        #expect(failed["failures"]?["TIMED_OUT"]?.int64 == 1)
        #expect(try result(most)["result"]?.string == "PENDING")
    }

    @Test("Percentiles are by nearest rank, over the requests that reached a server")
    func percentiles() throws {
        let times = (1...99).reversed().map { (AttemptResult.success, Int64($0)) }
        let found = try result(times + attempts(1, .noResponse, 5_000))["responseTimes"]
        for (name, value) in [("average", 50), ("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99)] {
            #expect(found?[name]?.int64 == Int64(value), "\(name)")
        }
        let none = try result([])["responseTimes"]
        #expect(none?["p99"]?.int64 == 0)
        #expect(none?["average"]?.int64 == 0)
    }
}
