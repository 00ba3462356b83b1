public import AppStore
public import Intake
public import LedgerStore
internal import SQLiteStore

/// The engine of log and operational state: files in the environment's directory, or a database.
extension EnvironmentLedger {
    /// Opens log and operational state without derived data.
    ///
    /// - `accepting`: whether a shared log is accepted as it is, even one that went back. Throws
    ///   `fileInUse` while a process has the node's facts open: a service would continue to refuse
    ///   the log, and restore the node's memory of it when it ends; `noSuchFile` in a directory
    ///   that has seen no log: accepting there would change nothing for the node that refuses.
    public static func openLog(
        _ configuration: Configuration, environment: Environment, accepting: Bool = false
    ) async throws(StoreError) -> OpenedLog {
        let directory = directory(configuration, environment)
        guard let engine = try engine(of: configuration) else {
            try await requireLog(directory)
            let log = try await EventLog.open(directory: directory)
            // The log first: operational state is created before an event is appended.
            let hasEvents = (try? await log.head()).map { $0.position > 0 } ?? false
            let isMissing = OperationsStore.isMissing(in: directory)
            return OpenedLog(
                log: log, operations: try await OperationsStore.open(directory: directory),
                hasLostOperations: hasEvents && isMissing)
        }
        if accepting, await Blocking.run({ DerivedFiles.facts(in: directory).isOpen }) {
            throw StoreError(
                .fileInUse, path: directory, reason: "A process has the files of this node open.",
                remedy: "Stop the node's service, then run the same command again.")
        }
        let embedded = try await embeddedEnd(directory)
        let facts = await factsEnd(directory)
        if accepting, embedded == nil, facts.position == 0, !NodeMemory.exists(in: directory) {
            throw StoreError(
                .noSuchFile, path: directory,
                reason: "No node has seen a log here, so there is nothing to accept.",
                remedy: "Name the node's data directory with --data, as its service does.")
        }
        do throws(StoreError) {
            return try await engine.open(
                environment, directory: directory, seen: embedded ?? (accepting ? nil : facts))
        } catch {
            guard let embedded, [.logWentBack, .noSuchFile].contains(error.code) else {
                throw error
            }
            throw StoreError(
                .fileForeign, path: directory,
                reason: "This directory has a log of its own, and the database lacks its"
                    + " \(embedded.position) events.",
                remedy: "Move it into an empty database by `subledger log copy --environment"
                    + " \(environment.rawValue.lowercased())`, or use another data directory.")
        }
    }

    /// The end of the log that a directory keeps itself, before a node runs there; nil where none
    /// has events.
    private static func embeddedEnd(
        _ directory: String
    ) async throws(StoreError) -> ProjectionCursor? {
        guard try hasLog(directory), !NodeMemory.exists(in: directory) else { return nil }
        let log = try await EventLog.open(directory: directory)
        return try await log.closing { log async throws(StoreError) in
            let position = try await log.head().position
            let leaf = try await log.leafHashes(after: position - 1, through: position).last
            return leaf.map { ProjectionCursor(position: position, leafHash: $0) }
        }
    }

    /// Nil where the log is in the data directory.
    static func engine(
        of configuration: Configuration
    ) throws(StoreError) -> (any LogEngine)? {
        guard let database = configuration.database else { return nil }
        guard let engine = database.engine else {
            throw StoreError(
                .databaseRefused, reason: "The configured database has no engine.",
                remedy: "Set ledger.database.engine of the configuration to a PostgresEngine, of"
                    + " the product PostgresStore.")
        }
        return engine
    }

    /// The newest event in the facts of a directory; the start without usable ones.
    private static func factsEnd(_ directory: String) async -> ProjectionCursor {
        guard let path = DerivedFiles.facts(in: directory).current(),
            // Unreadable facts prove nothing.
            let facts = try? await FactsStore.open(path)
        else { return .start }
        defer { try? facts.close() }
        return (try? await facts.checkpoint()) ?? .start
    }

    /// The newest position in the facts or the projections of a directory; 0 without usable ones.
    /// The projections may be of another release: after an upgrade to another decoder there are no
    /// facts yet. They prove that a log held events, not what a node has seen: after `log accept`
    /// they are of the former log until they are built again.
    static func projectedEnd(_ directory: String) async -> Int64 {
        let facts = await factsEnd(directory).position
        guard let path = DerivedFiles.projections(in: directory).current(),
            let projections = try? await ProjectionsStore.open(path)
        else { return facts }
        defer { try? projections.close() }
        return max(facts, (try? await projections.checkpoint())?.position ?? 0)
    }

    /// Throws for the directory of a node of a shared log: a new log does not belong there.
    static func refuseNode(_ directory: String) throws(StoreError) {
        guard NodeMemory.exists(in: directory) else { return }
        throw StoreError(
            .fileForeign, path: directory,
            reason: "This directory belongs to a node whose log is in a database.",
            remedy: "Configure its database, or use another data directory.")
    }
}
