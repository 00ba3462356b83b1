import AppStore
import HummingbirdTesting
import LedgerStore
import Projection
import Testing

@testable import Console
@testable import Service
@testable import Web

@Suite("Live pages")
struct LivePageTests {
    private static let home = "/console/production"
    private static let path = "\(home)/live"
    /// RFC 9112 §7.1, after another chunk.
    static let lastChunk = "\r\n0\r\n\r\n"

    private func status(
        _ environment: Environment, _ problem: String?, logByteCount: Int64 = 0
    ) -> IntakeStatus {
        let counts = IntakeCounts(since: ServedPlace.now, outcomes: [])
        var files = IntakeStatus.FileSizes()
        files.logByteCount = logByteCount
        return IntakeStatus(
            environment: environment, at: ServedPlace.now, problems: problem.map { [$0] } ?? [],
            head: 0,
            projectedPosition: nil, lagPositions: 0, lagMilliseconds: 0,
            clockJumpMilliseconds: nil, apps: [], intake: counts, unassigned: counts,
            quarantine: [], files: files)
    }

    private func frame(_ environment: Environment) -> Frame {
        Frame(
            state: ViewState(environment: environment), viewer: .unnamed, served: [environment],
            reportZone: ReportZone("UTC")!, now: ServedPlace.now, path: ["intake"])
    }

    /// The line of a node that accepts no events.
    private func refusal(_ environment: Environment) -> String {
        IntakePage.health(status(environment, "logUnavailable"), frame(environment)).text
    }

    @Test("A log that went back is to do, and Apple's repetitions are no remedy for it")
    func wentBack() {
        for environment in [Environment.production, .sandbox] {
            var frame = frame(environment)
            let status = status(environment, "logWentBack")
            for page in [HomePage.page(frame, status, []), IntakePage(frame, status).page] {
                #expect(page.html.contains("subledger log accept"))
                #expect(!page.html.contains("Apple sends"))
            }
            let item = "<li data-row><b>The log lacks events that this node has seen."
            #expect(!HomePage.page(frame, status, []).html.contains(item))
            frame.logFailure = StoreError(.logWentBack, reason: "", remedy: "")
            #expect(HomePage.page(frame, status, []).html.contains(item))
        }
    }

    @Test("Where the projector of a service with its own log fails, its pages say so")
    func failingProjector() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let served = try host.ledger(.production)
            let text = "This node cannot follow the log (ioError)."
            for path in ["/", "/intake"] {
                var page = ""
                // The next round of the projector, which works, may end the failure at any time.
                for _ in 0..<100 where !page.contains(text) {
                    served.note(projection: StoreError(.ioError, reason: "", remedy: ""))
                    page = try await client.get(LivePageTests.home + path).text
                }
                #expect(page.contains(text), "\(path)")
            }
        }
    }

    @Test("Sizes of the log and of operational state are those of files", arguments: [0, 4_096])
    func sizes(count: Int64) {
        let status = status(.production, "fileLocked", logByteCount: count)
        let page = IntakePage(frame(.production), status).page.html
        for name in ["Log", "Operations"] {
            #expect(page.contains("<dt>\(name)</dt>") == (count > 0), "\(name)")
        }
    }

    @Test("A node that has not read the database yet claims no lag, and knows no webhook")
    func unknown() {
        #expect(!refusal(.production).contains("lag"))
        let page = HomePage.page(frame(.production), status(.production, nil), nil).html
        #expect(page.contains("<h2>To do</h2>") && page.contains("Webhooks: unknown"))
    }

    @Test("Of refused notifications of the Sandbox it is said that Apple sends them once")
    func refusedOnce() {
        let (production, sandbox) = (refusal(.production), refusal(.sandbox))
        #expect(production.contains("Apple sends them again"))
        #expect(!sandbox.contains("again"))
        #expect(sandbox.contains("recover the window afterwards (30 days)"))
    }

    @Test("A message states the end of the log at once and after each event, and nothing of it")
    func ticks() async throws {
        try await ServedPlace().serve(.live) {
            (client: WebClient, _: LedgerHost) async throws in
            let port = try #require(client.client.port)
            let purchase = MadePurchase()
            try await StreamReader.open(port: port, LivePageTests.path) {
                (stream: StreamReader) async throws in
                #expect(await stream.wait(for: "data: 0\n\n"))
                #expect(stream.text.hasPrefix("HTTP/1.1 200 "))
                #expect(stream.text.contains("text/event-stream"))
                #expect(stream.text.contains("retry: \(StreamLimits.retryMilliseconds)\n\n"))
                let posted = try await client.notify(purchase.notificationBody(0))
                #expect(posted.status == 200)
                #expect(await stream.wait(for: "data: 1\n\n"))
                let lines = stream.text.split(separator: "data: ").dropFirst()
                    .map { $0.prefix { $0 != "\n" } }
                #expect(Set(lines) == ["0", "1"])
                #expect(!stream.text.contains(purchase.id))
            }
        }
    }

    /// Runs `body` while `count` streams are open.
    private static func holding(
        _ count: Int, port: Int, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await StreamReader.open(port: port, path) {
            (stream: StreamReader) async throws -> Void in
            #expect(await stream.wait(for: "data: "))
            try await holding(count - 1, port: port, body)
        }
    }

    @Test("One stream more than the limit is refused, and admitted once another has ended")
    func bound() async throws {
        try await ServedPlace().serve(.live) {
            (client: WebClient, _: LedgerHost) async throws in
            let port = try #require(client.client.port)
            try await LivePageTests.holding(LivePages.streamCount, port: port) {
                let refused = try await client.get(LivePageTests.path)
                #expect(refused.status == 503 && refused.text.contains("tooManyStreams"))
            }
            var isOpen = false
            while !isOpen {
                isOpen = try await StreamReader.open(port: port, LivePageTests.path) {
                    (stream: StreamReader) async throws -> Bool in
                    _ = await stream.wait(for: "\r\n\r\n")
                    return stream.text.hasPrefix("HTTP/1.1 200 ")
                }
                // A stream notices within `LivePages.poll` that its browser has left.
                if !isOpen { try await Task.sleep(for: LivePages.poll / 4) }
            }
        }
    }

    @Test("A stream ends with the service, and is not cut off")
    func shutdown() async throws {
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let reading = try await ServedPlace().serve(.live) {
            (client: WebClient, _: LedgerHost) async throws -> Task<Bool, any Error> in
            let port = try #require(client.client.port)
            let reading = Task {
                defer { begins.finish() }
                return try await StreamReader.open(port: port, LivePageTests.path) {
                    (stream: StreamReader) async throws -> Bool in
                    guard await stream.wait(for: "data: ") else { return false }
                    begins.finish()
                    return await stream.wait(for: LivePageTests.lastChunk)
                }
            }
            for await _ in begun {}
            return reading
        }
        #expect(try await reading.value)
    }

    @Test("Pages of what goes on are live; a part of the log stays as it is")
    func pages() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (path, isLive) in [
                ("events", true), ("intake", true), ("audit", true), ("recoveries", true),
                ("events?live=false", false), ("events?before=1", false),
                ("events?types=REFUND", false),
            ] {
                let page = try await client.get("\(LivePageTests.home)/\(path)")
                #expect(page.status == 200)
                let text = page.text
                #expect(text.contains("data-live=\"\(LivePageTests.path)\"") == isLive, "\(path)")
            }
        }
    }
}
