import Synchronization

/// The storage of the reference engine: its logs live as long as the test process, independent of
/// who has them open.
final class MemoryDisk: Sendable {
    private static let disks = Mutex<[String: MemoryDisk]>([:])

    let rows = Mutex(MemoryRows())

    static func at(_ path: String) -> MemoryDisk {
        disks.withLock { disks in
            let disk = disks[path] ?? MemoryDisk()
            disks[path] = disk
            return disk
        }
    }
}
