public import AppStore
import Foundation
public import Intake
public import Ledger
public import LedgerStore
public import SQLiteStore
import Signing
import Synchronization

/// One environment's files, open: the log, and what is derived from it. Nothing of another
/// environment is ever in reach.
public final class EnvironmentLedger: Sendable {
    public let environment: Environment
    public let directory: String
    public let log: EventLog
    public let operations: OperationsStore
    /// Knows derived data of this log from that of others.
    let witness: LogWitness
    private let currentFacts: Mutex<FactsStore>
    private let known = Mutex<KnownCompleteness?>(nil)
    /// What was found wrong with facts before there was a projector to tell it.
    private let untold: Mutex<[Projector.Remark]>
    /// The apps of the configuration: whose completeness an answer about several is.
    public let apps: [BundleId]
    public let catalogue: Catalogue
    /// SHA-256 of the catalogue: with it, reducer version and facts, every answer is determined.
    public let catalogueHash: Digest
    /// The configured report zone, and the days that stored sums are kept by.
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

    /// The environment that people call so, in any case; nil for another word.
    public static func environment(named name: String) -> Environment? {
        let known: [Environment] = [.production, .sandbox, .xcode, .localTesting]
        return known.first { directoryName($0).lowercased() == name.lowercased() }
    }

    private init(
        environment: Environment, directory: String, log: EventLog, operations: OperationsStore,
        facts: FoundFacts, catalogue: Catalogue, apps: [BundleId], reportZone: ReportZone
    ) {
        self.apps = apps
        self.environment = environment
        self.directory = directory
        self.log = log
        witness = LogWitness(log)
        self.operations = operations
        currentFacts = Mutex(facts.store)
        untold = Mutex(facts.remarks)
        self.catalogue = catalogue
        catalogueHash = SHA256.hash(catalogue.canonicalBytes)
        self.reportZone = reportZone
        days = reportZone.days
    }

    /// Opens the environment's files, and makes those that are missing.
    public static func open(
        _ configuration: Configuration, environment: Environment
    ) async throws(StoreError) -> EnvironmentLedger {
        let directory =
            "\(configuration.dataDirectory)/\(directoryName(environment))"
        try await requireLog(directory)
        let log = try await EventLog.open(directory: directory)
        let operations = try await OperationsStore.open(directory: directory)
        let facts = try await openFacts(directory)
        return EnvironmentLedger(
            environment: environment, directory: directory, log: log, operations: operations,
            facts: facts, catalogue: configuration.catalogue,
            apps: configuration.apps.map(\.bundleId),
            reportZone: try reportZone(configuration, directory))
    }

    /// The configuration's file is checked when it is read; what was made in code is checked here.
    private static func reportZone(
        _ configuration: Configuration, _ directory: String
    ) throws(StoreError) -> ReportZone {
        guard let zone = ReportZone(configuration.reportTimeZone) else {
            throw StoreError(
                .fileChanged, path: directory,
                reason: "Its sums cannot be kept by days: reportTimeZone is no known time zone.",
                remedy: "Name an IANA time zone as reportTimeZone.")
        }
        return zone
    }

    /// A log that is gone is not begun anew where derived data shows that it held events: positions
    /// would be given out twice.
    private static func requireLog(_ directory: String) async throws(StoreError) {
        let log = "\(directory)/\(EventLog.fileName)"
        guard !FileManager.default.fileExists(atPath: log),
            let path = DerivedFiles.facts(in: directory).current(),
            // One that cannot be read shows nothing.
            let facts = try? await Blocking.run({ () throws(StoreError) in
                try FactsStore(existing: path)
            }), let position = try? await facts.checkpoint().position, position > 0
        else { return }
        try? facts.close()
        throw StoreError(
            .fileReplaced, path: log,
            reason: "It is gone: facts up to position \(position) were derived from it.",
            remedy: "Put it back, or `subledger restore` the newest backup; to begin a new ledger,"
                + " use another data directory.")
    }

    // MARK: Completeness

    /// What was read of a projections file, and how far that had come.
    private struct KnownCompleteness {
        var completeness: Completeness
        let projections: ObjectIdentifier
        var position: Int64
    }

    /// Since when, and up to when, everything Apple sent is certainly here, of one app or of all that
    /// are configured, as far as was known; nil: nobody looked.
    ///
    /// - Parameters:
    ///   - head: the position the answer holds.
    ///   - stored: what the projections said when the answer was read; nil: what they said last.
    public func complete(
        of bundleId: BundleId?, _ knowledge: KnowledgeLimit, head: Int64,
        in stored: Completeness? = nil
    ) -> CompleteWindow? {
        (stored ?? completeness).window(bundleId.map { [$0] } ?? apps) { state in
            guard state.position <= head else { return false }
            return switch knowledge {
            case .everything: true
            case .knownAt(let time): state.receivedAt <= time
            case .knownPosition(let position): state.position <= position
            }
        }
    }

    /// The end of what is `complete`.
    public func completeThrough(
        of bundleId: BundleId?, _ knowledge: KnowledgeLimit, head: Int64
    ) -> Timestamp? {
        complete(of: bundleId, knowledge, head: head)?.through
    }

    /// All that is known of it, as far as the projections were read.
    public var completeness: Completeness {
        known.withLock { $0?.completeness } ?? Completeness()
    }

    /// What a projections file says at its checkpoint; read only when something may have changed.
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

    /// Notes what a projections file says from now on.
    func learn(_ completeness: Completeness, from projections: ProjectionsStore, at position: Int64)
    {
        known.withLock {
            $0 = KnownCompleteness(
                completeness: completeness, projections: ObjectIdentifier(projections),
                position: position)
        }
    }

    // MARK: Facts

    /// The facts to read now. Another file may take their place; hold on to one store for one
    /// question.
    public var facts: FactsStore { currentFacts.withLock { $0 } }

    package var factsFiles: DerivedFiles { .facts(in: directory) }

    /// How long to wait for another process that is making the first facts file.
    static let waitMilliseconds = 10_000
    static let pollMilliseconds = 20

    /// Facts to read, and what to tell of the file that stood there before.
    private struct FoundFacts: Sendable {
        let store: FactsStore
        var remarks: [Projector.Remark] = []
    }

    /// What was found wrong with facts and made again since the last call.
    func takeRemarks() -> [Projector.Remark] {
        untold.withLock { untold in
            defer { untold = [] }
            return untold
        }
    }

    private func take(_ found: FoundFacts) {
        currentFacts.withLock { $0 = found.store }
        untold.withLock { $0 += found.remarks }
    }

    /// Facts are derived: missing or damaged ones are begun anew, and decoded again from the log.
    private static func openFacts(_ directory: String) async throws(StoreError) -> FoundFacts {
        var waited = 0
        while true {
            let found = try await Blocking.run { () throws(StoreError) in
                try foundFacts(directory)
            }
            if let found { return found }
            guard waited < waitMilliseconds else {
                throw StoreError(
                    .fileLocked, path: directory,
                    reason: "The facts are of no use, and another process projects here.",
                    remedy: "Wait for it to finish, or end it; then try again.")
            }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            waited += pollMilliseconds
        }
    }

    /// Nil when there is nothing usable and another process holds the lock.
    private static func foundFacts(_ directory: String) throws(StoreError) -> FoundFacts? {
        if let facts = try usableFacts(directory).store { return FoundFacts(store: facts) }
        guard let lock = try ProjectorLock.take(directory: directory) else { return nil }
        // The lock's last holder may have made one.
        return try foundFacts(directory, holding: lock)
    }

    /// The current facts, or new ones in the place of what is of no use.
    private static func foundFacts(
        _ directory: String, holding lock: ProjectorLock
    ) throws(StoreError) -> FoundFacts {
        let (usable, loss) = try usableFacts(directory)
        if let usable { return FoundFacts(store: usable) }
        return FoundFacts(
            store: try newFacts(directory, holding: lock), remarks: loss.map { [$0] } ?? [])
    }

    /// Without a store: why there is none; nil, too, where there never was one.
    private static func usableFacts(
        _ directory: String
    ) throws(StoreError) -> (store: FactsStore?, loss: Projector.Remark?) {
        let files = DerivedFiles.facts(in: directory)
        guard let path = files.current() else { return (nil, files.loss) }
        do throws(StoreError) { return (try FactsStore(existing: path), nil) } catch {
            guard error.isDamage else { throw error }
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

    /// Takes the current facts file if it is another one by now; another process may have made it.
    package func reopenFacts() async throws(StoreError) {
        guard factsFiles.current() != facts.path || !facts.isInPlace else { return }
        take(try await EnvironmentLedger.openFacts(directory))
    }

    /// As `reopenFacts`, for the holder of the lock: what is of no use is begun anew at once.
    func reopenFacts(holding lock: ProjectorLock) async throws(StoreError) {
        guard factsFiles.current() != facts.path || !facts.isInPlace else { return }
        let directory = directory
        take(
            try await Blocking.run { () throws(StoreError) in
                try EnvironmentLedger.foundFacts(directory, holding: lock)
            })
    }

    /// Forgets the facts: an empty file takes their place, and they are decoded again.
    func beginFactsAnew(holding lock: ProjectorLock) async throws(StoreError) {
        let directory = directory
        let fresh = try await Blocking.run { () throws(StoreError) in
            try EnvironmentLedger.newFacts(directory, holding: lock)
        }
        currentFacts.withLock { $0 = fresh }
    }

    /// Makes a facts file that was built the current one.
    func useFacts(_ path: String, holding lock: ProjectorLock) async throws(StoreError) {
        let files = factsFiles
        let built = try await Blocking.run { () throws(StoreError) in
            let built = try FactsStore(existing: path)
            try files.use(path)
            return built
        }
        currentFacts.withLock { $0 = built }
    }

    public func close() async {
        await log.close()
        await operations.close()
        try? facts.close()
    }

    /// How projections are to be built now.
    public var build: ProjectionsStore.Build {
        ProjectionsStore.Build(catalogueHash: catalogueHash.hexadecimal, days: days)
    }

    public var projectionFiles: DerivedFiles { .projections(in: directory) }
}
