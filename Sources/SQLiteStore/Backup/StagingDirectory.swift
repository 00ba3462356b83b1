internal import Foundation
internal import LedgerStore

/// A directory in which a file is built before it gets its name: `NAME.partial-<16 digits>`, next
/// to that name, so that naming it is one link.
///
/// A lock on the marker inside shows that a process is using it. The leftovers of a process that
/// died have the marker and no lock: only these are removed by a later run.
final class StagingDirectory: Sendable {
    let path: String
    private let marker: OpenFile

    /// The file being built.
    var file: String { "\(path)/\(EventLog.fileName)" }

    private static let infix = ".partial-"
    private static let markerName = "subledger.partial"
    /// All files that one may contain; other files are not touched.
    private static let names = ["", "-wal", "-shm", "-journal"].map { EventLog.fileName + $0 }
    /// One of those names, so that it is removed with them.
    private static let trialName = EventLog.fileName + "-journal"

    /// Creates one for a file that will be named `path`.
    ///
    /// Throws `fileReadOnly`, `diskFull`, or `ioError`, also where hard links are unsupported.
    static func make(for path: String) throws(StoreError) -> StagingDirectory {
        var attempts = 3
        while true {
            let digits = String(format: "%016llx", UInt64.random(in: 0...UInt64.max))
            let directory = path + infix + digits
            guard mkdir(directory, DatabaseFile.directoryMode) == 0 else {
                throw DatabaseFile.systemError(errno, path: directory)
            }
            attempts -= 1
            do throws(StoreError) {
                let marker = try OpenFile.making("\(directory)/\(markerName)")
                // A concurrent cleanup may have removed the marker or hold its lock.
                if isLocked(marker), FileManager.default.fileExists(atPath: marker.path) {
                    let staging = StagingDirectory(path: directory, marker: marker)
                    try staging.requireLinks()
                    return staging
                }
            } catch {
                guard attempts > 0, error.code != .ioError else {
                    remove(directory)
                    throw error
                }
            }
            guard attempts > 0 else { throw DatabaseFile.systemError(EBUSY, path: directory) }
        }
    }

    private init(path: String, marker: OpenFile) {
        self.path = path
        self.marker = marker
    }

    /// The file will get its name by a hard link, which never replaces a file. Missing support is
    /// detected before the work instead of after it.
    private func requireLinks() throws(StoreError) {
        let trial = "\(path)/\(StagingDirectory.trialName)"
        guard link(marker.path, trial) == 0 else {
            guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else {
                throw DatabaseFile.systemError(errno, path: trial)
            }
            throw StoreError(
                .ioError, path: path,
                reason: "The file system has no hard links, which are needed to name a file"
                    + " without replacing another.",
                remedy: "Use a local disk that has them (ext4, XFS, Btrfs); a finished backup can"
                    + " be copied anywhere.")
        }
        unlink(trial)
    }

    private static func isLocked(_ marker: OpenFile) -> Bool {
        flock(marker.descriptor, LOCK_EX | LOCK_NB) == 0
    }

    func remove() { StagingDirectory.remove(path) }

    private static func remove(_ directory: String) {
        let left = names.filter { unlink("\(directory)/\($0)") != 0 && errno != ENOENT }
        // The marker is removed last, and only after everything else: without it the rest could not
        // be attributed, and no later run would remove it.
        guard left.isEmpty else { return }
        unlink("\(directory)/\(markerName)")
        rmdir(directory)
    }

    /// Removes the leftovers of processes that died in `directory`.
    static func removeStale(in directory: String) {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries {
            guard let range = entry.range(of: infix, options: .backwards) else { continue }
            let digits = entry[range.upperBound...]
            guard digits.utf8.count == 16, digits.allSatisfy(\.isHexDigit) else { continue }
            let path = "\(directory)/\(entry)"
            // Died between creating the directory and its marker. Kept if not empty.
            if rmdir(path) == 0 { continue }
            guard let marker = try? OpenFile.reading("\(path)/\(markerName)"), isLocked(marker)
            else { continue }
            remove(path)
        }
    }
}
