package import Ledger
package import LedgerStore
internal import Synchronization

/// Facts from another source than a log, to be loaded into a facts file: for measurements with more
/// facts than could be signed.
package struct FactRuns: Sendable {
    private let files: [RunFile]
    private let apps: AppNumbers
    private let directory: String

    /// Sorts what `next` returns until it is nil. All workers call `next` concurrently.
    ///
    /// Throws `diskFull` or `ioError` of the temporary files in `directory`.
    package static func collect(
        directory: String, workerCount: Int, next: @escaping @Sendable () -> [ChainFact]?
    ) async throws(StoreError) -> FactRuns {
        let apps = AppNumbers()
        let files = try await RunFile.collect(workerCount) { () async throws(StoreError) in
            try await Blocking.run { () throws(StoreError) in try sort(next, apps, directory) }
        }
        return FactRuns(files: files, apps: apps, directory: directory)
    }

    private static func sort(
        _ next: () -> [ChainFact]?, _ apps: AppNumbers, _ directory: String
    ) throws(StoreError) -> [RunFile] {
        var (buffer, files) = (RunBuffer(), [RunFile]())
        while let facts = next() {
            for decoded in facts {
                FactRecord.append(decoded, app: apps.number(decoded.chain.bundleId), to: &buffer)
            }
            guard buffer.byteCount >= RunBuffer.fullByteCount else { continue }
            files.append(try RunFile.write(sorted: buffer, directory: directory))
            buffer = RunBuffer()
        }
        if !buffer.isEmpty { files.append(try RunFile.write(sorted: buffer, directory: directory)) }
        return files
    }

    /// Loads them into a new facts file that claims to hold the log up to `checkpoint`.
    package func load(path: String, checkpoint: ProjectionCursor) async throws(StoreError) {
        try await Blocking.run { [self] () throws(StoreError) in
            try FactsBuild.load(
                files, apps, directory: directory, path: path, checkpoint: checkpoint)
        }
    }
}
