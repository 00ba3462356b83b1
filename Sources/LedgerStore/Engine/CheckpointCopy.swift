/// Copies the signed checkpoints of a log to the operational state of a copy of the log
/// (`Proof.md`).
///
/// Checkpoints that the copy does not extend are copied, too: they show that it differs from what
/// was signed, and prevent signing it. `audit verify` names them.
public enum CheckpointCopy {
    /// Checkpoints read at once.
    package static let pageCount = 1_000

    /// The counts of a copy.
    public struct Report: Hashable, Sendable {
        /// Checkpoints that are kept with the copy now.
        public internal(set) var count = 0
        /// Checkpoints that were refused, since another one of the same size is kept there.
        public internal(set) var refusedCount = 0

        public init() {}
    }

    /// Copies the checkpoints that `page` returns: those of more than a size, in order; none at the
    /// end. `adopt` stores a page, and returns how many of it were refused.
    package static func run(
        _ page: (_ size: Int64) async throws(StoreError) -> [StoredCheckpoint],
        adopting adopt: ([StoredCheckpoint]) async throws(StoreError) -> Int
    ) async throws(StoreError) -> Report {
        var report = Report()
        var size: Int64 = -1
        while true {
            let checkpoints = try await page(size)
            guard let last = checkpoints.last else { return report }
            size = last.size
            let refused = try await adopt(checkpoints)
            report.refusedCount += refused
            report.count += checkpoints.count - refused
        }
    }

    /// Copies the checkpoints of up to `end` events from the log's operational state.
    public static func run(
        from source: any OperationalState, through end: Int64, to target: any OperationalState
    ) async throws(StoreError) -> Report {
        try await run(from: source, through: end) { page async throws(StoreError) in
            try await target.adopt(page)
        }
    }

    /// As above, to where `adopt` stores a page; it returns how many of the page were refused.
    package static func run(
        from source: any OperationalState, through end: Int64,
        adopting adopt: ([StoredCheckpoint]) async throws(StoreError) -> Int
    ) async throws(StoreError) -> Report {
        try await run(
            { size async throws(StoreError) in
                try await source.checkpoints(after: size, through: end)
            }, adopting: adopt)
    }
}

extension OperationalState {
    /// The size of the newest checkpoint; 0 without one. Read before the end of a log that is to be
    /// copied: a checkpoint beyond that end shows that the log was cut, and belongs to the copy.
    package func newestCheckpointSize() async throws(StoreError) -> Int64 {
        try await checkpoints(before: .max, limit: 1).first?.size ?? 0
    }

    /// A page of the checkpoints of more than `size` and up to `end` events.
    package func checkpoints(
        after size: Int64, through end: Int64
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await checkpoints(after: size, limit: CheckpointCopy.pageCount).filter {
            $0.size <= end
        }
    }
}
