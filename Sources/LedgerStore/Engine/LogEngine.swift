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

    /// Opens both for a program that is not a node.
    ///
    /// - `creating`: whether a missing log is created; otherwise it throws `noSuchFile`.
    func openBoth(
        _ environment: Environment, creating: Bool
    ) async throws(StoreError) -> OpenedLog
}

/// Log and operational state of one environment.
public struct OpenedLog: Sendable {
    public let log: any LedgerLog
    public let operations: any OperationalState
    /// Whether the log had events, and its operational state was missing and is begun anew.
    public let hasLostOperations: Bool

    public init(
        log: any LedgerLog, operations: any OperationalState, hasLostOperations: Bool = false
    ) {
        self.log = log
        self.operations = operations
        self.hasLostOperations = hasLostOperations
    }

    public func close() async {
        await log.close()
        await operations.close()
    }
}
