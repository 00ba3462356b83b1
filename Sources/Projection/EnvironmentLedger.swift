public import AppStore
import Foundation
public import Intake
public import Ledger
public import LedgerStore
public import SQLiteStore
import Signing
import Synchronization

/// The open files of one environment: the log and its derived data. Never reaches another
/// environment's files.
public final class EnvironmentLedger: Sendable {
    public let environment: Environment
    public let directory: String
    public let log: any LedgerLog
    public let operations: any OperationalState
    /// Whether other nodes append to the log, too.
    public let isShared: Bool
    /// Whether the log had events, and its operational state was missing and is begun anew.
    public let hasLostOperations: Bool
    /// Distinguishes derived data of this log from that of other logs.
    let witness: CursorVerifier
    private let currentFacts: Mutex<FactsStore>
    private let known = Mutex<KnownCompleteness?>(nil)
    /// By app: how far the log was searched for deliveries, and a position after which it has none.
    private let delivered = Mutex<[BundleId: (searched: Int64, end: Int64)]>([:])
    /// Remarks about derived data that the projector has yet to report.
    private let unreported: Mutex<[Projector.Remark]>
    /// The configured apps; an answer about several apps reports the completeness of these.
    public let apps: [BundleId]
    /// The apps that the configuration leaves out.
    let otherApps: [Configuration.App]
    public let catalogue: Catalogue
    /// SHA-256 of the catalogue: it determines every answer together with reducer version and
    /// facts.
    public let catalogueHash: Digest
    /// The configured report zone, and the days by which stored sums are kept.
    public let reportZone: ReportZone
    public let days: ReportDays

    /// The directory of an environment inside the data directory.
    public static func directoryName(_ environment: Environment) -> String {
        switch environment {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: "xcode"
        case .localTesting: "localTesting"
        }
    }

    /// The environment of this directory name, in any case; nil for any other text.
    public static func environment(named name: String) -> Environment? {
        Environment.allCases.first { directoryName($0).lowercased() == name.lowercased() }
    }

    /// Opens the environment's files and creates missing ones.
    ///
    /// - `accepting`: whether a shared log is accepted as it is, even one that went back; derived
    ///   data of what it lost is then rebuilt.
    public static func open(
        _ configuration: Configuration, environment: Environment, accepting: Bool = false
    ) async throws(StoreError) -> EnvironmentLedger {
        try await EnvironmentLedger(configuration, environment, accepting: accepting)
    }

    private init(
        _ configuration: Configuration, _ environment: Environment, accepting: Bool
    ) async throws(StoreError) {
        let directory = EnvironmentLedger.directory(configuration, environment)
        let opened = try await EnvironmentLedger.openLog(
            configuration, environment: environment, accepting: accepting)
        let facts: FoundFacts
        do throws(StoreError) {
            facts = try await EnvironmentLedger.openFacts(directory)
            reportZone = try EnvironmentLedger.reportZone(configuration, directory)
        } catch {
            await opened.close()
            throw error
        }
        self.environment = environment
        self.directory = directory
        log = opened.log
        isShared = opened.log is any SharedLog
        witness = CursorVerifier(opened.log)
        operations = opened.operations
        currentFacts = Mutex(facts.store)
        hasLostOperations = opened.hasLostOperations
        unreported = Mutex(facts.remarks)
        apps = configuration.apps.map(\.bundleId)
        otherApps = configuration.otherApps
        catalogue = configuration.catalogue
        catalogueHash = SHA256.hash(catalogue.canonicalBytes)
        days = reportZone.days
    }

    /// Checks the zone of a configuration built in code; a configuration file is checked when it is
    /// read.
    private static func reportZone(
        _ configuration: Configuration, _ directory: String
    ) throws(StoreError) -> ReportZone {
        guard let zone = ReportZone(configuration.reportTimeZone) else {
            throw StoreError(
                .fileChanged, path: directory,
                reason: "Sums cannot be kept by day: reportTimeZone is not a known time zone.",
                remedy: "Name an IANA time zone as reportTimeZone.")
        }
        return zone
    }

    /// Whether a directory has a log. SQLite creates a database in an empty file, too. Throws where
    /// that cannot be examined, as in a directory that this user may not enter.
    package static func hasLog(_ directory: String) throws(StoreError) -> Bool {
        let status = try stat.existing("\(directory)/\(EventLog.fileName)")
        return status.map { $0.st_size > 0 } ?? false
    }

    /// A missing log is not recreated where derived data shows that it held events: positions would
    /// be assigned twice.
    package static func requireLog(_ directory: String) async throws(StoreError) {
        guard try !hasLog(directory) else { return }
        try refuseNode(directory)
        let position = await projectedEnd(directory)
        guard position > 0 else { return }
        throw StoreError(
            .fileReplaced, path: "\(directory)/\(EventLog.fileName)",
            reason: "The log is missing or empty; data up to position \(position) was derived from"
                + " it.",
            remedy: "Put it back, or `subledger restore` the newest backup; to start a new ledger,"
                + " use another data directory.")
    }

    // MARK: Completeness

    /// The completeness stored in a projections file, and the position it was read at.
    private struct KnownCompleteness {
        var completeness: Completeness
        let projections: ObjectIdentifier
        var position: Int64
    }

    /// The window in which everything Apple sent is certainly in the log, of one app or of all
    /// configured apps, as far as was known; nil when no sweep covers it, or none is configured:
    /// the ledger may hold apps that were never swept.
    ///
    /// - `head`: the position of the answer.
    /// - `stored`: the completeness in the projections the answer was read from; nil for the last
    ///   one read.
    public func complete(
        of bundleId: BundleId?, _ knowledge: AsOf, head: Int64,
        in stored: Completeness? = nil
    ) -> CompleteWindow? {
        (stored ?? completeness).window(bundleId.map { [$0] } ?? apps) { state in
            state.position <= head
                && knowledge.admits(position: state.position, receivedAt: state.receivedAt)
        }
    }

    /// Whether an app is configured; true where none is, as for commands that need no app.
    package func isConfigured(_ app: BundleId) -> Bool { apps.isEmpty || apps.contains(app) }

    /// The completeness last read from the projections.
    public var completeness: Completeness {
        known.withLock { $0?.completeness } ?? Completeness()
    }

    /// Reads the completeness of a projections file at its checkpoint, unless it cannot have
    /// changed.
    @discardableResult
    package func completeness(
        asOf projections: ProjectionsStore, at position: Int64
    ) async throws(StoreError) -> Completeness {
        let held = known.withLock { $0 }
        if let held, held.projections == ObjectIdentifier(projections), held.position == position {
            return held.completeness
        }
        let read = try await projections.completeness()
        learn(read, from: projections, at: position)
        return read
    }

    /// Keeps the completeness of a projections file.
    func learn(_ completeness: Completeness, from projections: ProjectionsStore, at position: Int64)
    {
        known.withLock {
            $0 = KnownCompleteness(
                completeness: completeness, projections: ObjectIdentifier(projections),
                position: position)
        }
    }

    /// A position after which the log has no delivery of an app; 0 without any. Each call reads
    /// what was appended since the previous one, the first the log down to the newest delivery.
    package func lastDelivery(of bundleId: BundleId) async throws(StoreError) -> Int64 {
        let head = try await log.head().position
        var last = delivered.withLock { $0[bundleId, default: (searched: 0, end: 0)] }
        // The log went back: what was read may be gone.
        if head < last.searched { last = (searched: 0, end: 0) }
        let newer = try await log.lastArrivals(of: bundleId, after: last.searched, through: head)
        last = (searched: head, end: newer?.end ?? last.end)
        delivered.withLock { $0[bundleId] = last }
        return last.end
    }

    // MARK: Facts

    /// The current facts. Another file may replace them; use one store for the whole of one query.
    public var facts: FactsStore { currentFacts.withLock { $0 } }

    package var factsFiles: DerivedFiles { .facts(in: directory) }

    /// Wait for another process that creates the first facts file, milliseconds.
    static let waitMilliseconds = 10_000
    static let pollMilliseconds = 20

    /// The facts opened, and remarks about the file they replaced.
    private struct FoundFacts: Sendable {
        let store: FactsStore
        var remarks: [Projector.Remark] = []
    }

    /// Returns and clears the remarks about what was rebuilt since the last call.
    func takeRemarks() -> [Projector.Remark] {
        unreported.withLock { unreported in
            defer { unreported = [] }
            return unreported
        }
    }

    /// Keeps a remark until the projector reports it.
    func note(_ remark: Projector.Remark) { unreported.withLock { $0.append(remark) } }

    private func take(_ found: FoundFacts) {
        currentFacts.withLock { $0 = found.store }
        unreported.withLock { $0 += found.remarks }
    }

    /// Facts are derived: missing or damaged ones are recreated and decoded again from the log.
    ///
    /// - Parameter lock: nil when it is not held here; it is then taken where facts must be
    ///   recreated.
    private static func openFacts(
        _ directory: String, holding lock: ProjectorLock? = nil
    ) async throws(StoreError) -> FoundFacts {
        var waited = 0
        while true {
            let found = try await Blocking.run { () throws(StoreError) in
                try foundFacts(directory, holding: lock)
            }
            if let found { return found }
            guard waited < waitMilliseconds else {
                throw StoreError(
                    .fileLocked, path: directory,
                    reason: "The facts are unusable, and another process projects here.",
                    remedy: "Wait for it to finish, or end it; then try again.")
            }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            waited += pollMilliseconds
        }
    }

    /// The current facts, or new ones in place of an unusable file; nil when another process holds
    /// the lock that this takes.
    private static func foundFacts(
        _ directory: String, holding lock: ProjectorLock?
    ) throws(StoreError) -> FoundFacts? {
        let (usable, loss) = try usableFacts(directory)
        if let usable { return FoundFacts(store: usable) }
        guard let lock else {
            guard let taken = try ProjectorLock.take(directory: directory) else { return nil }
            // The lock's previous holder may have created the file.
            return try foundFacts(directory, holding: taken)
        }
        return FoundFacts(
            store: try newFacts(directory, holding: lock), remarks: loss.map { [$0] } ?? [])
    }

    /// The current facts if usable. Without a store: the reason; nil where there never was a file.
    private static func usableFacts(
        _ directory: String
    ) throws(StoreError) -> (store: FactsStore?, loss: Projector.Remark?) {
        let files = DerivedFiles.facts(in: directory)
        guard let path = files.current() else { return (nil, files.loss) }
        do throws(StoreError) { return (try FactsStore(existing: path), nil) } catch {
            guard error.asksForRebuild else { throw error }
            return (nil, .damaged(name: DerivedFiles.name(of: path)))
        }
    }

    private static func newFacts(
        _ directory: String, holding lock: ProjectorLock
    ) throws(StoreError) -> FactsStore {
        let files = DerivedFiles.facts(in: directory)
        let facts = try FactsStore(path: files.newPath())
        try files.use(facts.path)
        return facts
    }

    /// Opens the current facts file if another process replaced it. The holder of the lock
    /// recreates unusable facts at once.
    package func reopenFacts(holding lock: ProjectorLock? = nil) async throws(StoreError) {
        guard factsFiles.current() != facts.path || !facts.isInPlace else { return }
        take(try await EnvironmentLedger.openFacts(directory, holding: lock))
    }

    /// Replaces the facts with an empty file; they are then decoded again.
    func recreateFacts(holding lock: ProjectorLock) async throws(StoreError) {
        let directory = directory
        let fresh = try await Blocking.run { () throws(StoreError) in
            try EnvironmentLedger.newFacts(directory, holding: lock)
        }
        currentFacts.withLock { $0 = fresh }
    }

    /// Makes a newly built facts file the current one.
    func useFacts(_ path: String, holding lock: ProjectorLock) async throws(StoreError) {
        let files = factsFiles
        let built = try await Blocking.run { () throws(StoreError) in
            let built = try FactsStore(existing: path)
            try files.use(path)
            return built
        }
        currentFacts.withLock { $0 = built }
    }

    /// Whether the log erased anything after a position.
    func hasErasures(after position: Int64, through end: Int64) async throws(StoreError) -> Bool {
        try await !log.erasurePositions(after: position, through: end).isEmpty
    }

    public func close() async {
        await log.close()
        await operations.close()
        try? facts.close()
    }

    /// The build that projections must have now.
    public var build: ProjectionsStore.Build {
        ProjectionsStore.Build(catalogueHash: catalogueHash.hexadecimal, days: days)
    }

    public var projectionFiles: DerivedFiles { .projections(in: directory) }
}
