public import AppStore
public import Intake
import Ledger
public import LedgerStore
public import SQLiteStore

/// A ledger brought up to the head found at the start: what a read command works on.
public struct LedgerSession: Sendable {
    public let ledger: EnvironmentLedger
    public let projections: ProjectionsStore
    /// The last position every answer includes.
    public let head: Int64
    /// Nil while another process projects here.
    public let projector: Projector?

    /// What to tell when derived data had to be made again (`design.md` §3: rebuild and say so).
    public var remarks: [String] {
        (projector?.remarks ?? []).map { remark in
            switch remark {
            case .diverged(let position):
                "Derived data stood at position \(position) of another log than this one, which"
                    + " ends at \(head) (a restored backup, or a fork?). It was rebuilt from this"
                    + " log; events that only the other one held are not in any answer."
            case .gone, .damaged, .foreign, .relinked, .unreadable: remark.text
            }
        }
    }

    /// How long to wait for another process that projects and says nothing new.
    static let waitMilliseconds = 120_000
    static let pollMilliseconds = 20

    /// Opens the environment and catches up, or waits for the process that is doing so.
    public static func open(
        _ configuration: Configuration, environment: Environment,
        report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession {
        let ledger = try await EnvironmentLedger.open(configuration, environment: environment)
        return try await open(ledger, report: report)
    }

    /// How long to wait for the projector's lock that was asked for, of whoever makes no progress.
    static let wishMilliseconds = 5_000

    /// Opens an open environment to project in it, asking whoever else does to let go. Without a
    /// projector when they did not in time.
    public static func openToProject(
        _ ledger: EnvironmentLedger, report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession {
        let directory = ledger.directory
        let wish = try await Blocking.run { () throws(StoreError) in
            try ProjectorWish.make(directory: directory)
        }
        // Held until the lock is: whoever was asked must not take it again before us.
        defer { withExtendedLifetime(wish) {} }
        var waited = 0
        var heard: ProjectionProgress?
        while waited < wishMilliseconds {
            if let session = try await projecting(ledger, report) { return session }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            let progress = ProjectorLock.progress(directory: directory)
            waited = progress == heard ? waited + pollMilliseconds : 0
            heard = progress
        }
        return try await open(ledger, report: report)
    }

    /// Catches up an open environment; nil while another process projects in it.
    private static func projecting(
        _ ledger: EnvironmentLedger, _ report: @escaping Projector.Report
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
        var heard: ProjectionProgress?
        while waited < waitMilliseconds {
            if let session = try await projecting(ledger, report) { return session }
            if let session = try await following(ledger, head: head) { return session }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            waited += pollMilliseconds
            // Whoever makes progress is worth waiting for.
            guard let progress = ProjectorLock.progress(directory: ledger.directory),
                progress != heard
            else { continue }
            heard = progress
            waited = 0
            report(progress)
        }
        let reached = heard.map { " It is at \($0.text)." } ?? ""
        throw StoreError(
            .fileLocked, path: ledger.directory,
            reason: "Another process is projecting and has not reached position \(head).\(reached)",
            remedy: "Wait for it to finish, or end it; then try again.")
    }

    /// Another process projects: its files, once they hold `head`.
    private static func following(
        _ ledger: EnvironmentLedger, head: Int64
    ) async throws(StoreError) -> LedgerSession? {
        guard let path = ledger.projectionFiles.current() else { return nil }
        try await ledger.reopenFacts()
        do throws(StoreError) {
            let store = try await Blocking.run { () throws(StoreError) in
                try ProjectionsStore(path: path)
            }
            guard try await store.matches(ledger.build),
                try await store.checkpoint().position >= head,
                try await ledger.facts.checkpoint().position >= head
            else { return nil }
            try await ledger.completeness(
                asOf: store, at: try await store.checkpoint().position)
            return LedgerSession(ledger: ledger, projections: store, head: head, projector: nil)
        } catch {
            // The holder of the lock finds it too, and makes it again.
            guard error.isDamage || error.code == .noSuchFile else { throw error }
            return nil
        }
    }

    public func close() async {
        if let projector {
            try? await ledger.facts.settle()
            let last = projector.projections
            try? await last.settle()
            // Closed properly, so that whoever opens it next finds nothing to recover.
            if last !== projections { try? last.close() }
        }
        try? projections.close()
        await ledger.close()
    }
}
