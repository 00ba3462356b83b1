internal import AppStore
internal import GRDB
internal import Ledger
internal import LedgerStore
internal import Synchronization

/// Decoding all or much of the log into sorted runs.
extension LedgerLog {
    /// Decodes the events after `position` up to and including `through` on all cores into runs
    /// sorted by `FactRecord`'s key. Memory stays at one buffer per worker.
    ///
    /// Throws the errors of reading the log, and `diskFull` or `ioError` of the runs.
    func factRuns(
        after position: Int64, through: Int64, apps: AppNumbers, directory: String,
        workerCount: Int, report: @escaping @Sendable (_ done: Int64) -> Void
    ) async throws(StoreError) -> [RunFile] {
        let stretches = LogStretches(after: position, through: through)
        return try await RunFile.collect(workerCount) { () async throws(StoreError) in
            do throws(StoreError) {
                return try await self.decode(stretches, apps, directory, report)
            } catch {
                stretches.stop()
                throw error
            }
        }
    }

    /// One worker: claims ranges of the log until none is left.
    private func decode(
        _ stretches: LogStretches, _ apps: AppNumbers, _ directory: String,
        _ report: @Sendable (Int64) -> Void
    ) async throws(StoreError) -> [RunFile] {
        var files: [RunFile] = []
        var buffer = RunBuffer()
        while let stretch = stretches.claim() {
            var position = stretch.lowerBound
            while position < stretch.upperBound {
                let page = try await page(
                    after: position, through: stretch.upperBound, damaged: .marked)
                guard let last = page.last else { break }
                for logged in page {
                    for decoded in try FactDecoder.decode(logged) {
                        FactRecord.append(
                            decoded, app: apps.number(decoded.chain.bundleId), to: &buffer)
                    }
                }
                report(stretches.finish(last.event.position - position))
                position = last.event.position
                guard buffer.byteCount >= RunBuffer.fullByteCount else { continue }
                files.append(try await Self.run(buffer, directory))
                buffer = RunBuffer()
            }
        }
        if !buffer.isEmpty { files.append(try await Self.run(buffer, directory)) }
        return files
    }

    private static func run(
        _ buffer: RunBuffer, _ directory: String
    ) async throws(StoreError) -> RunFile {
        try await Blocking.run { () throws(StoreError) in
            try RunFile.write(sorted: buffer, directory: directory)
        }
    }
}

/// The log divided into ranges that workers claim.
private final class LogStretches: Sendable {
    private let state: Mutex<(next: Int64, done: Int64)>
    private let through: Int64

    /// Events per range.
    private static let eventCount: Int64 = 4_000

    init(after position: Int64, through: Int64) {
        state = Mutex((position, 0))
        self.through = through
    }

    /// Positions after the lower bound up to and including the upper one; nil at the end.
    func claim() -> Range<Int64>? {
        state.withLock { state in
            guard state.next < through else { return nil }
            let start = state.next
            state.next = min(through, start + LogStretches.eventCount)
            return start..<state.next
        }
    }

    /// Counts events as done; returns the total so far.
    func finish(_ count: Int64) -> Int64 {
        state.withLock { state in
            state.done += count
            return state.done
        }
    }

    /// Stops further claims after a worker failed.
    func stop() { state.withLock { $0.next = through } }
}

/// The numbers a facts file assigns to apps, in order of appearance.
final class AppNumbers: Sendable {
    private let numbers: Mutex<[BundleId: Int64]>

    init(_ known: [BundleId: Int64] = [:]) { numbers = Mutex(known) }

    func number(_ bundleId: BundleId) -> Int64 {
        numbers.withLock { numbers in
            if let known = numbers[bundleId] { return known }
            let number = (numbers.values.max() ?? 0) + 1
            numbers[bundleId] = number
            return number
        }
    }

    var all: [(bundleId: BundleId, number: Int64)] {
        numbers.withLock { numbers in
            numbers.map { (bundleId: $0.key, number: $0.value) }.sorted { $0.number < $1.number }
        }
    }
}
