import AppStore
import Ledger
import LedgerStore
import Signing

extension EventPreparation {
    /// Verifies the evidence of a row of the log again. False if its key, attributes or hashes
    /// differ from those of the verified evidence, or if evidence of its kind proves no origin.
    ///
    /// Throws what `verifyEvidence` throws, `wrongApp` for an app other than the row's, and
    /// `wrongEnvironment`.
    package func confirms(
        _ event: RecordedEvent, _ evidence: [UInt8]
    ) throws(VerificationError) -> Bool {
        guard let submission = try Submission(evidence: evidence, of: event.attributes.kind) else {
            return false
        }
        let accepted: AcceptedEvidence
        if case .receipt(let bytes) = submission.form {
            // Earlier releases accepted receipts that `verifyEvidence` refuses.
            accepted = AcceptedEvidence(
                try verifier.receipts.verify(bytes, receivedAt: event.receivedAt))
        } else {
            accepted = try verifyEvidence(submission, receivedAt: event.receivedAt)
        }
        try accepted.require(
            AppIdentity(bundleId: event.attributes.bundleId, environment: environment))
        // Members that no verification reads make other bytes.
        let prepared = try packed(accepted, submission)
        return accepted.isRecorded(as: event) && prepared.evidenceHash == event.evidenceHash
            && prepared.payloadHash == event.payloadHash
    }
}

extension AcceptedEvidence {
    /// Whether a row of the log has the key and the attributes that follow from this evidence.
    package func isRecorded(as event: RecordedEvent) -> Bool {
        let recorded = event.attributes
        var expected = attributes(source: recorded.source)
        // Earlier releases stored no fingerprint of the root, and data of Xcode as signed.
        if recorded.rootFingerprint == nil { expected.rootFingerprint = nil }
        if expected.trust == .xcode, recorded.trust == .signed { expected.trust = .signed }
        // Of evidence that names no chain they stored an id that is none.
        let unnamed: String? = kind == .notification ? "" : kind == .receipt ? "0" : nil
        if chainByteCount == 0, recorded.chain?.rawValue == unnamed {
            expected.chain = recorded.chain
        }
        let key = key(payloadHash: event.payloadHash)
        let rowKey =
            event.isConflict
            ? EventKey.conflict(identity: key, payloadHash: event.payloadHash) : key
        return expected == recorded && event.key == rowKey && (event.identity ?? key) == key
    }
}

extension Submission {
    /// The evidence of a row of the log; nil for a kind whose evidence does not prove its own
    /// origin. Throws `malformedJWS` where a pair is none.
    package init?(evidence: [UInt8], of kind: EventKind) throws(VerificationError) {
        let form: Form
        switch kind {
        case .notification, .appTransaction: form = .jws(evidence)
        case .transaction: form = .transaction(evidence)
        case .receipt: form = .receipt(evidence)
        case .verifyReceipt: form = .verifyReceipt(evidence)
        case .renewalPair:
            let parts = try? InputLine.submissions(evidence, input: "evidence")
            guard let part = parts?.first?.form, case .pair = part else {
                throw VerificationError(
                    .malformedJWS, reason: "The stored evidence is not a signed pair.")
            }
            form = part
        case .notificationV1, .command, .sweep, .erasure: return nil
        }
        self.init(form: form, input: "evidence")
    }
}

extension EventKind {
    /// The trust of events of this kind where Apple signs none of their evidence; nil where a
    /// signature decides.
    package var unsignedTrust: Trust? {
        switch self {
        case .notification, .transaction, .renewalPair, .appTransaction, .receipt: nil
        case .verifyReceipt, .sweep: .transport
        case .notificationV1: .secret
        case .command, .erasure: .operator
        }
    }
}
