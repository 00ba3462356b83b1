internal import Foundation

extension DerivedFiles {
    /// Removes the link to the current file, so that everything is rebuilt from the log.
    ///
    /// Numbered files stay: they may be open, and no number is reused. The links of other releases'
    /// versions are removed too, since they also lead to data of the previous log.
    func forgetCurrent(holding lock: ProjectorLock) {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries where entry == linkName || entry.hasPrefix(prefix) {
            let path = path(of: entry)
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFLNK {
                unlink(path)
            } else if entry == linkName {
                // Facts of a release before files were numbered, which only this program opens.
                DerivedFile.discard(path)
            }
        }
    }

    /// For every kind of file in one directory.
    static func forgetAll(in directory: String, holding lock: ProjectorLock) {
        for files in [DerivedFiles.projections(in: directory), .facts(in: directory)] {
            files.forgetCurrent(holding: lock)
        }
    }
}
