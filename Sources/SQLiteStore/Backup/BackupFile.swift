internal import Foundation
internal import LedgerStore
internal import Signing

/// A backup as a file: its description and its bytes. Blocks.
struct BackupFile {
    private let file: OpenFile
    let description: BackupDescription

    /// Throws `backupUnreadable`, `backupForeign`, `backupNewer` or `backupDamaged`.
    init(_ path: String) throws(BackupError) {
        let (byteCount, tail): (Int64, [UInt8])
        do throws(StoreError) {
            file = try OpenFile.reading(path)
            byteCount = try file.byteCount()
            tail = try file.read(
                at: max(0, byteCount - Int64(BackupDescription.maximumByteCount)),
                count: BackupDescription.maximumByteCount)
        } catch {
            throw BackupError(
                .backupUnreadable, path: path, reason: error.reason,
                remedy: "Check the path and its permissions; nothing was changed.")
        }
        description = try BackupDescription(tail: tail, fileByteCount: byteCount, path: path)
    }

    /// Writes the database, without the description, to a new file, and makes it durable.
    ///
    /// Throws `backupDamaged` when the bytes do not match the description, else `StoreError`.
    func copy(to target: String, report: (_ done: Int64, _ all: Int64) -> Void) throws {
        let copy = try OpenFile.making(target)
        var hasher = SHA256Hasher()
        var offset: Int64 = 0
        while offset < description.byteCount {
            let rest = description.byteCount - offset
            let block = try file.read(
                at: offset, count: Int(min(Int64(OpenFile.blockByteCount), rest)))
            guard !block.isEmpty else { break }
            hasher.update(block)
            try copy.write(block)
            offset += Int64(block.count)
            report(offset, description.byteCount)
        }
        guard offset == description.byteCount, hasher.finish() == description.digest else {
            throw BackupError.damaged(file.path, "Its bytes do not match its description.")
        }
        try copy.synchronize()
    }
}
