import AppStore
import Ledger
import LedgerStore
import Signing

/// The result of preparing one submission.
package enum PreparedSubmission: Sendable {
    /// With the certificate chains of its signatures.
    case event(NewEvent, [VerifiedCertificateChain])
    case refused(Refusal)
}

/// Evidence that was not appended, and why.
package struct Refusal: Sendable {
    package enum Standing: Sendable {
        /// Verification failed.
        case rejected
        /// Verified, but not acceptable now: another app or environment.
        case quarantined
    }

    package let standing: Standing
    package let code: String
    package let part: String?
    package let message: String
    package let bundleId: BundleId?
    /// Whether quarantine keeps it as evidence of a configured app; also false under a revoked
    /// certificate chain.
    package let isConfiguredApp: Bool
    let environment: String?
    let submission: Submission
    let receivedAt: Timestamp
    /// Whether the signatures were genuine even though this version cannot use the evidence; it is
    /// then kept as genuine.
    package let isGenuine: Bool
    /// Whether the same bytes may be accepted later without any change here.
    package var isRetryable = false
    /// Whether Apple signed the receipt inside it for the app it names.
    var isConfirmed = false
    /// The environment that rejected evidence names: a copy can be retried only in its ledger.
    package var claimedEnvironment: Environment?
}

extension VerificationError {
    /// Whether a payload with a valid signature could not be decoded.
    fileprivate var isUndecodable: Bool {
        code == .undecodablePayload || cause == .undecodablePayload
    }
}

/// Verifies submissions and turns them into events: pure computation, shared by all cores.
package struct EventPreparation: Sendable {
    let verifier: EvidenceVerifier
    let packer: EvidencePacker
    let apps: [Configuration.App]
    let environment: Environment
    package let source: EventSource
    let secrets: SharedSecrets
    /// Whether the operator, or the way of delivery, names the environment: signed evidence that
    /// names none is accepted only then.
    let isEnvironmentNamed: Bool

    package init(
        verifier: EvidenceVerifier, packer: EvidencePacker, apps: [Configuration.App],
        environment: Environment, source: EventSource, secrets: SharedSecrets? = nil,
        isEnvironmentNamed: Bool = true
    ) {
        self.verifier = verifier
        self.packer = packer
        self.apps = apps
        self.environment = environment
        self.source = source
        self.secrets = secrets ?? SharedSecrets(apps)
        self.isEnvironmentNamed = isEnvironmentNamed
    }

    /// `now` is the arrival time, unless the submission claims one itself.
    package func prepare(_ submission: Submission, now: Timestamp) -> PreparedSubmission {
        do throws(VerificationError) {
            let accepted = try verifyEvidence(
                submission, receivedAt: submission.claimedReceivedAt ?? now)
            return try accept(accepted, submission, arrival(of: submission, accepted, now: now))
        } catch {
            return .refused(rejection(of: submission, error, arrival(of: submission, now: now)))
        }
    }

    /// How far ahead of the clock a claimed arrival may be, since clocks differ.
    static let claimLeadMilliseconds: Int64 = 5 * 60_000

    /// The arrival time. A claim far ahead of the clock is ignored: until that time, answers as of
    /// now would leave out an event that feeds have already emitted. Evidence signed later than now
    /// comes from a simulated history and has no limit.
    private func arrival(
        of submission: Submission, _ accepted: AcceptedEvidence? = nil, now: Timestamp
    ) -> Timestamp {
        guard let claimed = submission.claimedReceivedAt else { return now }
        let latest = now.advanced(byMilliseconds: EventPreparation.claimLeadMilliseconds)
        let signedAt = accepted?.attributes(source: source).signedAt ?? now
        return claimed <= latest || signedAt > now ? claimed : now
    }

    /// The outcome for verified evidence: an event, or a refusal if it is about another app or
    /// environment.
    package func accept(
        _ accepted: AcceptedEvidence, _ submission: Submission, _ receivedAt: Timestamp
    ) throws(VerificationError) -> PreparedSubmission {
        if let refusal = refusal(accepted, submission, receivedAt) { return .refused(refusal) }
        return try event(accepted, submission, receivedAt)
    }

    /// The refusal of evidence that failed verification.
    package func rejection(
        of submission: Submission, _ error: VerificationError, _ receivedAt: Timestamp
    ) -> Refusal {
        let claims = EventPreparation.claims(of: submission, refusedBy: error)
        let isGenuine = EventPreparation.isGenuine(error, submission)
        // The app whose version 1 notification waits for a secret; the name is not verified.
        let waiting =
            error.code == .sharedSecretMissing && isConfigured(claims.bundleId)
            ? claims.bundleId : nil
        let confirmed = vouchedApp(of: submission, refusedBy: error, receivedAt)
        let bundleId = (isGenuine ? claims.bundleId : waiting) ?? confirmed
        return Refusal(
            standing: .rejected, code: error.code.rawValue, part: error.part.rawValue,
            message: EventPreparation.message(error, submission)
                + (confirmed == nil ? "" : EventPreparation.vouchedAdvice),
            bundleId: bundleId, isConfiguredApp: isConfigured(bundleId), environment: nil,
            submission: error.code == .secretExposed ? submission.withoutBytes : submission,
            receivedAt: receivedAt, isGenuine: isGenuine, isRetryable: error.isRetryable,
            isConfirmed: confirmed != nil, claimedEnvironment: claims.environment)
    }

    /// Whether the app is configured.
    func isConfigured(_ bundleId: BundleId?) -> Bool {
        bundleId.map { id in apps.contains { $0.bundleId == id } } ?? false
    }

    // MARK: Verification

    /// Verifies the signatures of a submission.
    package func verifyEvidence(
        _ submission: Submission, receivedAt: Timestamp
    ) throws(VerificationError) -> AcceptedEvidence {
        switch submission.form {
        case .unreadable(let message, _):
            throw VerificationError(.undecodablePayload, reason: message)
        case .jws(let token):
            switch try verifier.verifyAny(token, receivedAt: receivedAt) {
            case .notification(let notification): return AcceptedEvidence(notification)
            case .transaction(let transaction): return AcceptedEvidence(transaction)
            case .appTransaction(let appTransaction): return AcceptedEvidence(appTransaction)
            }
        case .transaction(let token):
            return AcceptedEvidence(
                try verifier.verifyTransaction(token, receivedAt: receivedAt))
        case .notificationV1(let body):
            return try verifyEvidence(notificationV1: body)
        case .receipt(let bytes):
            let receipt = try verifier.receipts.verify(bytes, receivedAt: receivedAt)
            try receipt.requireBounded()
            try EventPreparation.requireNamed(receipt.receipt)
            return AcceptedEvidence(receipt)
        case .verifyReceipt(let body):
            return try verifyEvidence(verifyReceipt: body)
        case .pair(let transaction, let renewal, let status):
            return AcceptedEvidence(
                try verifier.verifyPair(
                    transaction: transaction, renewal: renewal, receivedAt: receivedAt), status)
        }
    }

    /// A receipt in which no purchase names its chain, as in Xcode's receipts, states nothing.
    private static func requireNamed(_ receipt: AppReceipt) throws(VerificationError) {
        guard !receipt.inAppPurchases.isEmpty, receipt.originalTransactionIds.isEmpty else {
            return
        }
        throw VerificationError(
            .undecodablePayload,
            reason: "No purchase in the receipt names an original transaction, as in receipts that"
                + " Xcode makes: ingest the transactions that StoreKit signs instead.")
    }

    /// Payloads are decoded only after their signature was verified, so an undecodable one is
    /// genuine: a later version may understand it. A notification whose parts are invalid or
    /// disagree is genuine too: its own signature was verified before theirs. A pair is not, since
    /// any client can combine one. What only a local certificate signed is not genuine here.
    private static func isGenuine(_ error: VerificationError, _ submission: Submission) -> Bool {
        switch submission.form {
        case .unreadable, .verifyReceipt: false
        case .notificationV1: error.isUndecodable
        case .jws(let token):
            (error.isUndecodable || error.code == .nestedPartInvalid) && !CompactJWS.isLocal(token)
        case .transaction(let token): error.isUndecodable && !CompactJWS.isLocal(token)
        case .pair(let transaction, let renewal, _):
            error.isUndecodable && !CompactJWS.isLocal(transaction)
                && !CompactJWS.isLocal(renewal)
        case .receipt(let bytes): error.isUndecodable && !ReceiptVerifier.isLocal(bytes)
        }
    }

    /// What refused evidence names. Signed evidence is read only if its signature was verified: any
    /// client can send 256 KiB of it.
    private static func claims(
        of submission: Submission, refusedBy error: VerificationError
    ) -> EvidenceClaims {
        if case .notificationV1 = submission.form { return EvidenceClaims(submission) }
        let isVerified = error.isUndecodable || error.code == .nestedPartInvalid
        return isVerified ? EvidenceClaims(submission) : EvidenceClaims()
    }

    static func message(_ error: VerificationError, _ submission: Submission) -> String {
        let item = submission.item.map { "Item \($0): " } ?? ""
        let cause = error.cause.map { " (\($0.rawValue))" } ?? ""
        return "\(item)\(error.part.rawValue)\(cause): \(error.reason)"
    }

    // MARK: Accepting

    private func refusal(
        _ accepted: AcceptedEvidence, _ submission: Submission, _ receivedAt: Timestamp
    ) -> Refusal? {
        let app = accepted.bundleId.flatMap { id in apps.first { $0.bundleId == id } }
        func refused(_ code: String, _ error: VerificationError) -> Refusal {
            Refusal(
                standing: .quarantined, code: code, part: error.part.rawValue,
                message: EventPreparation.message(error, submission), bundleId: accepted.bundleId,
                isConfiguredApp: app != nil, environment: accepted.environment,
                submission: submission, receivedAt: receivedAt, isGenuine: true)
        }
        do throws(VerificationError) {
            guard let app else { throw unconfigured(accepted.bundleId) }
            let identity = AppIdentity(
                bundleId: app.bundleId, appAppleId: app.appAppleId, environment: environment)
            try accepted.require(identity)
        } catch {
            return refused(error.code.rawValue, error)
        }
        guard !isEnvironmentNamed, accepted.namesNoEnvironment else { return nil }
        return refused(
            EventPreparation.environmentMissing,
            VerificationError(.wrongEnvironment, reason: EventPreparation.environmentAdvice))
    }

    /// The code for signed evidence that names no environment when the operator named none either.
    static let environmentMissing = "environmentMissing"

    private static let environmentAdvice =
        "It names no environment, which evidence signed before 2022 may lack, so it could belong to"
        + " Production or to Sandbox: specify it with --environment (or SUBLEDGER_ENVIRONMENT), to"
        + " `subledger ingest`, or to `subledger quarantine retry` for the quarantined copy."

    private func unconfigured(_ found: BundleId?) -> VerificationError {
        guard let found, !found.rawValue.isEmpty else {
            return VerificationError(
                .wrongApp,
                reason: "It names no app where this release looks for one, so the owner of its"
                    + " purchases is unknown. Configuring an app does not help: retry it with a"
                    + " newer release, or request it from Apple again.")
        }
        // The configured apps are not disclosed to senders of webhooks.
        let expected =
            source == .webhook || apps.isEmpty
            ? "" : " (configured: \(apps.map(\.bundleId).named))"
        return VerificationError(
            .wrongApp,
            reason: "It is of the app \(found.rawValue.named), which is not configured here"
                + "\(expected).")
    }

    private func event(
        _ accepted: AcceptedEvidence, _ submission: Submission, _ receivedAt: Timestamp
    ) throws(VerificationError) -> PreparedSubmission {
        guard accepted.chainByteCount <= LogLimits.idByteCount else {
            throw VerificationError(
                .undecodablePayload,
                reason: "It names an original transaction by more than"
                    + " \(LogLimits.idByteCount) bytes.")
        }
        let prepared = try packed(accepted, submission)
        return .event(
            NewEvent(
                key: accepted.key(payloadHash: prepared.payloadHash),
                attributes: accepted.attributes(source: source), receivedAt: receivedAt,
                receivedAtClaimed: submission.claimedReceivedAt == receivedAt, evidence: prepared),
            accepted.certificateChains)
    }

    /// The evidence as the log stores it.
    func packed(
        _ accepted: AcceptedEvidence, _ submission: Submission
    ) throws(VerificationError) -> PreparedEvidence {
        let evidence: Evidence =
            switch submission.form {
            case .jws(let token), .transaction(let token): .jws(token)
            case .pair(let transaction, let renewal, let status):
                .pair(transaction: transaction, renewal: renewal, status: status)
            case .notificationV1, .verifyReceipt, .receipt, .unreadable:
                .verbatim(accepted.verbatim)
            }
        do throws(StoreError) {
            return try packer.pack(evidence, signed: accepted.signed)
        } catch {
            throw VerificationError(.payloadTooLarge, reason: error.reason)
        }
    }
}
