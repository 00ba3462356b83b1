import AppStore
import Foundation
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore
public import Simulator

/// A scratch ledger of a given size, and the benchmarks on it.
public struct BenchLedger: Sendable {
    let lives: BenchLives
    /// Contains all files; removed when done.
    public let folder: String
    let configuration: Configuration

    static let environment = Environment.production

    /// - Parameters:
    ///   - eventCount: about how many events the generated lives have.
    ///   - authority: whose headers the events have.
    public init(eventCount: Int, authority: Authority, folder: String) {
        lives = BenchLives(eventCount: eventCount, authority: authority)
        self.folder = folder
        configuration = Configuration(
            dataDirectory: folder,
            apps: [Configuration.App(bundleId: lives.bundleId, appAppleId: lives.appAppleId)],
            catalogue: Catalogue())
    }

    var directory: String {
        "\(folder)/\(EnvironmentLedger.directoryName(BenchLedger.environment))"
    }

    static var workerCount: Int { ProcessInfo.processInfo.activeProcessorCount }

    func open() async throws(StoreError) -> EnvironmentLedger {
        try await EnvironmentLedger.open(configuration, environment: BenchLedger.environment)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    // MARK: Rebuild

    /// Writes a log of lives, and facts and projections of it; returns the number of events. The
    /// last event of each life is held back for `lateEvents`.
    func prepare() async throws -> Int64 {
        let ledger = try await open()
        let (count, _) = try await write(to: ledger, holdingBackLast: true)
        _ = try await projector(ledger)
        await ledger.close()
        await forgetWriting()
        return count
    }

    /// Excludes the memory used for writing the log.
    func forgetWriting() async {
        await Blocking.run { FreedMemory.giveBack() }
        PeakMemory.reset()
    }

    func projector(
        _ ledger: EnvironmentLedger, keepingSums keepsSums: Bool = true
    ) async throws -> Projector {
        guard let projector = try await Projector.open(ledger, keepingSums: keepsSums) else {
            throw BenchProblem.busy
        }
        return projector
    }

    /// Seconds of a bare scan of the facts.
    static func scan(_ facts: FactsStore) async throws -> Double {
        try await seconds {
            var page = try await facts.undecodedPage(after: nil)
            while let last = page?.last { page = try await facts.undecodedPage(after: last) }
        }
    }

    /// Folds all facts into a new projections file, against a bare scan of the facts.
    public func rebuild() async throws -> [BenchRow] {
        defer { remove() }
        let count = try await prepare()
        let ledger = try await open()
        let bare = try await BenchLedger.scan(ledger.facts)
        let projector = try await projector(ledger)
        let elapsed = try await BenchLedger.seconds { try await projector.rebuild() }
        guard try await projector.projections.checkpoint().position == count else {
            throw BenchProblem.refused
        }
        let chains = try await projector.projections.subscriptionCount()
        await ledger.close()
        let scan = "bare scan of the facts"
        return [
            BenchRow("rebuild", elapsed, "s", against: .init(scan, bare), events: count),
            BenchRow(
                "rebuild.rate", Double(count) / elapsed, "events/s",
                against: .init(scan, Double(count) / bare), events: count),
            BenchRow("rebuild.chains", Double(chains) / elapsed, "chains/s", events: count),
        ]
    }

    // MARK: Incremental

    /// Number of events measured.
    static let lateEventCount = 20_000

    /// New events of chains across a ledger of `count` events.
    func lateEvents(_ count: Int64) -> [NewEvent] {
        lives.lateEvents(min(BenchLedger.lateEventCount, Int(count) / 20 + 1))
    }

    func append(_ events: [NewEvent], to ledger: EnvironmentLedger) async throws(StoreError) {
        for piece in EventBatches(events) { _ = try await ledger.log.append(Array(piece)) }
    }

    /// Applies new events of chains across the ledger, against bare insertions of as many rows.
    public func project() async throws -> [BenchRow] {
        defer { remove() }
        let count = try await prepare()
        let ledger = try await open()
        let projector = try await projector(ledger)
        let late = lateEvents(count)
        try await append(late, to: ledger)
        let started = ContinuousClock.now
        let head = try await projector.catchUp()
        let elapsed = (ContinuousClock.now - started).seconds
        guard head == count + Int64(late.count) else { throw BenchProblem.refused }
        let folder = folder
        let bare = try await Blocking.run {
            try BareStorage.inserts(
                directory: folder, count: 100_000, batchCount: 1_000, rowByteCount: 280,
                bodyByteCount: 120)
        }
        await ledger.close()
        return [
            BenchRow(
                "project", Double(late.count) / elapsed, "events/s",
                against: .init("bare SQLite insert", bare), events: count)
        ]
    }

    // MARK: Start

    /// Number of measured starts.
    static let startCount = 20

    /// The time to the first answer of a new process, against that of a process that prints its
    /// version.
    public func start(binary: String) async throws -> [BenchRow] {
        defer { remove() }
        let count = try await prepare()
        var (answers, bare): ([Double], [Double]) = ([], [])
        for number in 0..<BenchLedger.startCount {
            let id = lives.someChain(number * 7_919).rawValue
            answers.append(
                try await BenchLedger.seconds {
                    try await BenchChild.run(
                        binary, ["show", id, "--data", folder, "--bundle-id", "\(lives.bundleId)"])
                })
            bare.append(
                try await BenchLedger.seconds { try await BenchChild.run(binary, ["--version"]) })
        }
        return [
            .milliseconds(
                "start", BenchLedger.median(answers),
                against: .init("a process that prints its version", BenchLedger.median(bare)),
                events: count),
            .milliseconds("start.slowest", answers.max() ?? 0, events: count),
        ]
    }

    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let started = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - started).seconds
    }

    static func median(_ values: [Double]) -> Double { percentile(values, 0.5) }

    static func percentile(_ values: [Double], _ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
    }
}
