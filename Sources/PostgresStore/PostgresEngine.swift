public import AppStore
public import LedgerStore

/// Opens the logs of a database: one schema for each environment, `<schema>_<environment>`.
public struct PostgresEngine: LogEngine {
    public let connection: ConnectionString
    /// Prefix of the schema names.
    public let schema: String
    /// Connections that read, for each environment; nil for the default.
    public let poolSize: Int?

    public static let defaultSchema = "subledger"

    /// - `schema`: lower-case letters, digits and underscores, as `PostgresLocation` has
    ///   them.
    public init(_ connection: ConnectionString, schema: String? = nil, poolSize: Int? = nil) {
        self.connection = connection
        self.schema = schema ?? PostgresEngine.defaultSchema
        self.poolSize = poolSize
    }

    /// Where the log of an environment is. Throws `databaseRefused` for an invalid schema name.
    public func place(
        of environment: Environment
    ) throws(StoreError) -> PostgresLocation {
        let name = "\(schema)_\(environment.rawValue.lowercased())"
        guard let place = PostgresLocation(connection, schema: name) else {
            throw StoreError(
                .databaseRefused, path: connection.location,
                reason: "\(name) is not a schema name.",
                remedy: "Use lower-case letters, digits and underscores, a letter first.")
        }
        return place
    }

    /// Opens the log alone.
    public func openLog(
        _ environment: Environment, creating: Bool = true
    ) async throws(StoreError) -> any LedgerLog {
        try await PostgresLog.open(
            place(of: environment), environment: environment, creating: creating,
            readerCount: poolSize ?? PostgresLimits.readerCount)
    }

    public func openBoth(
        _ environment: Environment, creating: Bool
    ) async throws(StoreError) -> OpenedLog {
        let log = try await openLog(environment, creating: creating)
        do throws(StoreError) {
            let operations = try await PostgresOperations.open(
                place(of: environment), environment: environment)
            return OpenedLog(log: log, operations: operations)
        } catch {
            await log.close()
            throw error
        }
    }

    public func open(
        _ environment: Environment, directory: String, seen: ProjectionCursor?
    ) async throws(StoreError) -> OpenedLog {
        let place = try place(of: environment)
        let memory = try NodeMemory(directory: directory)
        let ledger = memory.flatMap { LedgerId($0.ledger) }
        let known = [seen, memory?.seen].compactMap { $0 }.max { $0.position < $1.position }
        let newest = seen == nil ? .start : known ?? .start
        let node = memory?.node ?? String(LedgerId.random().description.prefix(8))
        let log = try await PostgresLog.open(
            place, environment: environment, ledger: ledger, seen: newest,
            // A log that this node has seen is not begun again.
            creating: newest.position == 0,
            readerCount: poolSize ?? PostgresLimits.readerCount)
        do throws(StoreError) {
            let operations = try await PostgresOperations.open(
                place, environment: environment, ledger: log.ledgerId, node: node)
            if let memory, seen != nil {
                // The file is not rewritten: its modification date shows how old the derived data
                // is.
                log.keep(memory, in: directory)
            } else {
                // Accepting the log as it is requires a reachable database.
                _ = try await log.head()
                try log.remember(as: node, in: directory)
            }
            return OpenedLog(log: log, operations: operations)
        } catch {
            await log.close()
            throw error
        }
    }
}
