public import AppStore
internal import Foundation
internal import LedgerStore
internal import Signing

/// The description of a backup: one line of JSON after the last page of the database.
///
/// A backup is an SQLite file that any tool can open: SQLite uses the page count in its header
/// (https://www.sqlite.org/fileformat2.html#in_header_database_size) and ignores what follows. The
/// line detects truncation and any altered bit of the file, including free space.
public struct BackupDescription: Sendable, Hashable {
    /// The environment whose log this is.
    public let environment: Environment
    /// The last position in the log.
    public let position: Int64
    /// Root of the Merkle tree over 1…position.
    public let root: Digest
    /// Size of the database, without this description.
    public let byteCount: Int64
    /// SHA-256 of those bytes.
    public let digest: Digest
    /// Whether the database also has the checkpoints of the log, in a table `checkpoints`.
    public let hasCheckpoints: Bool

    /// The newest format, that of a backup with checkpoints; a release rejects newer ones.
    static let format: Int64 = 2
    /// That of a backup without.
    private static let plainFormat: Int64 = 1
    static let maximumByteCount = 1_024
    private static let formatKey = "subledgerBackup"

    /// A line feed, the JSON object, a line feed.
    func encoded() -> [UInt8] {
        var json = JSONWriter(reservingCapacity: BackupDescription.maximumByteCount)
        json.newline()
        json.object { json in
            json.member(
                BackupDescription.formatKey,
                hasCheckpoints ? BackupDescription.format : BackupDescription.plainFormat)
            json.member("environment", environment.rawValue)
            json.member("position", position)
            json.member("root", root)
            json.member("byteCount", byteCount)
            json.member("sha256", digest)
        }
        json.newline()
        return json.bytes
    }

    /// Reads the end of a file: `tail` is its last bytes, `fileByteCount` its whole length.
    ///
    /// Throws `backupForeign`, `backupNewer` or `backupDamaged`.
    init(tail: [UInt8], fileByteCount: Int64, path: String) throws(BackupError) {
        let lineFeed = UInt8(ascii: "\n")
        guard tail.last == lineFeed,
            let start = tail.dropLast().lastIndex(of: lineFeed),
            let body = try? JSONValue.parse(Array(tail[(start + 1)...].dropLast())),
            let format = body[BackupDescription.formatKey]?.int64
        else {
            throw BackupError(
                .backupForeign, path: path,
                reason: "It does not end like a backup: it is another file, or truncated.",
                remedy: "Name a file that `subledger backup` wrote; nothing was changed.")
        }
        guard format <= BackupDescription.format else {
            throw BackupError(
                .backupNewer, path: path,
                reason: "It was written by a newer release (backup format \(format)).",
                remedy: "Use that release or a later one; nothing was changed.")
        }
        guard let environment = body["environment"]?.string.flatMap(Environment.init(rawValue:)),
            let position = body["position"]?.int64, let byteCount = body["byteCount"]?.int64,
            let root = body["root"]?.string.flatMap(Digest.init(hexadecimal:)),
            let digest = body["sha256"]?.string.flatMap(Digest.init(hexadecimal:)),
            byteCount == fileByteCount - Int64(tail.count - start)
        else { throw BackupError.damaged(path, "Its description does not match the file.") }
        self.environment = environment
        self.position = position
        self.root = root
        self.byteCount = byteCount
        self.digest = digest
        hasCheckpoints = format == BackupDescription.format
        // Any other spelling of the same values was altered.
        guard encoded() == Array(tail[start...]) else {
            throw BackupError.damaged(path, "Its description was altered.")
        }
    }

    init(
        environment: Environment, head: LogHead, byteCount: Int64, digest: Digest,
        hasCheckpoints: Bool = false
    ) {
        self.hasCheckpoints = hasCheckpoints
        self.environment = environment
        position = head.position
        root = head.root
        self.byteCount = byteCount
        self.digest = digest
    }
}

extension BackupError {
    static func damaged(_ path: String, _ detail: String) -> BackupError {
        BackupError(
            .backupDamaged, path: path, reason: "The backup is damaged. \(detail)",
            remedy: "Use another one; nothing was changed.")
    }
}

/// A backup as a file: its description and its bytes. Blocks.
struct BackupFile {
    private let file: OpenFile
    let description: BackupDescription

    /// Throws `backupUnreadable`, `backupForeign`, `backupNewer` or `backupDamaged`.
    init(_ path: String) throws(BackupError) {
        let (byteCount, tail): (Int64, [UInt8])
        func unreadable(_ reason: String) -> BackupError {
            BackupError(
                .backupUnreadable, path: path, reason: reason,
                remedy: "Check the path and its permissions; nothing was changed.")
        }
        // Opening a pipe may wait without end.
        guard !OpenFile.isSpecial(path) else { throw unreadable("It is not a regular file.") }
        do throws(StoreError) {
            file = try OpenFile.reading(path)
            byteCount = try file.byteCount()
            tail = try file.read(
                at: max(0, byteCount - Int64(BackupDescription.maximumByteCount)),
                count: BackupDescription.maximumByteCount)
        } catch { throw unreadable(error.reason) }
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
