import Foundation
import GRDBSQLite

/// An open file whose calls a plan may fail. SQLite's part of it is `methods, this object, the
/// default VFS's own file`.
final class FaultedFile {
    typealias Handle = UnsafeMutablePointer<sqlite3_file>

    let path: String
    let plan: FaultPlan
    /// The default VFS's file.
    let usual: Handle

    private init(path: String, plan: FaultPlan, usual: Handle) {
        self.path = path
        self.plan = plan
        self.usual = usual
    }

    // MARK: Opening and closing

    static func open(
        _ name: UnsafePointer<CChar>?, _ file: Handle?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let system = FaultFileSystem.usual
        guard let file, let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
        guard let name, let plan = FaultFileSystem.plan(for: String(cString: name)) else {
            return open(system, name, file, flags, outFlags)
        }
        file.pointee.pMethods = nil
        if case .fail(let code) = plan.decide(.open) { return code }
        let start = UnsafeMutableRawPointer(file)
        let usual = (start + FaultFileSystem.prefixByteCount)
            .assumingMemoryBound(to: sqlite3_file.self)
        let code = open(system, name, usual, flags, outFlags)
        guard code == SQLITE_OK else { return code }
        let object = FaultedFile(path: String(cString: name), plan: plan, usual: usual)
        (start + 8).storeBytes(
            of: Unmanaged.passRetained(object).toOpaque(), as: UnsafeMutableRawPointer.self)
        file.pointee.pMethods = UnsafePointer(FaultedFile.methods)
        plan.noteOpened()
        return SQLITE_OK
    }

    /// The object of a file pointer from SQLite.
    static func of(_ file: Handle?) -> FaultedFile { unmanaged(file).takeUnretainedValue() }

    private static func unmanaged(_ file: Handle?) -> Unmanaged<FaultedFile> {
        guard let file else { preconditionFailure("SQLite passed no file.") }
        let object = (UnsafeMutableRawPointer(file) + 8).load(as: UnsafeMutableRawPointer.self)
        return Unmanaged.fromOpaque(object)
    }

    static func close(_ file: Handle?) -> Int32 {
        let object = unmanaged(file).takeRetainedValue()
        file?.pointee.pMethods = nil
        defer { object.plan.noteClosed() }
        return object.functions.xClose(object.usual)
    }

    var functions: sqlite3_io_methods {
        guard let methods = usual.pointee.pMethods else {
            preconditionFailure("The file is not open.")
        }
        return methods.pointee
    }

    // MARK: Calls that may fail

    /// Runs `body` unless the plan decides otherwise.
    func attempt(_ call: FileCall, _ body: () -> Int32) -> Int32 {
        switch plan.decide(call) {
        case .pass: body()
        case .fail(let code), .tear(let code): code
        }
    }

    func write(_ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
        switch plan.decide(.write) {
        case .fail(let code): return code
        case .tear(let code):
            _ = functions.xWrite(usual, bytes, count / 2, offset)
            return code
        case .pass:
            note(offset: offset, count: Int(count))
            return functions.xWrite(usual, bytes, count, offset)
        }
    }

    func truncate(_ size: Int64) -> Int32 {
        attempt(.truncate) {
            note(offset: size, count: Int(max(0, currentSize - size)))
            return functions.xTruncate(usual, size)
        }
    }

    /// Not forwarded: only the plan tracks durability, and the disk is slow.
    func sync() -> Int32 {
        attempt(.sync) {
            plan.forgetChanges(of: path)
            return SQLITE_OK
        }
    }

    private var currentSize: Int64 {
        var size: Int64 = 0
        _ = functions.xFileSize(usual, &size)
        return size
    }

    private func note(offset: Int64, count: Int) {
        guard plan.mode.losesUnsynced else { return }
        let size = currentSize
        var before = [UInt8](repeating: 0, count: max(0, min(count, Int(size - offset))))
        if !before.isEmpty {
            _ = functions.xRead(usual, &before, Int32(before.count), offset)
        }
        plan.note(
            UnsyncedChange(path: path, offset: offset, bytesBefore: before, sizeBefore: size))
    }
}
