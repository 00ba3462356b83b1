public import AppStore
import Foundation
public import Ledger
public import LedgerStore
import Signing

/// One environment's files, open: the log, and what is derived from it. Nothing of another
/// environment is ever in reach.
public final class EnvironmentLedger: Sendable {
    public let environment: Environment
    public let directory: String
    public let log: EventLog
    public let operations: OperationsStore
    public let facts: FactsStore
    public let catalogue: Catalogue
    /// SHA-256 of the catalogue: with it, reducer version and facts, every answer is determined.
    public let catalogueHash: Digest

    /// The directory of an environment inside the data directory.
    public static func directoryName(_ environment: Environment) -> String {
        switch environment {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: "xcode"
        case .localTesting: "localTesting"
        }
    }

    private init(
        environment: Environment, directory: String, log: EventLog, operations: OperationsStore,
        facts: FactsStore, catalogue: Catalogue
    ) {
        self.environment = environment
        self.directory = directory
        self.log = log
        self.operations = operations
        self.facts = facts
        self.catalogue = catalogue
        catalogueHash = SHA256.hash(catalogue.canonicalBytes)
    }

    /// Opens the environment's files, and makes those that are missing.
    public static func open(
        _ configuration: Configuration, environment: Environment
    ) async throws(StoreError) -> EnvironmentLedger {
        let directory =
            "\(configuration.dataDirectory)/\(directoryName(environment))"
        let log = try await EventLog.open(directory: directory)
        let operations = try await OperationsStore.open(directory: directory)
        let facts = try await Blocking.run { () throws(StoreError) in
            try openFacts(directory)
        }
        return EnvironmentLedger(
            environment: environment, directory: directory, log: log, operations: operations,
            facts: facts, catalogue: configuration.catalogue)
    }

    /// Facts are derived: damaged ones are thrown away and decoded again from the log.
    private static func openFacts(_ directory: String) throws(StoreError) -> FactsStore {
        do throws(StoreError) { return try FactsStore(directory: directory) } catch {
            guard DerivedFiles.isDamage(error), let lock = ProjectorLock(directory: directory)
            else { throw error }
            DerivedFiles.discardFacts(in: directory, holding: lock)
            return try FactsStore(directory: directory)
        }
    }

    /// Throws the facts away before a rebuild that must not trust them.
    ///
    /// Throws `fileLocked` while another process projects here.
    public static func discardFacts(
        _ configuration: Configuration, environment: Environment
    ) throws(StoreError) {
        let directory = "\(configuration.dataDirectory)/\(directoryName(environment))"
        guard FileManager.default.fileExists(atPath: directory) else { return }
        guard let lock = ProjectorLock(directory: directory) else {
            throw StoreError(
                .fileLocked, path: directory, reason: "Another process projects here.",
                remedy: "Stop it first.")
        }
        DerivedFiles.discardFacts(in: directory, holding: lock)
    }

    public func close() async {
        await log.close()
        await operations.close()
        try? facts.close()
    }

    /// How projections are to be built now.
    public var build: ProjectionsStore.Build {
        ProjectionsStore.Build(catalogueHash: catalogueHash.hexadecimal)
    }

    public var projectionFiles: ProjectionFiles { ProjectionFiles(directory: directory) }
}

/// Runs what blocks (opening files) off the cooperative pool.
enum Blocking {
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
        return try result.get()
    }
}
