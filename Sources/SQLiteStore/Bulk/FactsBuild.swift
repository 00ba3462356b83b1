internal import AppStore
internal import Foundation
internal import GRDB
internal import Ledger
public import LedgerStore
internal import Synchronization

/// The bulk build of the facts (`Log.md` §3): decodes the log into sorted runs on all cores,
/// merges them, and loads them in key order.
public struct FactsBuild: Sendable {
    private let log: any LedgerLog
    private let directory: String

    /// Receives the number of events decoded so far, and the total, also while their facts are
    /// merged and loaded; throws to end the build.
    public typealias Report = @Sendable (_ done: Int64, _ all: Int64) throws(StoreError) -> Void

    /// Facts loaded between two reports.
    static let reportFactCount = 8_192

    /// - `directory`: where runs are stored while sorting; needs as much free space as the
    ///   facts will take.
    public init(log: any LedgerLog, directory: String) {
        self.log = log
        self.directory = directory
    }

    /// Decodes the log from the beginning up to `through` into a new file at `path`, which must not
    /// exist. Until it is complete the file has a temporary name, and no other process opens it.
    ///
    /// Throws the errors of reading the log, `logWentBack` where it ends before `through`,
    /// `diskFull` or `ioError`; no file is left behind then.
    public func run(
        path: String, through checkpoint: ProjectionCursor, report: @escaping Report = { _, _ in }
    ) async throws(StoreError) {
        let apps = AppNumbers()
        let (directory, count) = (directory, checkpoint.position)
        let files = try await log.factRuns(
            through: count, apps: apps, directory: directory,
            workerCount: ProcessInfo.processInfo.activeProcessorCount
        ) { (done) throws(StoreError) in try report(done, count) }
        try await Blocking.run { () throws(StoreError) in
            try FactsBuild.load(
                files, apps, directory: directory, path: path, checkpoint: checkpoint,
                report: report)
        }
    }

    /// Merges runs into a new file. Blocks.
    static func load(
        _ files: [RunFile], _ apps: AppNumbers, directory: String, path: String,
        checkpoint: ProjectionCursor, report: Report
    ) throws(StoreError) {
        let bulk = try BulkFile(path: path, schema: FactsStore.schema, meta: FactsStore.meta)
        do throws(StoreError) {
            let count = checkpoint.position
            let merged = try RunFile.joined(files, directory: directory) {
                () throws(StoreError) in try report(count, count)
            }
            try bulk.write { database in
                try load(merged, apps, database) { try report(count, count) }
            }
            try bulk.finish(checkpoint: checkpoint)
        } catch {
            bulk.abandon()
            throw error
        }
    }

    private static func load(
        _ files: [RunFile], _ apps: AppNumbers, _ database: Database, _ report: () throws -> Void
    ) throws {
        for app in apps.all {
            try database.run(
                "INSERT INTO apps (id, bundle_id) VALUES (?, ?)", app.number, app.bundleId)
        }
        let insert = try PreparedStatement(database, FactRecord.insert)
        var merge = try RunMerge(files)
        var count = 0
        while let record = merge.first {
            FactRecord.bind(key: record.key, value: record.value, to: insert)
            try insert.run()
            try merge.advance()
            count += 1
            if count.isMultiple(of: reportFactCount) { try report() }
        }
    }
}

/// Decoding all or much of the log into sorted runs.
extension LedgerLog {
    /// Decodes the events up to and including `through` on all cores into runs sorted by
    /// `FactRecord`'s key. Memory stays at one buffer per worker.
    ///
    /// Throws the errors of reading the log, and `diskFull` or `ioError` of the runs.
    func factRuns(
        through: Int64, apps: AppNumbers, directory: String, workerCount: Int,
        report: @escaping @Sendable (_ done: Int64) throws(StoreError) -> Void
    ) async throws(StoreError) -> [RunFile] {
        let stretches = LogStretches(through: through)
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
        _ report: @Sendable (Int64) throws(StoreError) -> Void
    ) async throws(StoreError) -> [RunFile] {
        var files: [RunFile] = []
        var buffer = RunBuffer()
        while let stretch = stretches.claim() {
            var position = stretch.lowerBound
            while position < stretch.upperBound {
                let page = try await page(
                    after: position, through: stretch.upperBound, damaged: .marked)
                guard let last = page.last else {
                    // Rows that are missing before the last one are found by an audit.
                    guard stretch.upperBound < stretches.through else { throw ended(stretch) }
                    break
                }
                for logged in page {
                    for decoded in FactDecoder.decode(logged) {
                        FactRecord.append(
                            decoded, app: apps.number(decoded.chain.bundleId), to: &buffer)
                    }
                }
                try report(stretches.finish(last.event.position - position))
                position = last.event.position
                guard buffer.byteCount >= RunBuffer.fullByteCount else { continue }
                files.append(try await Self.run(buffer, directory))
                buffer = RunBuffer()
            }
        }
        if !buffer.isEmpty { files.append(try await Self.run(buffer, directory)) }
        return files
    }

    /// The last row of the log was there when the build began.
    private func ended(_ stretch: Range<Int64>) -> StoreError {
        StoreError(
            .logWentBack, path: location,
            reason: "The log no longer holds position \(stretch.upperBound).",
            remedy: "Check the log by `subledger audit verify`; the next build begins anew.")
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
    private let state = Mutex<(next: Int64, done: Int64)>((0, 0))
    let through: Int64

    /// Events per range.
    private static let eventCount: Int64 = 4_000

    init(through: Int64) { self.through = through }

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
    private let numbers = Mutex<[BundleId: Int64]>([:])

    func number(_ bundleId: BundleId) -> Int64 {
        numbers.withLock { numbers in
            if let known = numbers[bundleId] { return known }
            let number = Int64(numbers.count) + 1
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

/// A row of `facts` as a record of a sorted run: the key in the order of the table's primary key,
/// the body as the value.
enum FactRecord {
    /// Size of app, signed_at and position, eight bytes each, and part, two bytes, which follow the
    /// chain.
    private static let suffixByteCount = 26

    static func append(_ decoded: ChainFact, app: Int64, to buffer: inout RunBuffer) {
        var key: [UInt8] = []
        let chain = decoded.chain.originalTransactionId.rawValue
        key.reserveCapacity(chain.utf8.count + 1 + suffixByteCount)
        RunKey.append(chain, to: &key)
        RunKey.append(app, to: &key)
        RunKey.append(signedAt(decoded.fact), to: &key)
        RunKey.append(decoded.fact.position, to: &key)
        RunKey.append(part: decoded.part, to: &key)
        buffer.append(key: key, value: FactCodec.encode(decoded.fact))
    }

    /// The value of the `signed_at` column: the smallest integer for a fact without a date.
    static func signedAt(_ fact: Fact) -> Int64 { fact.signedDate?.milliseconds ?? .min }

    /// OR REPLACE: adding a fact twice changes nothing.
    static let insert = """
        INSERT OR REPLACE INTO facts (chain, app, signed_at, position, part, body)
        VALUES (?, ?, ?, ?, ?, ?)
        """

    /// Binds the record to `insert`.
    static func bind(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, to insert: PreparedStatement
    ) {
        let chainCount = key.count - suffixByteCount
        insert.bind(1, RunKey.text(key, count: chainCount))
        insert.bind(2, RunKey.int64(key, at: chainCount))
        insert.bind(3, RunKey.int64(key, at: chainCount + 8))
        insert.bind(4, RunKey.int64(key, at: chainCount + 16))
        insert.bind(5, RunKey.uint16(key, at: chainCount + 24))
        insert.bind(6, value)
    }
}
