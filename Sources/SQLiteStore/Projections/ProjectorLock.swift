internal import Foundation
public import LedgerStore

/// The exclusive right to project in a data directory: an advisory lock on `projector.lock`,
/// released when the process ends, however it ends. The file holds its holder's progress, for
/// waiting processes.
public final class ProjectorLock: Sendable {
    private let lock: FileLock

    private static let fileName = "projector.lock"

    static func path(directory: String) -> String { "\(directory)/\(fileName)" }

    public static let patienceMilliseconds = FileLock.patienceMilliseconds

    /// Nil when another process holds it for longer than `patienceMilliseconds`. Blocks.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be requested.
    public static func take(
        directory: String, patienceMilliseconds: Int = ProjectorLock.patienceMilliseconds
    ) throws(StoreError) -> ProjectorLock? {
        let lock = try FileLock.take(
            path(directory: directory), patienceMilliseconds: patienceMilliseconds)
        guard let lock else { return nil }
        ftruncate(lock.descriptor, 0)
        return ProjectorLock(lock)
    }

    private init(_ lock: FileLock) { self.lock = lock }

    deinit { ftruncate(lock.descriptor, 0) }

    // MARK: Progress

    /// Writes the holder's progress. Advisory only.
    public func note(_ progress: ProjectionProgress) {
        let line = progress.line
        _ = line.withUnsafeBytes { pwrite(lock.descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// The progress written by the lock's holder; nil without any.
    public static func progress(directory: String) -> ProjectionProgress? {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(fileName)") else {
            return nil
        }
        return ProjectionProgress(line: String(decoding: data.prefix(256), as: UTF8.self))
    }
}

/// The progress of updating derived data to the log.
public struct ProjectionProgress: Hashable, Sendable {
    /// The current activity.
    public enum Phase: String, Sendable, CaseIterable {
        /// Decoding evidence: all of it into facts, or that of sweeps before chains are folded.
        case decode
        /// Folding facts into rows, for all chains.
        case fold
        /// Applying events one by one.
        case apply
        /// Recomputing the log's hashes.
        case verify
        /// Verifying signatures again.
        case signatures
    }

    public let phase: Phase
    /// Events done, and the total.
    public let position: Int64
    public let head: Int64

    public init(_ phase: Phase, position: Int64, head: Int64) {
        self.phase = phase
        self.position = position
        self.head = head
    }

    /// For waiting users: `decode: 1000 of 20000`.
    public var text: String { "\(phase.rawValue): \(position) of \(head)" }

    /// Of constant length, so that a shorter text fully overwrites a longer one.
    fileprivate var line: [UInt8] {
        var bytes = Array("\(phase.rawValue) \(position) \(head)".utf8)
        bytes += [UInt8](repeating: UInt8(ascii: " "), count: max(0, 63 - bytes.count))
        return bytes + [UInt8(ascii: "\n")]
    }

    fileprivate init?(line: String) {
        let parts = line.split(whereSeparator: \.isWhitespace)
        guard parts.count == 3, let phase = Phase(rawValue: String(parts[0])),
            let position = Int64(parts[1]), let head = Int64(parts[2])
        else { return nil }
        self.init(phase, position: position, head: head)
    }
}
