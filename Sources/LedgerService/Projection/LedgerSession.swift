public import AppStore
import Ledger
public import LedgerStore

/// A ledger brought up to the head found at the start: what a read command works on.
public struct LedgerSession: Sendable {
    public let ledger: EnvironmentLedger
    public let projections: ProjectionsStore
    /// The last position every answer includes.
    public let head: Int64
    /// Nil while another process projects here.
    public let projector: Projector?

    /// What to tell when derived data was of another log (`design.md` §3: rebuild and say so).
    public var divergence: String? {
        projector?.divergedAt.map { position in
            "Derived data stood at position \(position) of another log than this one, which ends at"
                + " \(head) (a restored backup, or a fork?). It was rebuilt from this log; events"
                + " that only the other one held are not in any answer."
        }
    }

    public var query: ChainQuery {
        ChainQuery(ledger: ledger, projections: projections, head: head)
    }

    /// How long to wait for another process that projects.
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

    /// Catches up an open environment.
    public static func open(
        _ ledger: EnvironmentLedger, report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSession {
        let head = try await ledger.log.head().position
        var waited = 0
        while waited < waitMilliseconds {
            if let projector = try await Projector.open(ledger, report: report) {
                let head = try await projector.catchUp(report: report)
                return LedgerSession(
                    ledger: ledger, projections: projector.projections, head: head,
                    projector: projector)
            }
            if let session = try await following(ledger, head: head) { return session }
            try? await Task.sleep(for: .milliseconds(pollMilliseconds))
            waited += pollMilliseconds
        }
        throw StoreError(
            .fileLocked, path: ledger.directory,
            reason: "Another process is projecting and has not reached position \(head).",
            remedy: "Wait for it to finish, or end it; then try again.")
    }

    /// Another process projects: its files, once they hold `head`.
    private static func following(
        _ ledger: EnvironmentLedger, head: Int64
    ) async throws(StoreError) -> LedgerSession? {
        guard let path = ledger.projectionFiles.current() else { return nil }
        let build = ledger.build
        let store = try await Blocking.run { () throws(StoreError) in
            try ProjectionsStore(path: path, build: build)
        }
        if try await store.matches(build), try await store.checkpoint().position >= head,
            try await ledger.facts.checkpoint().position >= head
        {
            return LedgerSession(ledger: ledger, projections: store, head: head, projector: nil)
        }
        try store.close()
        return nil
    }

    public func close() async {
        if projector != nil {
            try? await ledger.facts.settle()
            try? await projections.settle()
        }
        try? projections.close()
        await ledger.close()
    }
}
