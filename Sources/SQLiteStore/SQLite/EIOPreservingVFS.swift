internal import Foundation
internal import GRDBSQLite
internal import Synchronization

/// A VFS on top of SQLite's default one (https://www.sqlite.org/vfs.html) that preserves EIO on
/// reads.
///
/// SQLite reports EIO as `SQLITE_IOERR_CORRUPTFS`, and its statements turn that into
/// `SQLITE_CORRUPT`, as if the data were invalid. For a log the two differ: damage concerns one
/// row, is permanent, and is recorded as such in the facts (`Log.md` §3); a read that the disk
/// refuses proves nothing about any row, and must be retried.
///
/// It is the default VFS, because GRDB names none when it opens a file; a URI could, but SQLite may
/// be built without them. Apart from that one code it behaves as the VFS below it.
enum EIOPreservingVFS {
    /// The underlying VFS, and the method tables of its files with ours for each, as addresses.
    /// Whatever is registered is never changed or freed, so the addresses never dangle.
    private struct Below {
        var system: UInt = 0
        var functions: [UInt: UInt] = [:]
    }

    private static let below = Mutex(Below())

    /// Spare size for files of another VFS, beyond those of SQLite's own.
    private static let spareByteCount: Int32 = 64

    /// Our VFS. Initialised before SQLite uses it, and never freed: SQLite keeps the pointer.
    nonisolated(unsafe) private static let system: UnsafeMutablePointer<sqlite3_vfs>? = {
        guard let usual = sqlite3_vfs_find(nil) else { return nil }
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: usual.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(strdup("subledger"))
        copy.pointee.szOsFile = usual.pointee.szOsFile + spareByteCount
        copy.pointee.xOpen = { _, name, file, flags, outFlags in
            EIOPreservingVFS.open(name, file, flags, outFlags)
        }
        copy.pointee.xDelete = { _, name, sync in
            guard let below = EIOPreservingVFS.belowSystem else { return SQLITE_IOERR }
            return below.pointee.xDelete(below, name, sync)
        }
        copy.pointee.xAccess = { _, name, flags, result in
            guard let below = EIOPreservingVFS.belowSystem else { return SQLITE_IOERR }
            return below.pointee.xAccess(below, name, flags, result)
        }
        return copy
    }()

    /// Makes it the default VFS of all connections opened from now on. If another VFS became the
    /// default in the meantime, ours is put on top of it.
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

    /// A method table, followed by the one it wraps: a method receives only the file, and finds the
    /// wrapped table through it.
    private struct Functions {
        var ours: sqlite3_io_methods
        let below: UnsafePointer<sqlite3_io_methods>
    }

    /// The same methods except for reading. There are a handful of tables, each wrapped once.
    private static func ours(
        for functions: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let address = UInt(bitPattern: functions)
        let made = below.withLock { below in
            if let made = below.functions[address] { return made }
            let both = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
            both.initialize(to: Functions(ours: functions.pointee, below: functions))
            both.pointee.ours.xRead = { EIOPreservingVFS.read($0, $1, $2, $3) }
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

    /// SQLITE_IOERR_CORRUPTFS and SQLITE_IOERR_READ: macros not imported into Swift
    /// (https://www.sqlite.org/rescode.html).
    private static let refused = SQLITE_IOERR | 33 << 8
    private static let readFailure = SQLITE_IOERR | 1 << 8
}
