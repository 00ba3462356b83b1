public import AppStore

/// Copies a log into another one, whatever their engines: the same events at the same positions,
/// with the same leaf hashes and tree.
///
/// An interrupted copy continues where it stopped. A target that holds anything else than the
/// beginning of the source is refused and left unchanged.
public struct LogCopy: Sendable {
    private let source: any LedgerLog
    private let target: any LedgerLog

    public struct Report: Hashable, Sendable {
        /// Events that were there already.
        public let presentCount: Int64
        /// The last position copied.
        public let position: Int64
        public let root: Digest
    }

    public init(from source: any LedgerLog, to target: any LedgerLog) {
        self.source = source
        self.target = target
    }

    /// Copies up to the end that the source has now, and compares the trees.
    ///
    /// Throws `fileForeign` for a target that does not begin as the source does, or that another
    /// process writes; `fileCorrupt` for evidence that cannot be read or does not match its row.
    ///
    /// - Parameter progress: receives the positions done and in total.
    public func run(
        progress: @Sendable (_ done: Int64, _ all: Int64) async -> Void = { _, _ in }
    ) async throws(StoreError) -> Report {
        var end = try await source.tree()
        let present = try await target.tree()
        let known = try await source.extended(
            CompactRange(), through: min(present.size, end.size))
        guard var copied = known, copied == present else {
            throw refusal("It holds events that the source does not have.")
        }
        var isOvertaken = false
        while copied.size < end.size {
            await progress(copied.size, end.size)
            let page = try await source.page(after: copied.size, through: end.size)
            try await append(page, to: &copied)
            // Rows erased meanwhile were copied as tombstones: copy their erasure, too.
            guard copied.size == end.size else { continue }
            let later = try await source.erasurePositions(after: end.size, through: .max)
            guard !later.isEmpty else { continue }
            end = try await source.tree()
            isOvertaken = true
        }
        // A new target holds erased bytes only if an erasure overtook the copy; an older one also
        // if an interrupted run did not purge it.
        if present.size > 0 || isOvertaken,
            try await !source.erasurePositions(after: 0, through: end.size).isEmpty
        {
            try await target.purge()
        }
        await progress(end.size, end.size)
        guard copied == end, try await target.tree() == end else {
            throw refusal("It differs from the source after copying.")
        }
        return Report(presentCount: present.size, position: end.size, root: end.root)
    }

    private func append(
        _ page: [LoggedEvent], to copied: inout CompactRange
    ) async throws(StoreError) {
        guard !page.isEmpty else {
            throw StoreError(
                .fileCorrupt, path: source.location, reason: "Positions of the source are missing.",
                remedy: "Run `subledger audit verify`, and restore a backup that verifies.")
        }
        let events = try await Parallel.map(page) { (logged) throws(StoreError) in
            try event(logged)
        }
        for batch in EventBatches(events) {
            let first = copied.size + 1
            let results = try await target.append(Array(batch))
            for (result, logged) in zip(results, page[batch.indices]) {
                guard result.isWritten, result.position == copied.size + 1,
                    logged.event.position == result.position
                else { throw refusal("Another program writes to it.") }
                copied.append(logged.event.leafHash)
            }
            guard try await target.tree() == copied else {
                throw refusal("It differs from the source at positions \(first) to \(copied.size).")
            }
        }
    }

    /// The event as originally appended: its leaf is the same at the same position. The stored
    /// bytes must have the hashes of the row.
    private func event(_ logged: LoggedEvent) throws(StoreError) -> NewEvent {
        let event = logged.event
        if let damage = logged.damage { throw damage }
        guard let packed = logged.evidence else { return try tombstone(event) }
        let hashes = try packed.computedHashes()
        guard hashes.evidence == event.evidenceHash, hashes.payload == event.payloadHash else {
            throw unreadable(event, "has evidence that does not match its hashes")
        }
        return NewEvent(copying: event, packed)
    }

    /// An event whose evidence was erased. Whether an erasure names it is known only later in the
    /// log; `audit verify` of the copy checks it.
    private func tombstone(_ event: RecordedEvent) throws(StoreError) -> NewEvent {
        guard event.attributes.chain == nil, event.attributes.notificationUUID == nil else {
            throw unreadable(event, "has no evidence")
        }
        return NewEvent(copying: event, nil)
    }

    private func unreadable(_ event: RecordedEvent, _ problem: String) -> StoreError {
        StoreError(
            .fileCorrupt, path: source.location, reason: "Position \(event.position) \(problem).",
            remedy: "It cannot be copied; restore a backup that verifies, and copy that.")
    }

    private func refusal(_ reason: String) -> StoreError {
        StoreError(
            .fileForeign, path: target.location,
            reason: "The target cannot take this log. \(reason)",
            remedy: "Copy into an empty log, or into one that an earlier copy of this log began.")
    }
}
