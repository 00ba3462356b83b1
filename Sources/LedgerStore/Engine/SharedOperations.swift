/// Operational state that several nodes share.
public protocol SharedOperations: OperationalState {
    /// Records that this node runs, and the last position in its answers.
    func noteNode(at position: Int64) async throws(StoreError)

    /// The nodes that ran within the last day, by name.
    func nodes() async throws(StoreError) -> [NodeRow]

    /// Every lease that is held now, by task.
    func leases() async throws(StoreError) -> [LeaseRow]
}

/// One node of a shared log.
public struct NodeRow: Hashable, Sendable {
    public let id: String
    /// Host and process.
    public let name: String
    /// The last position in its answers when it was seen last.
    public let position: Int64
    /// Time since it was seen last, by the database's clock.
    public let silentMilliseconds: Int64

    public init(id: String, name: String, position: Int64, silentMilliseconds: Int64) {
        self.id = id
        self.name = name
        self.position = position
        self.silentMilliseconds = silentMilliseconds
    }
}

/// A lease that is held now.
public struct LeaseRow: Hashable, Sendable {
    /// `ExclusiveTask`.
    public let task: String
    /// The id of the node, or host and process of a command.
    public let node: String
    /// Time until it ends unless it is renewed.
    public let leftMilliseconds: Int64

    public init(task: String, node: String, leftMilliseconds: Int64) {
        self.task = task
        self.node = node
        self.leftMilliseconds = leftMilliseconds
    }
}
