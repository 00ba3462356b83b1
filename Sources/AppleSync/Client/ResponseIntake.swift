public import AppStore
public import Intake
import Ledger
public import LedgerStore
public import Projection
public import Signing

/// Takes App Store Server API responses into a ledger: the signed parts are verified and appended
/// like other evidence, with the source `history`.
public struct ResponseIntake: Sendable {
    private let ingest: Ingest

    /// - Parameters:
    ///   - ledger: of the environment that answered.
    ///   - apps: whose evidence is accepted.
    ///   - verifier: verifies signatures.
    ///   - revocation: nil asks no responder.
    ///   - clock: now, at each call.
    public init(
        ledger: EnvironmentLedger, apps: [Configuration.App], verifier: EvidenceVerifier,
        revocation: RevocationChecks? = nil, clock: @escaping @Sendable () -> Timestamp
    ) {
        ingest = Ingest(
            ledger: ledger, apps: apps, verifier: verifier, source: .history,
            revocation: revocation, clock: clock)
    }

    /// Takes in response bodies in order and returns the result.
    ///
    /// - Parameter name: the request, for reports: `transactionHistory:2` is its second page.
    public func take(
        _ bodies: [[UInt8]], named name: String
    ) async throws(StoreError) -> IngestSummary {
        try await ingest.run(lines: bodies, input: name)
    }
}
