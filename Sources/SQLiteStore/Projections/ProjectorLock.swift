internal import Foundation
public import LedgerStore

/// The right to project in a data directory: an advisory lock on `projector.lock`, given back when
/// the process ends, however it ends. The file says how far its holder is, for those who wait.
public final class ProjectorLock: Sendable {
    private let lock: FileLock

    private static let fileName = "projector.lock"

    static func path(directory: String) -> String { "\(directory)/\(fileName)" }

    /// A program being started by some thread of ours holds all our locks for a moment.
    public static let patienceMilliseconds = 15

    /// Nil while another process holds it, and still does after `patienceMilliseconds`. Blocks.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be asked for.
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

    /// Says how far the holder is. Advice only: losing it loses nothing.
    public func note(_ progress: ProjectionProgress) {
        let line = progress.line
        _ = line.withUnsafeBytes { pwrite(lock.descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// How far the holder of the lock said it is; nil when nobody said.
    public static func progress(directory: String) -> ProjectionProgress? {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(fileName)") else {
            return nil
        }
        return ProjectionProgress(line: String(decoding: data.prefix(256), as: UTF8.self))
    }
}

/// How far derived data is while it is brought up to the log.
public struct ProjectionProgress: Hashable, Sendable {
    /// What is being done.
    public enum Phase: String, Sendable, CaseIterable {
        /// Decoding evidence into facts.
        case decode
        /// Folding facts into rows, all of them.
        case fold
        /// Applying event by event.
        case apply
        /// Computing the log's hashes again.
        case verify
        /// Verifying signatures again.
        case signatures
    }

    public let phase: Phase
    /// Events done, of how many.
    public let position: Int64
    public let head: Int64

    public init(_ phase: Phase, position: Int64, head: Int64) {
        self.phase = phase
        self.position = position
        self.head = head
    }

    /// For people who wait: `decode: 1000 of 20000`.
    public var text: String { "\(phase.rawValue): \(position) of \(head)" }

    /// Always of one length, so that a shorter one overwrites a longer one whole.
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
