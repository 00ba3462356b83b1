import AppStore
import ArgumentParser
import Bench
import Foundation
import Service
import Signing
import Simulator

struct BenchCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Run benchmarks; each figure has a yardstick from the same run.",
        discussion: """
            Uses a scratch directory under TMPDIR, which is removed. 1 million events (the default \
            of most) take up to 3 GB. Figures of a debug build mean nothing. Where Python has the \
            package duckdb, metrics also runs the same report there, on exported transitions.
            """)

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case verify
        case append
        case project
        case rebuild
        case fromLog = "from-log"
        case ingest
        case start
        case size
        case http
        case console
        case retention
        case recover
        case metrics
        case receipts
        case nodes
        case proof
        case all
    }

    @Argument(
        help:
            """
            verify, append, project, rebuild, from-log, ingest, start, size, http, console, \
            retention, recover, metrics, receipts, nodes, proof or all.
            """
    )
    var names: [Name]

    @Option(
        help: """
            Number of events (default: 1000000; 100000 for http and retention; 20000 for verify, \
            ingest, recover and receipts, whose input is signed first).
            """)
    var events: Int?

    @Option(help: "Python interpreter for the duckdb comparison of metrics.", completion: .file())
    var python = "python3"

    @OptionGroup var common: SharedOptions

    private static let signedEvents = 20_000
    private static let unsignedEvents = 1_000_000
    /// Signed notifications from which a bundle is made.
    private static let provenEvents = 200
    /// Number of events in the ledger that the HTTP benchmarks query.
    private static let servedEvents = 100_000

    func output(_ settings: Settings) async throws -> Output {
        guard events ?? 1 > 0 else {
            throw CommandFailure.invalidOption("--events takes a number above 0.")
        }
        let authority = try Authority()
        for name in chosen { try await measure(name, authority) }
        return .printed()
    }

    /// Size comes with from-log, which writes the log it measures.
    private var chosen: [Name] {
        let requested = names.contains(.all) ? Name.allCases : names
        let wanted = requested.filter { $0 != .all }
        return wanted.filter { $0 != .size || !wanted.contains(.fromLog) }
    }

    private func measure(_ name: Name, _ authority: Authority) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "subledger-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        PeakMemory.reset()
        let progress = ProgressLine()
        let isServed = [.http, .retention].contains(name)
        let count =
            events ?? (isServed ? BenchCommand.servedEvents : BenchCommand.unsignedEvents)
        let ledger = BenchLedger(
            eventCount: name == .append ? 4_096 : count, authority: authority, folder: folder.path)
        let rows: [BenchRow]
        switch name {
        case .verify: rows = [try signed(authority, folder).verify(repetitions: signedCount)]
        case .ingest: rows = try await signed(authority, folder).ingest()
        case .receipts:
            rows = [
                try ReceiptBench.verify(repetitions: signedCount),
                try versionOne(authority, folder),
            ]
        case .append:
            rows = try await ledger.append(count: count) { progress.show("append: \($0)") }
        case .project: rows = try await ledger.project()
        case .rebuild: rows = try await ledger.rebuild()
        case .metrics: rows = try await ledger.metrics(python: python)
        case .start:
            rows = try await ledger.start(
                binary: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        case .fromLog, .size:
            rows = try await ledger.fromLog { progress.show("write the log: \($0) of \(count)") }
                .filter { names.contains(.all) || wants($0, name) }
        case .recover: rows = try await signed(authority, folder).recover()
        case .http:
            rows = try await served(
                ledger, authority, progress, bodies: try signed(authority, folder).bodies()
            ).run()
        case .console:
            rows = try await served(ledger, authority, progress, bodies: []).console()
        case .retention:
            let bodies = try signed(authority, folder, count: HTTPBench.retentionBodyCount).bodies()
            rows = try await served(ledger, authority, progress, bodies: bodies)
                .retention(signedBy: authority)
        case .nodes: rows = try await nodes(ledger, authority, folder, progress)
        case .proof:
            // Before the ledger is removed, and this folder with it.
            let checked = try await signed(authority, folder, count: BenchCommand.provenEvents)
                .check()
            rows = try await ledger.proof { progress.show($0) } + [checked]
        case .all: rows = []
        }
        progress.end()
        for row in rows { try report(row) }
    }

    private func wants(_ row: BenchRow, _ name: Name) -> Bool {
        row.name.hasPrefix("size") == (name == .size) || names.contains(.size)
    }

    /// The service of a ledger of generated events.
    private func served(
        _ ledger: BenchLedger, _ authority: Authority, _ progress: ProgressLine, bodies: [[UInt8]]
    ) async throws -> HTTPBench {
        let (filled, chainCount, customers) = try await ledger.fill { progress.show($0) }
        progress.end()
        var configuration = ServiceConfiguration(filled)
        configuration.server.port = 0
        configuration.retention = [HTTPBench.retentionRule]
        let host = try await LedgerHost.open(
            configuration, environments: [.production],
            roots: try TrustedRoots.apple.adding(authority.rootDER)
        ) { Terminal.now }
        return HTTPBench(
            host: host, chainCount: chainCount, chains: ledger.someChain,
            customers: customers.map(\.rawValue), bodies: bodies)
    }

    /// The log in PostgreSQL, in a cluster of its own.
    private func nodes(
        _ ledger: BenchLedger, _ authority: Authority, _ folder: URL, _ progress: ProgressLine
    ) async throws -> [BenchRow] {
        #if PostgreSQL
            return try await ledger.nodes(
                bodies: try signed(authority, folder, count: 3 * BenchCommand.signedEvents)
                    .bodies(),
                roots: try TrustedRoots.apple.adding(authority.rootDER)
            ) { progress.show("nodes: \($0)") }
        #else
            return [
                BenchRow(
                    "nodes", "events/s", missing: "This program was built without PostgreSQL.")
            ]
        #endif
    }

    // MARK: Signed input

    private var signedCount: Int { events ?? BenchCommand.signedEvents }

    /// Version 1 compared with version 2 notifications, with a secret generated for this run.
    private func versionOne(_ authority: Authority, _ folder: URL) throws -> BenchRow {
        let secret = UUID().uuidString
        let file = folder.appending(path: "shared-secret")
        try Data(secret.utf8).write(to: file)
        return try signed(authority, folder, sharedSecretFile: file.path).versionOne(
            try ReceiptBench.notifications(password: secret), repetitions: signedCount)
    }

    private func signed(
        _ authority: Authority, _ folder: URL, count: Int? = nil, sharedSecretFile: String? = nil
    ) throws -> Bench {
        let progress = ProgressLine()
        defer { progress.end() }
        let count = count ?? signedCount
        return try Bench(
            count: count, authority: authority, folder: folder.path,
            sharedSecretFile: sharedSecretFile
        ) { progress.show("sign: \($0) of \(count)") }
    }

    private func report(_ row: BenchRow) throws {
        if common.json {
            try Terminal.out { row.write(to: &$0) }
        } else {
            try Terminal.out(row.text + "\n")
        }
    }
}
