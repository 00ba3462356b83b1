public import AppStore

/// Opens log and operational state outside the data directory, where several nodes share them.
public protocol LogEngine: Sendable {
    /// Opens both for one environment, and creates what is missing. The log must be that of the
    /// ledger to which this node belongs, and hold the newest event that it has seen
    /// (`NodeMemory`).
    ///
    /// - `directory`: the environment's directory, where the node keeps its memory. Nothing is
    ///   written there when opening fails.
    /// - `seen`: the newest event in the node's derived files; nil accepts the log as it is, even
    ///   if it lost events.
    func open(
        _ environment: Environment, directory: String, seen: ProjectionCursor?
    ) async throws(StoreError) -> OpenedLog

    /// Opens the log alone, for a program that is not a node.
    ///
    /// - `creating`: whether a missing one is created; otherwise it throws `noSuchFile`.
    func openLog(
        _ environment: Environment, creating: Bool
    ) async throws(StoreError) -> any LedgerLog

    /// Opens the operational state alone, likewise.
    func openOperations(
        _ environment: Environment
    ) async throws(StoreError) -> any OperationalState
}

extension LogEngine {
    /// Opens both for a program that is not a node. Throws `noSuchFile` for a missing log that is
    /// not to be created.
    public func openBoth(
        _ environment: Environment, creating: Bool = true
    ) async throws(StoreError) -> OpenedLog {
        let log = try await openLog(environment, creating: creating)
        do throws(StoreError) {
            return OpenedLog(log: log, operations: try await openOperations(environment))
        } catch {
            await log.close()
            throw error
        }
    }
}

/// Log and operational state of one environment.
public struct OpenedLog: Sendable {
    public let log: any LedgerLog
    public let operations: any OperationalState

    public init(log: any LedgerLog, operations: any OperationalState) {
        self.log = log
        self.operations = operations
    }

    public func close() async {
        await log.close()
        await operations.close()
    }
}
