public import LedgerStore
internal import Synchronization

/// The projections that a long-lived process reads: follows the link from file to file.
///
/// A file is opened by its real path only. When another file becomes current, new readers get it,
/// and the old one stays open until its last reader releases it, so that no reader sees an error, a
/// mixture, or old rows after the switch (`design.md` §3).
public final class CurrentProjections: Sendable {
    private let files: DerivedFiles
    private let held: Mutex<ProjectionsStore?>

    public init(directory: String) {
        files = .projections(in: directory)
        held = Mutex(nil)
    }

    /// The current store. Reads the link at every call, which costs microseconds; use the result
    /// for one query only.
    ///
    /// Throws `noSuchFile` when nothing was built or the file was deleted: the projector rebuilds
    /// it.
    public func store() async throws(StoreError) -> ProjectionsStore {
        guard let path = files.current() else {
            held.withLock { $0 = nil }
            throw StoreError(
                .noSuchFile, path: files.path(of: files.linkName),
                reason: "There are no projections.",
                remedy: "They are derived data: run `subledger rebuild`.")
        }
        if let store = held.withLock({ $0 }), store.path == path, store.isInPlace { return store }
        let opened = try await Blocking.run { () throws(StoreError) in
            try ProjectionsStore(path: path)
        }
        // Another caller may have been faster; either store reads the same file.
        held.withLock { $0 = opened }
        return opened
    }
}
