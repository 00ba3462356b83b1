internal import Foundation
internal import LedgerStore
internal import Synchronization

/// Hints between nodes that something was appended: NOTIFY after COMMIT, in a separate transaction,
/// since inside the append's it would serialise all commits of the database. A lost notice delays a
/// node by its polling interval. A transaction that only notifies waits for no disk or standby.
final class AppendNotices: Sendable {
    private struct State {
        var isEnded = false
        /// Whether a NOTIFY is queued already.
        var isDue = false
    }

    private let state = Mutex(State())
    private let session: PostgresSession
    private let channel: String
    /// Identifies this log's own notices, which are ignored.
    private let sender = UUID().uuidString
    private let sending: ConnectionThreads

    /// Interval at which the listener checks whether it was ended.
    private static let waitMilliseconds: Int32 = 200
    /// The pause after the listener's connection was lost.
    private static let pause: Duration = .milliseconds(250)

    init(_ session: PostgresSession) {
        self.session = session
        channel = "\"\(session.place.schema)\""
        sending = ConnectionThreads("subledger-notify", count: 1, open: session.open)
    }

    /// Queues a notice of a commit; returns immediately.
    func send() {
        let isFirst = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue && !state.isEnded
        }
        guard isFirst else { return }
        _ = sending.add { [self] slot in
            state.withLock { $0.isDue = false }
            let notify = "NOTIFY \(channel), '\(sender)'"
            if (try? slot.connection().run(script: notify)) == nil { slot.drop() }
        }
    }

    /// Calls `wake` for notices of others.
    func listen(_ wake: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            while !isEnded {
                try? receive(wake)
                Blocking.pause(AppendNotices.pause)
            }
        }
        thread.name = "subledger-listen"
        thread.start()
    }

    /// Returns when ended; throws when the connection is lost.
    private func receive(_ wake: () -> Void) throws {
        let connection = try session.open()
        try connection.run(script: "LISTEN \(channel)")
        while !isEnded {
            let senders = try connection.notifications(
                within: AppendNotices.waitMilliseconds)
            if senders.contains(where: { $0 != sender }) { wake() }
        }
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    func end() async {
        state.withLock { $0.isEnded = true }
        await sending.stopped()
    }
}
