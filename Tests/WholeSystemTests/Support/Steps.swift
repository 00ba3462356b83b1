import Foundation
import Synchronization
import TestSupport

/// Counts the steps of a ledger's work, and stops the process at given steps: the files are copied
/// as of that instant, and whatever the process still writes goes to files that are never read. So
/// a crash needs no cooperation from the interrupted code.
final class Steps: Sendable {
    private struct State {
        var count = 0
        /// Steps at which a process ends, the next one last.
        var fatal: [Int]
        /// The files of the running process.
        var directory: String?
        /// The copy of its files at its end.
        var frozen: String?
        var failure: String?
        var copies = 0
        /// The names of the steps at which processes ended.
        var endings: [String] = []
    }

    private let state: Mutex<State>
    private let scratch: TemporaryDirectory

    init(fatal: [Int], in scratch: TemporaryDirectory) {
        state = Mutex(State(fatal: fatal.sorted(by: >)))
        self.scratch = scratch
    }

    /// The number of steps so far, of all processes.
    var count: Int { state.withLock { $0.count } }
    /// The steps at which processes ended, in order.
    var endings: [String] { state.withLock { $0.endings } }
    /// Whether the process has ended.
    var isDead: Bool { state.withLock { $0.frozen != nil } }

    /// Starts a process on these files.
    func begin(_ directory: String) { state.withLock { $0.directory = directory } }

    /// The files of the process that ended.
    func takeFrozen() throws -> String {
        try state.withLock { state in
            if let failure = state.failure { throw Failure(description: failure) }
            defer { (state.frozen, state.directory) = (nil, nil) }
            return state.frozen ?? ""
        }
    }

    /// Counts a step. A process that has ended makes none.
    func pass(_ name: String) {
        state.withLock { state in
            guard state.frozen == nil, let directory = state.directory else { return }
            state.count += 1
            guard let next = state.fatal.last, state.count >= next else { return }
            state.fatal.removeLast()
            state.copies += 1
            state.endings.append(name)
            let copy = "\(scratch.path)/data-\(state.copies)"
            do { try Steps.copy(directory, to: copy) } catch { state.failure = "\(error)" }
            state.frozen = copy
        }
    }

    /// Copies the database files before their write-ahead logs, so that frames checkpointed
    /// meanwhile are in one or the other.
    static func copy(_ directory: String, to copy: String) throws {
        let files = FileManager.default
        guard let names = files.enumerator(atPath: directory)?.allObjects as? [String] else {
            return
        }
        try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
        // The shared memory of a write-ahead log ends with the process.
        for name in names.sorted() where !name.hasSuffix("-shm") {
            var isDirectory: ObjCBool = false
            _ = files.fileExists(atPath: "\(directory)/\(name)", isDirectory: &isDirectory)
            if isDirectory.boolValue {
                try files.createDirectory(
                    atPath: "\(copy)/\(name)", withIntermediateDirectories: true)
            } else {
                try files.copyItem(atPath: "\(directory)/\(name)", toPath: "\(copy)/\(name)")
            }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
