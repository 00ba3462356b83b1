public import AppStore

/// Verifies evidence: every signature in it, every certificate chain at its own date, and that the
/// parts belong together. Whether verified evidence concerns the configured app and environment is
/// checked separately by `AppIdentity`.
///
/// Shared freely between tasks.
public struct EvidenceVerifier: Sendable {
    /// Verifies a single JWS under the same roots.
    public private(set) var jws: JWSVerifier
    /// Verifies app receipts with the same permissions.
    public private(set) var receipts: ReceiptVerifier
    /// The environments, of Xcode and LocalTesting, whose data is accepted.
    public let allowedLocalEnvironments: Set<Environment>
    /// Whether dates outside the years 1 to 9999 are read as the nearest inside.
    package private(set) var clampsDates = false

    /// A verifier under `roots`.
    ///
    /// No trusted authority signs data of Xcode and LocalTesting; it is accepted only if its
    /// environment is in `allowedLocalEnvironments`, and only as that environment. Production and
    /// Sandbox in that set have no effect.
    ///
    /// `chainBudget` bounds the cost of unknown chains from untrusted clients.
    public init(
        roots: TrustedRoots = .apple, allowedLocalEnvironments: Set<Environment> = [],
        chainBudget: CertificateChainBudget? = nil
    ) {
        let local = allowedLocalEnvironments.intersection([.xcode, .localTesting])
        self.allowedLocalEnvironments = local
        jws = JWSVerifier(roots: roots, acceptsLocal: !local.isEmpty, budget: chainBudget)
        receipts = ReceiptVerifier(
            roots: roots, allowedLocalEnvironments: local, chainBudget: chainBudget)
    }

    /// The same verifier with another budget for unknown chains, or with none; they share the cache
    /// of verified chains. Receipts have a budget of their own: the certificates in a receipt are
    /// not signed, so that anyone can vary those of a genuine one.
    public func budgeted(by budget: CertificateChainBudget?) -> EvidenceVerifier {
        var copy = self
        copy.jws.budget = budget
        copy.receipts.budget = budget.map { _ in CertificateChainBudget() }
        return copy
    }

    /// The same verifier for evidence from a log, where earlier releases accepted dates outside the
    /// years 1 to 9999: they are read as the nearest inside, as facts are.
    package var clampingDates: EvidenceVerifier {
        var copy = self
        copy.clampsDates = true
        return copy
    }

    /// Verifies a separate transaction.
    ///
    /// Throws any code of `JWSVerifier.verify`, `undecodablePayload`,
    /// `certificateNotValidAtSigning`, `wrongEnvironment` for Xcode's data where it is not allowed,
    /// and `nestedPartInvalid` if it was signed as another kind.
    public func verifyTransaction(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedTransaction {
        let verified = try jws.verify(bytes)
        try PayloadKind.require(.transaction, verified, part: .transaction)
        return try transaction(verified, receivedAt: receivedAt)
    }

    /// Verifies a renewal info as a part. The caller knows what it belongs to; without its own date
    /// it is checked at `fallbackDate`, the effective date of the evidence it came with.
    ///
    /// See `verifyTransaction` for errors.
    public func verifyRenewal(
        _ bytes: [UInt8], fallbackDate: Timestamp
    ) throws(VerificationError) -> VerifiedRenewal {
        let verified = try jws.verify(bytes, part: .renewal)
        let payload = try decodeUnlessNull(RenewalPayload.self, verified, part: .renewal)
        let date = payload?.signedDate ?? fallbackDate
        try verified.requireValid(at: date)
        try requireAllowed(payload?.environment, of: verified, part: .renewal)
        return VerifiedRenewal(payload: payload, jws: verified, effectiveDate: date)
    }

    /// Verifies any kind that Apple signs separately, recognised from the verified payload.
    ///
    /// A renewal info alone is rejected as `undecodablePayload`: it names no app. See
    /// `verifyNotification` for the other errors.
    public func verifyAny(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedEvidence {
        let verified = try jws.verify(bytes)
        switch verified.payload.withUnsafeBufferPointer({ PayloadKind($0) }) {
        case .notification:
            return .notification(try notification(verified, receivedAt: receivedAt))
        case .transaction:
            return .transaction(try transaction(verified, receivedAt: receivedAt))
        case .appTransaction:
            return .appTransaction(try appTransaction(verified, receivedAt: receivedAt))
        case .renewal:
            throw VerificationError(
                .undecodablePayload,
                reason: "A renewal info names no app; submit it with its transaction.")
        case nil:
            throw VerificationError(
                .undecodablePayload,
                reason: "The payload is not a notification, transaction or app transaction.")
        }
    }

    private func transaction(
        _ verified: VerifiedJWS, receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedTransaction {
        let payload = try decode(TransactionPayload.self, verified, part: .outer)
        try requireNamed(payload, part: .outer)
        let date = payload.signedDate ?? receivedAt
        try verified.requireValid(at: date)
        try requireAllowed(payload.environment, of: verified, part: .outer)
        return VerifiedTransaction(payload: payload, jws: verified, effectiveDate: date)
    }

    /// A transaction must name its chain: an empty originalTransactionId names no subscription, and
    /// must not be used as one.
    func requireNamed(
        _ payload: TransactionPayload, part: EvidencePart
    ) throws(VerificationError) {
        guard payload.transactionId.map({ !$0.rawValue.isEmpty }) ?? false else {
            throw VerificationError(
                .undecodablePayload, part: part, reason: "The payload has no transactionId.")
        }
        guard payload.originalTransactionId.map({ !$0.rawValue.isEmpty }) ?? true else {
            throw VerificationError(
                .undecodablePayload, part: part,
                reason: "The payload's originalTransactionId is empty.")
        }
    }

    private func appTransaction(
        _ verified: VerifiedJWS, receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedAppTransaction {
        let payload = try decode(AppTransactionPayload.self, verified, part: .outer)
        guard payload.receiptType != nil || payload.receiptCreationDate != nil else {
            throw VerificationError(
                .undecodablePayload,
                reason: "The payload has neither receiptType nor receiptCreationDate.")
        }
        let date = payload.receiptCreationDate ?? receivedAt
        try verified.requireValid(at: date)
        try requireAllowed(payload.receiptType, of: verified, part: .outer)
        return VerifiedAppTransaction(payload: payload, jws: verified, effectiveDate: date)
    }

    /// Separates local and genuine data: a payload signed by a local certificate must name an
    /// environment allowed for such data, and such an environment must be allowed even under a
    /// genuine chain.
    func requireAllowed(
        _ environment: Raw<Environment>?, of verified: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) {
        let value = environment?.value
        let isAllowed = value.map { allowedLocalEnvironments.contains($0) } ?? false
        if verified.isLocal {
            guard isAllowed else {
                throw VerificationError(
                    .invalidChainLength, part: part,
                    reason: "A single certificate is accepted only for allowed local environments.")
            }
            return
        }
        guard let value, value == .xcode || value == .localTesting else { return }
        guard isAllowed else {
            throw VerificationError(
                .wrongEnvironment, part: part,
                reason: "The evidence is for \(value.rawValue); data of Xcode and of local tests is"
                    + " accepted only if that environment is requested by name.")
        }
    }
}
