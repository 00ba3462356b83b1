internal import Foundation

/// The kernel's table of file locks, read without opening the file: closing a second descriptor
/// would drop the locks of this process (https://www.sqlite.org/howtocorrupt.html §2.2).
enum FileLocks {
    /// Bytes read of the kernel's table: some thousands of locks.
    private static let tableByteCount = 512 * 1_024

    /// Whether a process is known to hold a lock on the file. False proves nothing: the table omits
    /// processes of other PID namespaces (containers), and on Btrfs it names another device than
    /// stat(2).
    static func isAnyHeld(on path: String) -> Bool {
        guard let status = stat.at(path),
            let table = try? OpenFile.reading("/proc/locks").read(at: 0, count: tableByteCount)
        else { return false }
        let name = name(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        return String(decoding: table, as: UTF8.self).split(separator: "\n").contains { line in
            line.split(separator: " ").contains(Substring(name))
        }
    }

    /// In the format of proc(5): major and minor number in hexadecimal, the inode in decimal.
    static func name(device: UInt64, inode: UInt64) -> String {
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        return String(format: "%02llx:%02llx:%llu", major, minor, inode)
    }
}
