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
        guard try await Projector.open(ledger) != nil else { throw BenchProblem.busy }
        await ledger.close()
        // Excludes the memory used for writing the log.
        await Blocking.run { FreedMemory.giveBack() }
        PeakMemory.reset()
        return count
    }

    /// Folds all facts into a new projections file, against a bare scan of the facts.
    public func rebuild() async throws -> [BenchRow] {
        defer { remove() }
        let count = try await prepare()
        let ledger = try await open()
        let bare = try await BenchLedger.seconds {
            var page = try await ledger.facts.undecodedPage(after: nil)
            while let last = page?.last { page = try await ledger.facts.undecodedPage(after: last) }
        }
        guard let projector = try await Projector.open(ledger) else { throw BenchProblem.busy }
        let elapsed = try await BenchLedger.seconds { try await projector.rebuild() }
        guard try await projector.projections.checkpoint().position == count else {
            throw BenchProblem.refused
        }
        let chains = try await projector.projections.subscriptionCount()
        await ledger.close()
        return [
            BenchRow(
                name: "rebuild", value: elapsed, unit: "s", limitName: "bare scan of the facts",
                limit: bare, events: Int(count)),
            BenchRow(
                name: "rebuild.rate", value: Double(count) / elapsed, unit: "events/s",
                limitName: "bare scan of the facts", limit: Double(count) / bare,
                events: Int(count)),
            BenchRow(
                name: "rebuild.chains", value: Double(chains) / elapsed, unit: "chains/s",
                events: Int(count)),
        ]
    }

    // MARK: Incremental

    /// Number of events measured.
    static let lateEventCount = 20_000

    /// Applies new events of chains across the ledger, against bare insertions of as many rows.
    public func project() async throws -> [BenchRow] {
        defer { remove() }
        let count = try await prepare()
        let ledger = try await open()
        guard let projector = try await Projector.open(ledger) else { throw BenchProblem.busy }
        let late = lives.lateEvents(min(BenchLedger.lateEventCount, Int(count) / 20 + 1))
        for piece in EventBatches(late) { _ = try await ledger.log.append(Array(piece)) }
        let clock = ContinuousClock()
        let started = clock.now
        let head = try await projector.catchUp()
        let elapsed = (clock.now - started).seconds
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
                name: "project", value: Double(late.count) / elapsed, unit: "events/s",
                limitName: "bare SQLite insert", limit: bare, events: Int(count))
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
            BenchRow(
                name: "start", value: BenchLedger.median(answers) * 1_000, unit: "ms",
                limitName: "a process that prints its version",
                limit: BenchLedger.median(bare) * 1_000, events: Int(count)),
            BenchRow(
                name: "start.slowest", value: (answers.max() ?? 0) * 1_000, unit: "ms",
                events: Int(count)),
        ]
    }

    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let clock = ContinuousClock()
        let started = clock.now
        try await body()
        return (clock.now - started).seconds
    }

    static func median(_ values: [Double]) -> Double { percentile(values, 0.5) }

    static func percentile(_ values: [Double], _ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
    }
}
