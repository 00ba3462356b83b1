import Foundation
import GRDBSQLite
import Simulator
import Synchronization

/// Counts SQLite's calls to the files below one directory, and fails them from the chosen one on.
package final class FaultPlan: Sendable {
    /// The outcome of a call.
    enum Decision {
        case pass
        case fail(Int32)
        /// Half the bytes are written, then the call fails.
        case tear(Int32)
    }

    package let directory: String
    package let mode: FaultMode
    /// The call that fails, counted from 1.
    package let number: Int

    private struct State {
        var calls = 0
        var syncs: [Int] = []
        var isHealed = false
        var changes: [UnsyncedChange] = []
        var openCount = 0
    }

    private let state = Mutex(State())

    package init(directory: String, mode: FaultMode, number: Int) {
        // SQLite opens files by their real path.
        self.directory = URL(filePath: directory).resolvingSymlinksInPath().path
        self.mode = mode
        self.number = number
    }

    /// Whether the chosen call was made.
    package var hasFired: Bool { state.withLock { $0.calls >= number } }

    package var callCount: Int { state.withLock { $0.calls } }

    /// The numbers of the calls that sync a file.
    package var syncs: [Int] { state.withLock { $0.syncs } }

    /// Whether the process was killed or the machine stopped: further calls of its connections have
    /// no effect.
    var isDead: Bool {
        mode.isDeath && state.withLock { !$0.isHealed && $0.calls >= number }
    }

    func decide(_ call: FileCall) -> Decision {
        let (count, isHealed) = state.withLock { state in
            state.calls += 1
            if call == .sync { state.syncs.append(state.calls) }
            return (state.calls, state.isHealed)
        }
        guard !isHealed, count >= number else { return .pass }
        switch mode {
        case .once:
            return count == number ? .fail(call.failure) : .pass
        case .fullOnce:
            return count == number ? .fail(call.needsRoom ? SQLITE_FULL : call.failure) : .pass
        case .writesFromThere:
            return call.isWriting ? .fail(call.failure) : .pass
        case .readsFromThere:
            return call == .read ? .fail(call.failure) : .pass
        case .fullFromThere:
            return call.needsRoom ? .fail(SQLITE_FULL) : .pass
        case .tornWrite where count == number && call == .write:
            return .tear(call.failure)
        case .allFromThere, .crash, .tornWrite, .powerCut, .raggedPowerCut:
            return .fail(call.failure)
        }
    }

    // MARK: Choosing calls

    /// Which of `count` calls should fail, one run for each: all of them, or `sample`, one per
    /// interval, so that every part of a scenario is covered. Other ones in each mode.
    package static func calls(
        of count: Int, in mode: FaultMode, sample: Int?, seed: UInt64
    ) -> [Int] {
        guard let sample, count > sample else { return Array(1...max(1, count)) }
        let place = FaultMode.allCases.firstIndex(of: mode) ?? 0
        var chance = SeededGenerator(seed: seed &+ UInt64(place))
        let stretch = Double(count) / Double(sample)
        return (0..<sample).map { index in
            let start = Int(Double(index) * stretch)
            let end = max(start + 1, Int(Double(index + 1) * stretch))
            return Int.random(in: start..<end, using: &chance) + 1
        }
    }

    // MARK: Unsynced data

    func noteOpened() { state.withLock { $0.openCount += 1 } }

    func noteClosed() { state.withLock { $0.openCount -= 1 } }

    func note(_ change: UnsyncedChange) { state.withLock { $0.changes.append(change) } }

    /// Called when the file was synced, or deleted together with its directory entry.
    func forgetChanges(of path: String) {
        state.withLock { state in state.changes.removeAll { $0.path == path } }
    }

    /// Lets another process start with the files of the one that died, once its last connection is
    /// closed: the machine kept running, so unsynced writes are still readable.
    package func revive() async {
        await closed()
        state.withLock { $0.isHealed = true }
    }

    /// Stops the machine now: `heal` then reverts unsynced writes since the beginning.
    package func stop() { state.withLock { $0.isHealed = false } }

    private func closed() async {
        while state.withLock({ $0.openCount }) > 0 { await Task.yield() }
    }

    /// Ends the faults. After a power failure, reverts unsynced writes once the last connection is
    /// closed.
    package func heal(seed: UInt64) async throws {
        if mode.losesUnsynced { await closed() }
        let changes = state.withLock { state in
            state.isHealed = true
            return state.changes
        }
        guard hasFired, mode.losesUnsynced else { return }
        var chance = SeededGenerator(seed: seed)
        for change in changes.reversed() {
            if mode == .raggedPowerCut, chance.next() & 1 == 0 { continue }
            try takeBack(change)
        }
        // Shared memory does not survive the machine.
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasSuffix("-shm") {
            try FileManager.default.removeItem(atPath: directory + "/" + name)
        }
    }

    private func takeBack(_ change: UnsyncedChange) throws {
        guard let handle = FileHandle(forUpdatingAtPath: change.path) else { return }
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(change.offset))
        try handle.write(contentsOf: Data(change.bytesBefore))
        let size = try handle.seekToEnd()
        if size > change.sizeBefore { try handle.truncate(atOffset: UInt64(change.sizeBefore)) }
    }
}
