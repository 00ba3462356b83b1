internal import AppStore
internal import Foundation
public import LedgerStore
internal import Synchronization

/// The event log of one environment in a schema of PostgreSQL, shared by any number of nodes.
///
/// One connection appends and a few read, each on its own thread. Appends depend on no state of a
/// session. Only an erasure changes rows other than that of `head`.
public final class PostgresLog: SharedLog {
    public let location: String
    /// Packs evidence for this log; safe to use from any thread.
    public let packer = EvidencePacker()
    /// The id of the ledger; a node that stores it can refuse to join another one.
    public let ledgerId: LedgerId

    let place: PostgresLocation
    let environment: Environment
    let appender: ConnectionThreads
    let readers: ConnectionThreads
    let faults: (any CommitFaults)?
    let answerTimeout: Duration
    public let commits: GroupCommit
    /// The last error about a log that went back, and where that log ended (`loss`).
    let wentBack = Mutex<(head: Int64, error: StoreError)?>(nil)
    /// Whether something was written, or a probe found room, since the disk was last full.
    let hasRoom = Mutex(false)
    let knownHeaders = Mutex(KnownHeaders())
    let unreadable = Mutex(UnreadablePositions())
    let seen: Mutex<SeenLeaves>
    /// Where this node keeps what it has seen, and what was written there last.
    let memory = Mutex<(directory: String, memory: NodeMemory)?>(nil)
    let notices: AppendNotices

    /// Opens the log of `environment`, and creates its schema when missing.
    ///
    /// Throws `databaseUnavailable`, `databaseRefused`, `fileNewer`, `fileChanged`, `fileForeign`,
    /// `fileReadOnly`, `fileCorrupt`, `noSuchFile` or `logWentBack`. A schema that cannot be opened
    /// is left unchanged.
    ///
    /// - `ledger`: the ledger that this node belongs to; nil for any. With one, the log opens also
    ///   while the database is unavailable or lacks `seen`, and is checked later.
    /// - `seen`: the newest event that this node has seen of it: the log must hold it.
    /// - `creating`: false throws `noSuchFile` for a missing schema.
    /// - `readerCount`: connections that read, at least one.
    /// - `faults`: failures around COMMIT, in tests.
    static func open(
        _ place: PostgresLocation, environment: Environment, ledger: LedgerId? = nil,
        seen: ProjectionCursor = .start, creating: Bool = true,
        readerCount: Int = PostgresLimits.readerCount,
        answerTimeout: Duration = PostgresLimits.answerTimeout,
        faults: (any CommitFaults)? = LogFaults.commits
    ) async throws(StoreError) -> PostgresLog {
        let session = PostgresSession(place: place, answerTimeout: answerTimeout)
        let checked = CheckedSession(
            LogOpening(
                session: session, environment: environment, ledger: ledger, seen: seen,
                creates: creating))
        let appender = ConnectionThreads("subledger-append", count: 1, open: checked.open)
        let readers = ConnectionThreads(
            "subledger-read", count: max(1, readerCount), open: checked.open)
        return PostgresLog(
            session, environment, ledgerId: try await checked.ledger(on: appender, readers),
            appender: appender, readers: readers, seen: seen, faults: faults)
    }

    private init(
        _ session: PostgresSession, _ environment: Environment, ledgerId: LedgerId,
        appender: ConnectionThreads, readers: ConnectionThreads, seen: ProjectionCursor,
        faults: (any CommitFaults)?
    ) {
        place = session.place
        self.environment = environment
        notices = AppendNotices(session)
        location = session.place.description
        commits = GroupCommit(location)
        answerTimeout = session.answerTimeout
        self.ledgerId = ledgerId
        self.appender = appender
        self.readers = readers
        self.faults = faults
        var leaves = SeenLeaves()
        if let leafHash = seen.leafHash { leaves.note(seen.position, leafHash) }
        self.seen = Mutex(leaves)
    }

    /// Answers the waiting batches, then closes every connection. Later calls throw `closed`.
    public func close() async {
        await commits.close()
        // A node that cannot remember notices a log that went back by its derived files.
        try? await Blocking.run { [self] () throws(StoreError) in try remember() }
        await notices.end()
        await appender.stopped()
        await readers.stopped()
    }

    public func onAppend(_ wake: @escaping @Sendable () -> Void) { notices.listen(wake) }
}

extension ConnectionThreads {
    /// Runs `body` on one of the threads. Throws `closed` after `stop`.
    ///
    /// - Parameter limit: throws `databaseUnavailable` where `body` waited in the queue for so long
    ///   without any answer from the database (`requireTimely`).
    func run<Value: Sendable>(
        _ location: String, within limit: Duration? = nil,
        _ body: @escaping @Sendable (ConnectionSlot) throws -> Value
    ) async throws(StoreError) -> Value {
        let added = ContinuousClock.now
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            let isAdded = add { [self] slot in
                continuation.resume(
                    returning: Result<Value, any Error> {
                        if let limit { try requireTimely(slot, added: added, within: limit) }
                        let value = try body(slot)
                        noteAnswer()
                        return value
                    })
            }
            guard !isAdded else { return }
            continuation.resume(returning: .failure(StoreError.closed(location)))
        }
        do { return try result.get() } catch { throw StoreError(error, location: location) }
    }
}
