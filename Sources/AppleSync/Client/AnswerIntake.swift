public import AppStore
public import Intake
import Ledger
public import LedgerStore
public import Projection
public import Signing

/// Takes answers of the App Store Server API into a ledger: what is signed in them is verified and
/// appended like anything else, with the source `history`.
public struct AnswerIntake: Sendable {
    private let ingest: Ingest

    /// - Parameters:
    ///   - ledger: of the environment that answered.
    ///   - apps: whose evidence is accepted.
    ///   - verifier: says what is believed.
    ///   - clock: now, at each call.
    public init(
        ledger: EnvironmentLedger, apps: [Configuration.App], verifier: EvidenceVerifier,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        ingest = Ingest(
            ledger: ledger, apps: apps, verifier: verifier, source: .history, clock: clock)
    }

    /// Takes in the bodies of answers, in their order; what became of them.
    ///
    /// - Parameter name: of the question, for reports: `transactionHistory:2` is its second page.
    public func take(
        _ bodies: [[UInt8]], named name: String
    ) async throws(StoreError) -> IngestSummary {
        try await ingest.run(lines: bodies, input: name)
    }
}
