internal import Foundation
internal import GRDBSQLite
internal import Synchronization

/// SQLite's own file system (https://www.sqlite.org/vfs.html), except that a read which the disk
/// refuses is told as just that.
///
/// SQLite reports EIO as `SQLITE_IOERR_CORRUPTFS`, and its statements turn that into
/// `SQLITE_CORRUPT`, as if what was read made no sense. For a log the two are not the same: damage
/// is one row's own and for ever, and goes into the facts as such (`design.md` §3); a disk that does
/// not answer says nothing about any row, and whoever asks has to ask again.
enum DiskReads {
    /// The file system below ours, and its files' functions with ours for them, as addresses: what
    /// is registered here stays for ever and is never changed, so that they never dangle.
    private struct Below {
        var system: UInt = 0
        var functions: [UInt: UInt] = [:]
    }

    private static let below = Mutex(Below())

    /// Room that a file of another file system may need beyond what SQLite's own takes.
    private static let spareByteCount: Int32 = 64

    /// Ours. Written once, before SQLite knows it, and never freed: SQLite keeps it.
    nonisolated(unsafe) private static let system: UnsafeMutablePointer<sqlite3_vfs>? = {
        guard let usual = sqlite3_vfs_find(nil) else { return nil }
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: usual.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(strdup("subledger"))
        copy.pointee.szOsFile = usual.pointee.szOsFile + spareByteCount
        copy.pointee.xOpen = { _, name, file, flags, outFlags in
            DiskReads.open(name, file, flags, outFlags)
        }
        copy.pointee.xDelete = { _, name, sync in
            guard let below = DiskReads.belowSystem else { return SQLITE_IOERR }
            return below.pointee.xDelete(below, name, sync)
        }
        copy.pointee.xAccess = { _, name, flags, result in
            guard let below = DiskReads.belowSystem else { return SQLITE_IOERR }
            return below.pointee.xAccess(below, name, flags, result)
        }
        return copy
    }()

    /// Makes it the file system of every connection that is opened from now on. Where another one
    /// became the default in the meantime, ours is put above it.
    static func install() {
        guard let system else { return }
        below.withLock { below in
            guard let usual = sqlite3_vfs_find(nil), usual != system else { return }
            below.system = UInt(bitPattern: usual)
            sqlite3_vfs_register(system, 1)
        }
    }

    private static var belowSystem: UnsafeMutablePointer<sqlite3_vfs>? {
        UnsafeMutablePointer(bitPattern: below.withLock { $0.system })
    }

    private static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file, let system = belowSystem, let open = system.pointee.xOpen else {
            return SQLITE_CANTOPEN
        }
        let code = open(system, name, file, flags, outFlags)
        if code == SQLITE_OK, let functions = file.pointee.pMethods {
            file.pointee.pMethods = ours(for: functions)
        }
        return code
    }

    // MARK: Reading

    /// A file's functions, and behind them those they stand for: SQLite hands a file to a function,
    /// and nothing else.
    private struct Functions {
        var ours: sqlite3_io_methods
        let below: UnsafePointer<sqlite3_io_methods>
    }

    /// The same functions but for reading. There are a handful of kinds, each made once.
    private static func ours(
        for functions: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let address = UInt(bitPattern: functions)
        let made = below.withLock { below in
            if let made = below.functions[address] { return made }
            let both = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
            both.initialize(to: Functions(ours: functions.pointee, below: functions))
            both.pointee.ours.xRead = { DiskReads.read($0, $1, $2, $3) }
            below.functions[address] = UInt(bitPattern: both)
            return UInt(bitPattern: both)
        }
        return UnsafePointer(bitPattern: made) ?? functions
    }

    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?,
        _ count: Int32, _ offset: Int64
    ) -> Int32 {
        guard let file, let functions = file.pointee.pMethods else { return SQLITE_IOERR }
        let both = UnsafeRawPointer(functions).assumingMemoryBound(to: Functions.self)
        let code = both.pointee.below.pointee.xRead(file, bytes, count, offset)
        return code == refused ? readFailure : code
    }

    /// SQLITE_IOERR_CORRUPTFS and SQLITE_IOERR_READ: macros that do not reach Swift
    /// (https://www.sqlite.org/rescode.html).
    private static let refused = SQLITE_IOERR | 33 << 8
    private static let readFailure = SQLITE_IOERR | 1 << 8
}
