public import AppStore
import Foundation
public import Intake
public import LedgerStore
public import Projection
public import Signing

/// A ledger in a temporary directory, for stories and benchmarks; removed when closed.
public struct ScratchLedger: Sendable {
    public let directory: String
    public let configuration: Configuration
    public let ledger: EnvironmentLedger
    private let ingest: Ingest

    /// Creates an empty ledger that trusts `roots` and accepts evidence of `apps`.
    public static func open(
        environment: Environment, apps: [Configuration.App], roots: TrustedRoots,
        clock: @escaping @Sendable () -> Timestamp
    ) async throws(StoreError) -> ScratchLedger {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "subledger-\(UUID().uuidString)").path
        let configuration = Configuration(
            dataDirectory: directory, apps: apps, catalogue: StoryCheck.catalogue)
        let ledger = try await EnvironmentLedger.open(configuration, environment: environment)
        let verifier = EvidenceVerifier(roots: roots, allowedLocalEnvironments: [environment])
        return ScratchLedger(
            directory: directory, configuration: configuration, ledger: ledger,
            ingest: Ingest(ledger: ledger, apps: apps, verifier: verifier, clock: clock))
    }

    /// Ingests lines as `ingest` does, and commands of stories, which `ingest` rejects because they
    /// are unsigned.
    public func take(
        _ lines: [[UInt8]], name: String
    ) async throws(StoreError) -> IngestSummary {
        guard lines.contains(where: StoryCommand.isOne) else {
            return try await ingest.run(lines: lines, input: name)
        }
        var summary = IngestSummary()
        for (index, line) in lines.enumerated() {
            if StoryCommand.isOne(line) {
                let input = "\(name):\(index + 1)"
                try await StoryCommand.take(line, input: input, ledger, into: &summary)
            } else {
                summary.add(try await ingest.run(lines: [line], input: name))
            }
        }
        return summary
    }

    /// Catches up and opens a session.
    public func session() async throws(StoreError) -> LedgerSession {
        try await LedgerSession.open(ledger)
    }

    /// Closes the files and removes the directory.
    public func remove() async {
        await ledger.close()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
