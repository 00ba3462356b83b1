import AppStore
import Foundation
internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Synchronization

/// Answers while the log of other nodes cannot be read, and of a node that is still catching up.
extension ServedLedger {
    /// How long the log could not be read, or this node could not follow it because of its own
    /// disk; nil while it can. Answers may lack what other nodes acknowledged meanwhile.
    public var age: Duration? {
        guard ledger.isShared else { return nil }
        return health.withLock { health in
            guard health.projection != nil else { return nil }
            return health.readAt.map { $0.duration(to: .now) } ?? .zero
        }
    }

    /// Whether the database of several nodes could not be reached when this node read it last.
    var isDatabaseAway: Bool {
        ledger.isShared
            && health.withLock { $0.projection?.code == .databaseUnavailable }
    }

    /// The progress of a node that has not yet reached the end that the log had at its start; nil
    /// once it has.
    public var catchingUp: (position: Int64, head: Int64)? {
        let origin = health.withLock { $0.origin }
        let reached = projectedPosition
        guard let origin else { return (reached ?? 0, head) }
        if let reached, reached >= origin { return nil }
        let progress = ProjectorLock.progress(directory: ledger.directory)
        let position = progress.map(ServedLedger.position(of:)) ?? 0
        let built = health.withLock { health in
            // Files that are built in bulk decode what arrived meanwhile, too.
            health.built = max(health.built, position)
            return health.built
        }
        return (max(reached ?? 0, built), max(head, origin))
    }

    /// How far files are that are built in bulk: decoding all events is half of the way, folding
    /// them the other half, so that the position does not run back between them.
    private static func position(of progress: ProjectionProgress) -> Int64 {
        switch progress.phase {
        case .decode: progress.position / 2
        case .fold: (progress.head + progress.position) / 2
        case .apply, .verify, .signatures: 0
        }
    }

    /// Age of a node's answers, or of the oldest event that they lack, from which the node leaves
    /// exclusive work to others (`isCurrent`). A lease expires after the same time if its holder
    /// cannot reach the database.
    static let currentLimit: Duration = .seconds(10)

    /// Whether this node may do the work that one node does for all: its answers follow the log, or
    /// no other node has later answers. Otherwise all nodes would wait for a holder of leases that
    /// still catches up, rebuilds, or whose disk is full or hangs. A node whose log went back
    /// leaves it to those that accepted the log.
    var isCurrent: Bool {
        guard ledger.isShared else { return true }
        // Its answers include events that the log lacks, and look later than those of other nodes.
        if health.withLock({ $0.projection?.code == .logWentBack }) { return false }
        let behind = max(age ?? .zero, lag.time)
        return catchingUp == nil && behind < ServedLedger.currentLimit
            || !health.withLock { $0.hasNodeAhead }
    }

    /// Compares this node, whose answers go as far as `position`, with those that ran a short time
    /// ago.
    func note(nodes: [NodeRow], position: Int64) {
        let hasNodeAhead = nodes.contains { node in
            node.position > position
                && node.silentMilliseconds < ProjectionLoop.nodeSilenceMilliseconds
        }
        health.withLock { $0.hasNodeAhead = hasNodeAhead }
    }

    /// For a node that starts while its database is away or the log went back: it has caught up
    /// once its answers include every position that it has seen; these answers are at most as old
    /// as its memory.
    func noteStart(without error: StoreError) {
        guard let log = ledger.log as? any SharedLog,
            [.databaseUnavailable, .logWentBack].contains(error.code)
        else { return }
        note(projection: error)
        let age = NodeMemory.writtenAt(in: ledger.directory).map { Date.now.timeIntervalSince($0) }
        let seen = log.lastSeen.position
        board.reached(head: seen)
        health.withLock { health in
            health.readAt = .now - .seconds(max(0, age ?? 0))
            health.origin = seen
        }
    }

    /// Notes that the end of the log was read. While projecting fails, answers still grow older.
    func noteEnd(_ position: Int64) {
        board.reached(head: position)
        health.withLock { health in
            if health.projection == nil || health.readAt == nil { health.readAt = .now }
            if !health.hasReadEnd { health.origin = position }
            health.hasReadEnd = true
        }
    }

    /// The end of the log; nil while that of other nodes cannot be read.
    func readableHead() async throws(StoreError) -> Int64? {
        do throws(StoreError) { return try await ledger.log.head().position } catch {
            guard ledger.isShared else { throw error }
            return nil
        }
    }

    /// When the end of the log was last read; nil where it never was.
    var lastRead: Timestamp? {
        guard let readAt = health.withLock({ $0.readAt }) else { return nil }
        let age = readAt.duration(to: .now) / .milliseconds(1)
        return Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000 - age))
    }
}
