public import AppStore
public import Intake
public import LedgerStore
public import SQLiteStore

/// A ledger caught up to the head found at the start, for a read command.
public struct LedgerSession: Sendable {
    public let ledger: EnvironmentLedger
    public let projections: ProjectionsStore
    /// The last position that every answer includes.
    public let head: Int64
    /// Nil while another process projects here, and after `released`.
    public let projector: Projector?

    /// Messages about derived data that was rebuilt (`Log.md` §3: rebuild and say so).
    public var remarks: [String] {
        (projector?.remarks ?? []).map(\.text)
    }

    /// Wait for another process that projects without reporting progress, milliseconds.
    static let waitMilliseconds = 120_000
    static let pollMilliseconds = 20

    /// Opens the environment and catches up, or waits for the process that does.
    public static func open(
        _ configuration: Configuration, environment: Environment,
        report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession {
        let ledger = try await EnvironmentLedger.open(configuration, environment: environment)
        return try await open(ledger, report: report)
    }

    /// Wait for the requested projector lock while its holder makes no progress, milliseconds.
    static let handoverMilliseconds = 5_000

    /// Opens an environment for projecting and asks the current projector to release the lock.
    /// Without a projector when it does not release it in time.
    public static func openToProject(
        _ ledger: EnvironmentLedger, report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession {
        let directory = ledger.directory
        let handover = try await Blocking.run { () throws(StoreError) in
            try ProjectorHandover.make(directory: directory)
        }
        // Held until the lock is taken, so that the previous holder does not take it first.
        defer { withExtendedLifetime(handover) {} }
        var waited = 0
        var lastProgress: ProjectionProgress?
        while waited < handoverMilliseconds {
            if let session = try await projecting(ledger, report) { return session }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            let progress = ProjectorLock.progress(directory: directory)
            waited = progress == lastProgress ? waited + pollMilliseconds : 0
            lastProgress = progress
        }
        return try await open(ledger, report: report)
    }

    /// Catches up an open environment; nil while another process projects there.
    public static func projecting(
        _ ledger: EnvironmentLedger, _ report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession? {
        guard let projector = try await Projector.open(ledger, report: report) else { return nil }
        let head = try await projector.catchUp(report: report)
        try await ledger.completeness(asOf: projector.projections, at: head)
        return LedgerSession(
            ledger: ledger, projections: projector.projections, head: head, projector: projector)
    }

    /// Catches up an open environment.
    public static func open(
        _ ledger: EnvironmentLedger, report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession {
        let head = try await ledger.log.head().position
        var waited = 0
        var lastProgress: ProjectionProgress?
        while waited < waitMilliseconds {
            if let session = try await projecting(ledger, report) { return session }
            if let session = try await following(ledger, head: head) { return session }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            waited += pollMilliseconds
            // A holder that makes progress extends the wait.
            guard let progress = ProjectorLock.progress(directory: ledger.directory),
                progress != lastProgress
            else { continue }
            lastProgress = progress
            waited = 0
            report(progress)
        }
        let reached = lastProgress.map { " It is at \($0.text)." } ?? ""
        throw StoreError(
            .fileLocked, path: ledger.directory,
            reason: "Another process is projecting and has not reached position \(head).\(reached)",
            remedy: "Wait for it to finish, or end it; then try again.")
    }

    /// A session on the files of the projecting process; nil until they include `head`.
    private static func following(
        _ ledger: EnvironmentLedger, head: Int64
    ) async throws(StoreError) -> LedgerSession? {
        guard let path = ledger.projectionFiles.current() else { return nil }
        do throws(StoreError) {
            try await ledger.reopenFacts()
            let store = try await ProjectionsStore.open(path)
            guard try await store.matches(ledger.build),
                try await store.checkpoint().position >= head,
                try await ledger.facts.checkpoint().position >= head
            else { return nil }
            try await ledger.completeness(
                asOf: store, at: try await store.checkpoint().position)
            return LedgerSession(ledger: ledger, projections: store, head: head, projector: nil)
        } catch {
            // The holder of the lock rebuilds the file, or `open` does once it has the lock.
            guard error.asksForRebuild || error.code == .noSuchFile else { throw error }
            return nil
        }
    }

    /// A snapshot that includes the current end of the log, caught up here or by the process that
    /// projects.
    public func currentSnapshot(
        report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSnapshot {
        if let projector {
            let head = try await projector.catchUp(report: report)
            try await ledger.completeness(asOf: projector.projections, at: head)
            return LedgerSnapshot(
                ledger: ledger, facts: ledger.facts, projections: projector.projections,
                position: head)
        }
        let session = try await LedgerSession.open(ledger, report: report)
        return LedgerSnapshot(
            ledger: ledger, facts: ledger.facts, projections: session.projections,
            position: session.head)
    }

    /// This session without its projector, for work that may take longer than catching up: a
    /// service waits for the projector's lock, which the last reference to `self` releases.
    public func released() async -> LedgerSession {
        await foldWriteAheadLogs()
        return LedgerSession(
            ledger: ledger, projections: projector?.projections ?? projections, head: head,
            projector: nil)
    }

    /// So that the next open needs no recovery.
    private func foldWriteAheadLogs() async {
        guard let projector else { return }
        try? await ledger.facts.walCheckpoint()
        try? await projector.projections.walCheckpoint()
    }

    public func close() async {
        await foldWriteAheadLogs()
        if let last = projector?.projections, last !== projections { try? last.close() }
        try? projections.close()
        await ledger.close()
    }
}
