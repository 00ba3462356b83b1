internal import Foundation

extension DerivedFiles {
    /// Takes the current name away, so that everything is made again from the log.
    ///
    /// Files that bear numbers stay: somebody may be reading them, and no number is given twice.
    /// The links of other releases' versions go, too: they, too, tell of the log that was there.
    func forgetCurrent(holding lock: ProjectorLock) {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries where entry == linkName || entry.hasPrefix(prefix) {
            let path = path(of: entry)
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFLNK {
                unlink(path)
            } else if entry == linkName {
                // Facts of a release before files were numbered, which only our processes open.
                DerivedFile.discard(path)
            }
        }
    }

    /// Every kind, in one directory.
    static func forgetAll(in directory: String, holding lock: ProjectorLock) {
        for files in [DerivedFiles.projections(in: directory), .facts(in: directory)] {
            files.forgetCurrent(holding: lock)
        }
    }
}
