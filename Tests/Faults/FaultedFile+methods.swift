import GRDBSQLite

extension FaultedFile {
    /// The methods that SQLite calls; each finds its file by its pointer. Version 2: without memory
    /// mapping. Initialised before any file is open, and never freed.
    nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.iVersion = 2
        methods.pointee.xClose = { FaultedFile.close($0) }
        setContents(&methods.pointee)
        setLocks(&methods.pointee)
        setProperties(&methods.pointee)
        return methods
    }()

    private static func setContents(_ methods: inout sqlite3_io_methods) {
        methods.xRead = { file, bytes, count, offset in
            let file = FaultedFile.of(file)
            return file.attempt(.read) {
                file.functions.xRead(file.usual, bytes, count, offset)
            }
        }
        methods.xWrite = { file, bytes, count, offset in
            FaultedFile.of(file).write(bytes, count, offset)
        }
        methods.xTruncate = { file, size in FaultedFile.of(file).truncate(size) }
        methods.xSync = { file, _ in FaultedFile.of(file).sync() }
        methods.xFileSize = { file, size in
            let file = FaultedFile.of(file)
            return file.attempt(.fileSize) { file.functions.xFileSize(file.usual, size) }
        }
    }

    /// Taking a lock may fail; releasing one never does, and also happens in a killed process.
    private static func setLocks(_ methods: inout sqlite3_io_methods) {
        methods.xLock = { file, level in
            let file = FaultedFile.of(file)
            return file.attempt(.lock) { file.functions.xLock(file.usual, level) }
        }
        methods.xUnlock = { file, level in
            let file = FaultedFile.of(file)
            return file.functions.xUnlock(file.usual, level)
        }
        methods.xCheckReservedLock = { file, result in
            let file = FaultedFile.of(file)
            return file.functions.xCheckReservedLock(file.usual, result)
        }
        methods.xShmMap = { file, region, size, mayExtend, place in
            let file = FaultedFile.of(file)
            return file.attempt(.shmMap) {
                file.functions.xShmMap(file.usual, region, size, mayExtend, place)
            }
        }
        methods.xShmLock = { file, offset, count, flags in
            let file = FaultedFile.of(file)
            guard flags & SQLITE_SHM_UNLOCK == 0 else {
                return file.functions.xShmLock(file.usual, offset, count, flags)
            }
            return file.attempt(.shmLock) {
                file.functions.xShmLock(file.usual, offset, count, flags)
            }
        }
        methods.xShmBarrier = { file in
            let file = FaultedFile.of(file)
            file.functions.xShmBarrier(file.usual)
        }
        methods.xShmUnmap = { file, mustDelete in
            let file = FaultedFile.of(file)
            // A killed process leaves its -shm behind.
            return file.functions.xShmUnmap(file.usual, file.plan.isDead ? 0 : mustDelete)
        }
    }

    private static func setProperties(_ methods: inout sqlite3_io_methods) {
        methods.xFileControl = { file, operation, argument in
            let file = FaultedFile.of(file)
            return file.functions.xFileControl(file.usual, operation, argument)
        }
        methods.xSectorSize = { file in
            let file = FaultedFile.of(file)
            return file.functions.xSectorSize(file.usual)
        }
        methods.xDeviceCharacteristics = { file in
            let file = FaultedFile.of(file)
            return file.functions.xDeviceCharacteristics(file.usual)
        }
    }
}
