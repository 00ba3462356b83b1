internal import Foundation
internal import LedgerStore

/// A directory in which a file is made before it gets its name: `NAME.partial-<16 digits>`, beside
/// that name, so that giving it is one link.
///
/// A lock on the marker inside shows that somebody is at work. What a process that died left behind
/// has the marker and no lock: that, and only that, a later run takes away.
final class StagingDirectory: Sendable {
    let path: String
    private let marker: OpenFile

    /// The file that is being made.
    var file: String { "\(path)/\(EventLog.fileName)" }

    private static let infix = ".partial-"
    private static let markerName = "subledger.partial"
    /// All that is ever in one; anything else is somebody's, and stays.
    private static let names = ["", "-wal", "-shm", "-journal"].map { EventLog.fileName + $0 }
    /// One of those, so that it is taken away with them.
    private static let trialName = EventLog.fileName + "-journal"

    /// Makes one for a file that will be named `path`.
    ///
    /// Throws `fileReadOnly`, `diskFull`, or `ioError`, also where there are no hard links.
    static func make(for path: String) throws(StoreError) -> StagingDirectory {
        var attempts = 3
        while true {
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            let padded = String(repeating: "0", count: 16 - digits.utf8.count) + digits
            let directory = path + infix + padded
            guard mkdir(directory, DatabaseFile.directoryMode) == 0 else {
                throw DatabaseFile.systemError(errno, path: directory)
            }
            attempts -= 1
            do throws(StoreError) {
                let marker = try OpenFile.making("\(directory)/\(markerName)")
                // Somebody who tidies up may have been faster: then it is gone, or his.
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

    /// The file will get its name by a hard link, which replaces nothing. That there are none where it
    /// is made is better found out before the work than behind it.
    private func requireLinks() throws(StoreError) {
        let trial = "\(path)/\(StagingDirectory.trialName)"
        guard link(marker.path, trial) == 0 else {
            guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else {
                throw DatabaseFile.systemError(errno, path: trial)
            }
            throw StoreError(
                .ioError, path: path,
                reason: "The file system there knows no hard links, and without them no file can be"
                    + " named without a risk of replacing another.",
                remedy: "Use a local disk that has them (ext4, XFS, Btrfs); a finished backup can"
                    + " be copied anywhere.")
        }
        unlink(trial)
    }

    private static func isLocked(_ marker: OpenFile) -> Bool {
        flock(marker.descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Takes away the directory with what is left in it.
    func remove() { StagingDirectory.remove(path) }

    private static func remove(_ directory: String) {
        let left = names.filter { unlink("\(directory)/\($0)") != 0 && errno != ENOENT }
        // The marker last, and only after everything else: without it nobody could know whose the
        // rest is, and no later run would take it away.
        guard left.isEmpty else { return }
        unlink("\(directory)/\(markerName)")
        rmdir(directory)
    }

    /// Takes away what processes that died left in `directory`.
    static func removeStale(in directory: String) {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries {
            guard let range = entry.range(of: infix, options: .backwards) else { continue }
            let digits = entry[range.upperBound...]
            guard digits.utf8.count == 16, digits.allSatisfy(\.isHexDigit) else { continue }
            let path = "\(directory)/\(entry)"
            // Died between making the directory and its marker. Not empty: stays.
            if rmdir(path) == 0 { continue }
            guard let marker = try? OpenFile.reading("\(path)/\(markerName)"), isLocked(marker)
            else { continue }
            remove(path)
        }
    }
}
