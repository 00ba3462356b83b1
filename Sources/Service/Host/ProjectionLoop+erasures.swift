internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Synchronization

/// What an erasure leaves to be removed.
extension ProjectionLoop {
    /// Whether files of the time before an erasure are beside the current ones, as after a kill:
    /// the projector, which removes them, is not opened while nothing is new. Looks once for each
    /// time that `erasedFilesDue` is set.
    func hasErasedFiles() async throws(StoreError) -> Bool {
        let isDue = served.erasedFilesDue.withLock { due in
            guard let moment = due, moment <= .now else { return false }
            due = nil
            return true
        }
        guard isDue, !(ledger.factsFiles.otherNames() + ledger.projectionFiles.otherNames()).isEmpty
        else { return false }
        return try await !ledger.log.erasurePositions(after: 0, through: .max).isEmpty
    }

    /// Removes them; the projector, which holds the lock, is closed. Returns whether none is left.
    func dropErasedFiles() async throws(StoreError) -> Bool {
        let directory = ledger.directory
        let lock = try await Blocking.run { () throws(StoreError) in
            try ProjectorLock.take(directory: directory)
        }
        guard let lock else { return false }
        return await Projector.dropOthers(of: ledger, holding: lock).isEmpty
    }

    /// Forgets what is remembered of persons once answers include an erasure; earlier answers may
    /// have named the person again. Also after erasures by other processes. If it fails, the next
    /// call looks for the same erasures.
    func forgetErased() async throws(StoreError) {
        guard let current = served.board.snapshot else { return }
        // An erasure makes other files of those that answers came from.
        if let last = served.lastForgotten.withLock({ $0 }),
            last.path != current.projections.path
        {
            let erasures = try await ledger.log.erasurePositions(
                after: last.position, through: .max)
            if !erasures.isEmpty { served.forgetPersons() }
        }
        served.lastForgotten.withLock { $0 = (current.projections.path, current.position) }
    }
}
