import AppStore
import Hummingbird
internal import Intake
internal import LedgerStore
import Logging
import NIOCore
public import Service
internal import Simulator
import Synchronization
internal import Web

/// The service under load, client and server in one process on the same cores, compared with a
/// plain Hummingbird that answers from memory and with a bare insert.
public struct HTTPBench: Sendable {
    /// A directory that holds the requested chains.
    let configuration: ServiceConfiguration
    /// Ids for random queries.
    let chains: @Sendable (_ number: Int) -> String
    let chainCount: Int
    /// Customers to query, in any order.
    let customers: [String]
    /// Bodies to post, each once.
    let bodies: [[UInt8]]
    let host: LedgerHost

    static let queryConnectionCount = 32
    static let notificationConnectionCount = 64
    static let querySeconds: Int64 = 10
    /// Notifications per second of the steady load (`BENCHMARKS.md`).
    static let steadyRate = 2_500.0
    /// Share of the bodies sent in the steady load.
    static let steadyShare = 0.4
    private static let bareInsertCount = 2_000
    private static let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }

    public init(
        host: LedgerHost, chainCount: Int, chains: @escaping @Sendable (Int) -> String,
        customers: [String], bodies: [[UInt8]]
    ) {
        self.host = host
        configuration = host.configuration
        self.chainCount = chainCount
        self.chains = chains
        self.customers = customers
        self.bodies = bodies
    }

    /// Runs everything; stops the service at the end.
    public func run() async throws -> [BenchRow] {
        let hello = chainCount > 0 ? try await hello() : LoadResult()
        return try await serving { port in
            try await queries(port, hello) + notifications(port)
        }
    }

    /// Runs the work while the service answers; stops it at the end.
    func serving(
        _ work: @escaping @Sendable (_ port: Int) async throws -> [BenchRow]
    ) async throws -> [BenchRow] {
        let service = try WebService(host: host, logger: HTTPBench.logger)
        async let projecting: Void = host.run()
        let result: Result<[BenchRow], any Error>
        do {
            result = .success(
                try await Serving.whileRunning({ service.listener(onRunning: $0) }, work))
        } catch { result = .failure(error) }
        host.stop()
        await projecting
        return try result.get()
    }

    // MARK: Queries

    private func hello() async throws -> LoadResult {
        let router = Router()
        router.get("/hello") { _, _ in "Hello, world" }
        return try await Serving.whileRunning { onRunning in
            Application(
                router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { await onRunning($0.localAddress?.port ?? 0) },
                logger: HTTPBench.logger)
        } _: { port in
            try await HTTPBench.load(port, [HTTPBench.get("/hello")])
        }
    }

    private func queries(_ port: Int, _ hello: LoadResult) async throws -> [BenchRow] {
        // Queried in an order unrelated to theirs.
        func some(_ count: Int) -> [Int] {
            (0..<min(count, HTTPBench.requestedCount)).map { $0 &* 7_919 % count }
        }
        let entitlements = some(customers.count).map {
            HTTPBench.get("/v1/customers/\(customers[$0])/entitlements")
        }
        let subscriptions = some(chainCount).map {
            HTTPBench.get("/v1/subscriptions/\(chains($0))")
        }
        return try await measure("http", port, entitlements, hello)
            + measure("http.subscriptions", port, subscriptions, hello)
    }

    /// Number of distinct queries.
    private static let requestedCount = 50_000

    private func measure(
        _ name: String, _ port: Int, _ requests: [ByteBuffer], _ hello: LoadResult
    ) async throws -> [BenchRow] {
        guard !requests.isEmpty else { return [] }
        let load = try await HTTPBench.load(port, requests)
        return [
            load.rate(
                name, "questions/s",
                against: .init("plain Hummingbird hello-world", hello.perSecond)),
            load.time("\(name).p99", 0.99), load.time("\(name).p50", 0.5),
        ]
    }

    /// Sends the requests in turn, for a second unmeasured: the first of a kind may fill a cache.
    static func load(
        _ port: Int, _ requests: [ByteBuffer], connectionCount: Int = queryConnectionCount,
        seconds: Int64 = querySeconds
    ) async throws -> LoadResult {
        var plan = LoadPlan(
            port: port, connectionCount: connectionCount,
            request: { requests[$0 % requests.count] }, limit: .seconds(1))
        _ = try await LoadClient.run(plan)
        plan.limit = .seconds(seconds)
        return try await LoadClient.run(plan)
    }

    static func get(_ path: String) -> ByteBuffer {
        ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    }

    // MARK: Notifications

    private func notifications(_ port: Int) async throws -> [BenchRow] {
        let steadyCount = Int(Double(bodies.count) * HTTPBench.steadyShare)
        let ledger = try host.ledger(.production)
        let worst = Mutex(Duration.zero)
        let watch = Task {
            while !Task.isCancelled {
                let lag = ledger.lag.time
                worst.withLock { $0 = max($0, lag) }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { watch.cancel() }
        let steady = try await post(port, 0..<steadyCount, rate: HTTPBench.steadyRate)
        watch.cancel()
        let used = ProcessorTime.seconds
        let full = try await post(port, steadyCount..<bodies.count, rate: nil)
        // Of the whole process, load client and projector included: more meaningful than a rate
        // where other processes use the same cores.
        let processor = (ProcessorTime.seconds - used) / Double(max(1, full.requestCount))
        let folder = configuration.dataDirectory
        // Each about the size of an event.
        let bare = try await Blocking.run {
            try BareStorage.inserts(
                directory: folder, count: HTTPBench.bareInsertCount, batchCount: 1,
                rowByteCount: 300, bodyByteCount: 1_200)
        }
        return [
            full.rate(
                "http.notifications", "notifications/s",
                against: .init("bare single-row durable inserts", bare)),
            full.time("http.notifications.p99", 0.99),
            full.row("http.notifications.processor", processor * 1e6, "µs"),
            steady.rate("http.steady", "notifications/s"),
            steady.time("http.steady.p99", 0.99),
            steady.row("http.steady.lag", worst.withLock { $0 } / .seconds(1), "s"),
        ]
    }

    func post(
        _ port: Int, _ range: Range<Int>, rate: Double?
    ) async throws -> LoadResult {
        try await LoadClient.run(
            LoadPlan(
                port: port, connectionCount: HTTPBench.notificationConnectionCount,
                request: { number in
                    guard number < range.count else { return nil }
                    return HTTPBench.post(
                        bodies[range.lowerBound + number], to: "/appstore/notifications")
                }, rate: rate))
    }

    static func post(_ body: [UInt8], to path: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeString(
            "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.count)\r\n\r\n")
        buffer.writeBytes(body)
        return buffer
    }
}
