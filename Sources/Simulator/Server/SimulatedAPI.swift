public import AppStore
import Foundation
import Synchronization

/// The App Store Server API for one app and environment: answers from the records of simulated
/// lives, with Apple's paging, windows, error numbers and rates, and with the faults of a script.
/// No I/O: `SimulatedServer` serves it on a port, and sends what a performance test requires.
public final class SimulatedAPI: Sendable {
    /// Data, accepted key and behaviour.
    public struct Setup: Sendable {
        public var books: ServedRecords
        public var key: ServedKey
        public var authority: Authority
        /// The secret that verifyReceipt accepts.
        public var sharedSecret = SimulatedAPI.usualSharedSecret
        public var faults: [ServedFaultRule] = []
        /// The window of rate limits: Apple counts over an hour (App Store Server API); nil
        /// disables them.
        public var rateWindowMilliseconds: Int64? = 3_600_000
        /// The delivery attempts of the notifications Apple sent.
        public var attempts: AttemptLog
        /// Posts a body to a URL once, as Apple does, for performance tests of the real-time URL;
        /// by default there is no response.
        public var post: @Sendable (_ body: [UInt8], _ url: String) async -> AttemptResult = {
            _, _ in .noResponse
        }
        /// The simulated time, also of `Date`.
        public var storeClock: @Sendable () -> Timestamp
        /// The current time, for tokens and rates.
        public var clock: @Sendable () -> Timestamp

        /// Apple's data and what signs it. Without `attempts` every first delivery succeeded.
        public init(
            books: ServedRecords, key: ServedKey, authority: Authority,
            attempts: AttemptLog? = nil, storeClock: @escaping @Sendable () -> Timestamp,
            clock: @escaping @Sendable () -> Timestamp
        ) {
            self.books = books
            self.key = key
            self.authority = authority
            self.attempts = attempts ?? AttemptLog(delivering: books)
            self.storeClock = storeClock
            self.clock = clock
        }
    }

    /// Changes made by requests.
    struct State: Sendable {
        /// Number of requests, by kind and in total.
        var counts: [ServedEndpoint: Int] = [:]
        var count = 0
        var windows: [ServedEndpoint: RateWindow] = [:]
        var pages = 0
        /// Tokens set by `setAppAccountToken`, by chain, newest last: of purchases from a time on.
        var tokens: [String: [(from: Timestamp, token: String)]] = [:]
        /// Days added to a transaction, by chain, newest last, with the store's time.
        var extensions: [String: [(at: Timestamp, days: Int64, transaction: String)]] = [:]
        var massExtensions: [String: Timestamp] = [:]
        var tests: [String: ServedTest] = [:]
        var messaging = ServedMessaging()
    }

    /// A requested test notification.
    struct ServedTest: Sendable {
        let payload: NotificationPayload
        var requests = 0
    }

    /// Number of requests since the window began.
    struct RateWindow: Sendable {
        var start: Timestamp
        var count: Int64
    }

    /// The default shared secret of the app; public, so not a secret.
    public static let usualSharedSecret = "simulated-shared-secret"

    let setup: Setup
    let state = Mutex(State())
    /// Names each performance test that begins.
    let testBegun: AsyncStream<String>.Continuation
    let begunTests: AsyncStream<String>

    /// An API without changes.
    public init(_ setup: Setup) {
        self.setup = setup
        let begun = AsyncStream.makeStream(of: String.self)
        begunTests = begun.stream
        testBegun = begun.continuation
    }

    /// Number of requests per endpoint, refused ones included.
    public var counts: [ServedEndpoint: Int] { state.withLock { $0.counts } }

    /// Answers a request. The same requests in the same order get the same responses, except for
    /// signatures and clocks.
    public func answer(_ request: ServedRequest) -> ServedResponse {
        var segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? "" }
        if segments.first == "" { segments.removeFirst() }
        if segments == ["verifyReceipt"] { return dated(verifyReceipt(request)) }
        guard let (endpoint, ids) = ServedEndpoint.find(request.method, segments) else {
            return dated(ServedResponse(status: 404))
        }
        let fault = nextFault(endpoint)
        if let early = early(fault) { return dated(early, fault) }
        var now = setup.clock()
        if case .clock(let milliseconds) = fault {
            now = now.advanced(byMilliseconds: milliseconds)
        }
        let isKnown = setup.key.accepts(
            request.authorization, bundleId: setup.books.bundleId, at: now)
        guard isKnown else { return dated(ServedResponse(status: 401), fault) }
        if let until = rateLimit(endpoint, setup.clock()) {
            return dated(SimulatedAPI.rateLimited(until: until), fault)
        }
        var reply: ServedResponse
        do throws(ServedError) {
            let handlers = EndpointHandlers(api: self, now: setup.storeClock(), fault: fault)
            reply = try handlers.answer(endpoint, ids, request)
        } catch {
            reply = ServedResponse(error)
        }
        finish(&reply, fault)
        return dated(reply, fault)
    }

    // MARK: Faults

    private func nextFault(_ endpoint: ServedEndpoint) -> ServedFault? {
        let (own, all) = state.withLock { state in
            state.count += 1
            state.counts[endpoint, default: 0] += 1
            return (state.counts[endpoint] ?? 0, state.count)
        }
        return setup.faults.first { rule in
            guard let only = rule.only else { return rule.hits(all) }
            return only == endpoint && rule.hits(own)
        }?.fault
    }

    /// Faults that replace the whole response.
    private func early(_ fault: ServedFault?) -> ServedResponse? {
        switch fault {
        case .rateLimited(let milliseconds):
            return SimulatedAPI.rateLimited(
                until: setup.clock().advanced(byMilliseconds: milliseconds))
        case .error(let number):
            return ServedResponse(ServedError(number, "Scripted fault."))
        case .status(let status): return ServedResponse(status: status)
        case .dropped: return ServedResponse(status: 200, manner: .dropped)
        case .garbage:
            return ServedResponse(status: 200, body: Array("<html>It works!</html>".utf8))
        case .oversized(let count):
            return ServedResponse(
                status: 200, body: [UInt8](repeating: UInt8(ascii: " "), count: count))
        default: return nil
        }
    }

    private func finish(_ reply: inout ServedResponse, _ fault: ServedFault?) {
        switch fault {
        case .half: reply.manner = .half
        case .slow(let milliseconds): reply.delayMilliseconds = milliseconds
        default: break
        }
    }

    private static func rateLimited(until date: Timestamp) -> ServedResponse {
        var reply = ServedResponse(ServedError(4_290_000, "Rate limit exceeded."))
        reply.headers.append((name: "retry-after", value: String(date.milliseconds)))
        return reply
    }

    private func dated(_ reply: ServedResponse, _ fault: ServedFault? = nil) -> ServedResponse {
        var reply = reply
        // Of a rejected token the clock that checks tokens, which the client's must agree with.
        var now = reply.status == 401 ? setup.clock() : setup.storeClock()
        if case .clock(let milliseconds) = fault {
            now = now.advanced(byMilliseconds: milliseconds)
        }
        reply.headers.append((name: "date", value: HTTPDateText.text(now)))
        if !reply.body.isEmpty {
            reply.headers.append((name: "content-type", value: "application/json"))
        }
        return reply
    }

    // MARK: Rates

    /// When the next request is allowed; nil when this one is.
    private func rateLimit(_ endpoint: ServedEndpoint, _ now: Timestamp) -> Timestamp? {
        guard let length = setup.rateWindowMilliseconds else { return nil }
        let divisor: Int64 = setup.books.environment == .production ? 1_000 : 10_000
        let allowance = max(1, endpoint.requestsPerSecond * length / divisor)
        return state.withLock { state in
            var window = state.windows[endpoint] ?? RateWindow(start: now, count: 0)
            if now.milliseconds(since: window.start) >= length {
                window = RateWindow(start: now, count: 0)
            }
            defer { state.windows[endpoint] = window }
            guard window.count < allowance else {
                return window.start.advanced(byMilliseconds: length)
            }
            window.count += 1
            return nil
        }
    }
}
