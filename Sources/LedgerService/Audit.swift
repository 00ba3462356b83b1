import AppStore
import Ledger
public import LedgerStore
public import Signing

/// Proves that the ledger is what it was: every leaf hash and the tree, the evidence behind them,
/// the projections' checkpoint, and on request every signature at its own date.
public struct Audit: Sendable {
    let ledger: EnvironmentLedger

    /// What an audit found.
    public struct Report: Sendable {
        public var log: LogAuditReport
        /// Whether the projections stand on this log.
        public var projectionsMatch: Bool
        /// Events whose signatures were verified; nil when not asked for.
        public var signaturesVerified: Int64?
        public var signatureFindings: [SignatureFinding] = []
        public var signatureFindingsOmitted = 0

        public var isSound: Bool {
            log.isSound && projectionsMatch && signatureFindings.isEmpty
        }
    }

    /// An event whose evidence no longer verifies.
    public struct SignatureFinding: Sendable, Equatable {
        public let position: Int64
        public let code: String
        public let message: String
    }

    static let maximumSignatureFindings = 1_000

    public init(ledger: EnvironmentLedger) { self.ledger = ledger }

    /// - Parameters:
    ///   - hasDiverged: whether derived data was found to be of another log when it was opened.
    ///   - verifier: given, every JWS is verified again at its signedDate, on all cores.
    public func verify(
        projections: ProjectionsStore, hasDiverged: Bool = false, verifier: EvidenceVerifier?,
        report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> Report {
        let head = try await ledger.log.head().position
        let log = try await ledger.log.verify { done, all in
            report(Projector.Progress(.verify, position: done, head: all))
        }
        let checkpoint = try await projections.checkpoint()
        let matches = try await Projector.isOfThisLog(ledger, checkpoint)
        var result = Report(log: log, projectionsMatch: matches && !hasDiverged)
        guard let verifier else { return result }
        try await verifySignatures(verifier, head, &result, report)
        return result
    }

    private func verifySignatures(
        _ verifier: EvidenceVerifier, _ head: Int64, _ result: inout Report,
        _ report: Projector.Report
    ) async throws(StoreError) {
        var verified: Int64 = 0
        var position: Int64 = 0
        while true {
            let page = try await ledger.log.page(after: position, through: head)
            guard let last = page.last else { break }
            position = last.event.position
            let found = await Parallel.map(page) { Audit.check($0, verifier) }
            for finding in found {
                guard let finding else {
                    verified += 1
                    continue
                }
                if result.signatureFindings.count < Audit.maximumSignatureFindings {
                    result.signatureFindings.append(finding)
                } else {
                    result.signatureFindingsOmitted += 1
                }
            }
            report(Projector.Progress(.signatures, position: position, head: head))
        }
        result.signaturesVerified = verified
    }

    /// Nil when every signature of the event holds at its date, or it carries none.
    private static func check(
        _ logged: LoggedEvent, _ verifier: EvidenceVerifier
    ) -> SignatureFinding? {
        let event = logged.event
        guard event.attributes.trust == .signed, let evidence = logged.evidence else { return nil }
        do {
            let bytes = try evidence.originalBytes()
            if event.attributes.kind == .renewalPair {
                for submission in try InputLine.submissions(bytes, input: "evidence") {
                    guard case .pair(let transaction, let renewal, _) = submission.form else {
                        continue
                    }
                    _ = try verifier.verifyPair(
                        transaction: transaction, renewal: renewal, receivedAt: event.receivedAt)
                }
            } else {
                _ = try verifier.verifyAny(bytes, receivedAt: event.receivedAt)
            }
            return nil
        } catch let error as VerificationError {
            return SignatureFinding(
                position: event.position, code: error.code.rawValue, message: error.reason)
        } catch let error as StoreError {
            return SignatureFinding(
                position: event.position, code: error.code.rawValue, message: error.reason)
        } catch {
            return SignatureFinding(
                position: event.position, code: VerificationCode.malformedJWS.rawValue,
                message: "The stored evidence is no signed pair.")
        }
    }
}
