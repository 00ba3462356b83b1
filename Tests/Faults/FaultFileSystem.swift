import Foundation
import GRDBSQLite
import Synchronization

/// A VFS for SQLite (https://www.sqlite.org/vfs.html) that forwards everything to the default one,
/// and lets a `FaultPlan` fail the calls to files below its directory.
///
/// It becomes SQLite's default once for the whole process, since the stores name no VFS when they
/// open their files. Files of other directories are opened by the default VFS alone, so that
/// concurrent tests are unaffected.
package enum FaultFileSystem {
    private static let plans = Mutex<[String: FaultPlan]>([:])

    /// SQLite's own VFS, below any that a store put on top. Registered permanently and never
    /// changed.
    nonisolated(unsafe) static let usual: UnsafeMutablePointer<sqlite3_vfs> = {
        guard let usual = sqlite3_vfs_find("unix") else {
            preconditionFailure("SQLite has no file system.")
        }
        return usual
    }()

    /// Space before the default VFS's part of an `sqlite3_file`: the methods, and the
    /// `FaultedFile`.
    static let prefixByteCount = 16

    /// Our VFS: the default one except for opening, deleting and checking files. The other
    /// functions ignore the VFS argument. Never freed: SQLite keeps the pointer.
    private static let registration: Int32 = {
        let usual = FaultFileSystem.usual
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: usual.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(strdup("faults"))
        copy.pointee.szOsFile = usual.pointee.szOsFile + Int32(prefixByteCount)
        copy.pointee.xOpen = { _, name, file, flags, outFlags in
            FaultedFile.open(name, file, flags, outFlags)
        }
        copy.pointee.xDelete = { _, name, sync in
            guard let name else { return SQLITE_IOERR }
            return delete(name, sync)
        }
        copy.pointee.xAccess = { _, name, flags, result in
            guard let name else { return SQLITE_IOERR }
            return access(name, flags, result)
        }
        return sqlite3_vfs_register(copy, 1)
    }()

    /// Fails calls as planned until `release`.
    package static func apply(_ plan: FaultPlan) {
        precondition(registration == SQLITE_OK, "SQLite refused the VFS.")
        plans.withLock { $0[plan.directory] = plan }
    }

    package static func release(_ plan: FaultPlan) {
        plans.withLock { $0[plan.directory] = nil }
    }

    /// The plan for a file; nil for most.
    static func plan(for path: String) -> FaultPlan? {
        plans.withLock { plans in
            plans.isEmpty ? nil : plans.first { path.hasPrefix($0.key + "/") }?.value
        }
    }

    private static func delete(_ name: UnsafePointer<CChar>, _ sync: Int32) -> Int32 {
        let path = String(cString: name)
        if let plan = plan(for: path) {
            if case .fail(let code) = plan.decide(.delete) { return code }
            plan.forgetChanges(of: path)
        }
        return usualFunctions.xDelete(usual, name, sync)
    }

    private static func access(
        _ name: UnsafePointer<CChar>, _ flags: Int32, _ result: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        if let plan = plan(for: String(cString: name)),
            case .fail(let code) = plan.decide(.access)
        {
            return code
        }
        return usualFunctions.xAccess(usual, name, flags, result)
    }

    /// The default VFS's functions, which are never nil.
    private static var usualFunctions:
        (
            xDelete:
                @convention(c) (
                    UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32
                ) -> Int32,
            xAccess:
                @convention(c) (
                    UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32,
                    UnsafeMutablePointer<Int32>?
                ) -> Int32
        )
    {
        guard let xDelete = usual.pointee.xDelete, let xAccess = usual.pointee.xAccess else {
            preconditionFailure("SQLite's file system is incomplete.")
        }
        return (xDelete, xAccess)
    }
}
