import AppStore
import Synchronization

/// A performance test of the real-time URL (Retention Messaging API, Initiate Performance Test):
/// what it sends, and how it goes.
struct ServedPerformanceTest: Sendable {
    /// The originalTransactionId that the requests are about.
    let chain: String
    /// The URL of the requests.
    let target: String
    private(set) var failures: [AttemptResult: Int] = [:]
    private(set) var successCount = 0
    /// Response times of the requests that reached a server, in milliseconds.
    private var times: [Int64] = []

    /// Requests of one test. This and the two figures below are examples in Apple's libraries:
    /// Apple states its own only in the response.
    static let requestCount = 100
    /// Most requests at once.
    static let concurrency = 10
    /// Successful requests, in percent, from which on a test passes.
    static let passingPercent = 95
    /// The locale of the requests.
    static let locale = "en-US"

    init(chain: String, target: String) {
        self.chain = chain
        self.target = target
    }

    private var endedCount: Int { failures.values.reduce(successCount, +) }

    /// Whether requests are still to be sent, or to end.
    var isPending: Bool { endedCount < ServedPerformanceTest.requestCount }

    /// Of the requests that have ended, rounded down.
    private var successPercent: Int { endedCount > 0 ? successCount * 100 / endedCount : 0 }

    /// Notes the end of one request. A late response counts as none.
    mutating func note(_ result: AttemptResult, milliseconds: Int64) {
        let isLate = milliseconds > SimulatedAPI.realtimeMilliseconds
        let end: AttemptResult = result == .success && isLate ? .timedOut : result
        if end == .success { successCount += 1 } else { failures[end, default: 0] += 1 }
        if [.success, .timedOut, .unsuccessfulHTTPResponseCode].contains(end) {
            times.append(milliseconds)
        }
    }

    // MARK: Apple's objects

    /// PerformanceTestConfig.
    static func writeConfig(to json: inout JSONWriter) {
        let rounds = Int64(requestCount / concurrency)
        json.object("config") { json in
            json.member("maxConcurrentRequests", concurrency)
            json.member("totalRequests", requestCount)
            json.member("totalDuration", rounds * SimulatedAPI.realtimeMilliseconds)
            json.member("responseTimeThreshold", SimulatedAPI.realtimeMilliseconds)
            json.member("successRateThreshold", passingPercent)
        }
    }

    /// PerformanceTestResultResponse.
    func writeMembers(to json: inout JSONWriter) {
        let isPassing = successPercent >= ServedPerformanceTest.passingPercent
        ServedPerformanceTest.writeConfig(to: &json)
        json.member("target", target)
        json.member("result", isPending ? "PENDING" : isPassing ? "PASS" : "FAIL")
        json.member("successRate", successPercent)
        json.member("numPending", ServedPerformanceTest.requestCount - endedCount)
        json.object("responseTimes") { json in
            json.member("average", times.reduce(0, +) / Int64(max(1, times.count)))
            for percent in [50, 90, 95, 99] { json.member("p\(percent)", time(percent)) }
        }
        json.object("failures") { json in
            for (result, count) in failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                json.member(result.rawValue, count)
            }
        }
    }

    /// The least time that so many percent of the responses did not exceed; 0 without responses.
    private func time(_ percent: Int) -> Int64 {
        guard !times.isEmpty else { return 0 }
        return times.sorted()[(times.count * percent + 99) / 100 - 1]
    }
}

extension SimulatedAPI {
    /// How long Apple waits for a real-time response, milliseconds (Retention Messaging API,
    /// Get Retention Message).
    public static let realtimeMilliseconds: Int64 = 700

    /// Performs the performance tests as they begin, until the task is cancelled.
    func performTests() async { for await id in begunTests { await perform(id) } }

    /// Sends the requests of a test, some of them at once.
    func perform(_ id: String) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<ServedPerformanceTest.requestCount {
                if number >= ServedPerformanceTest.concurrency { _ = await group.next() }
                group.addTask { await self.sendRequest(of: id) }
            }
        }
    }

    private func sendRequest(of id: String) async {
        guard let test = state.withLock({ $0.messaging.tests[id] }) else { return }
        let (result, milliseconds) = await attempt(test)
        state.withLock { $0.messaging.tests[id]?.note(result, milliseconds: milliseconds) }
    }

    private func attempt(
        _ test: ServedPerformanceTest
    ) async -> (AttemptResult, milliseconds: Int64) {
        guard let chain = setup.books.chains[test.chain] else { return (.other, 0) }
        var request = setup.books.retentionRequest(
            about: chain, at: setup.storeClock(), locale: ServedPerformanceTest.locale)
        // The receiver compares it with its own clock.
        request.signedDate = setup.clock()
        // Signing fails only for lack of memory.
        guard let body = try? setup.authority.retentionBody(request) else { return (.other, 0) }
        let start = ContinuousClock.now
        let result = await setup.post(body, test.target)
        let (seconds, attoseconds) = start.duration(to: .now).components
        return (result, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
