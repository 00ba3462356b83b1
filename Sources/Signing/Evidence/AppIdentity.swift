public import AppStore

/// The app and environment that evidence must have to be accepted. Separate from verification,
/// because genuine evidence about another app is handled differently from a forgery: it is stored,
/// and Apple is asked to send it again (`Contract.md`).
public struct AppIdentity: Hashable, Sendable {
    /// Compared byte by byte; evidence without one belongs to another app.
    public let bundleId: BundleId
    /// The app's id in the App Store; compared in Production only, if both sides have one
    /// (`Verification.md`: it is absent in Sandbox).
    public let appAppleId: Int64?
    /// Compared if the evidence names one.
    public let environment: Environment

    /// The app and environment of a ledger.
    public init(bundleId: BundleId, appAppleId: Int64? = nil, environment: Environment) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    /// Throws `wrongApp` or `wrongEnvironment`.
    public func require(_ notification: VerifiedNotification) throws(VerificationError) {
        let payload = notification.payload
        try require(
            bundleId: payload.bundleId, appAppleId: payload.appAppleId,
            environment: payload.environment)
        // An envelope that names none may hold parts that do.
        for environment in notification.environments { try require(environment: environment) }
    }

    /// Throws `wrongApp` or `wrongEnvironment`.
    public func require(_ transaction: VerifiedTransaction) throws(VerificationError) {
        let payload = transaction.payload
        try require(
            bundleId: payload.bundleId, appAppleId: nil, environment: payload.environment)
    }

    /// Throws `wrongApp` or `wrongEnvironment`. The renewal info belongs to its transaction.
    public func require(_ pair: VerifiedPair) throws(VerificationError) {
        try require(pair.transaction)
        if let environment = pair.renewal.payload?.environment {
            try require(environment: environment)
        }
    }

    /// Throws `wrongApp` or `wrongEnvironment`. The environment is `receiptType`.
    public func require(_ appTransaction: VerifiedAppTransaction) throws(VerificationError) {
        let payload = appTransaction.payload
        try require(
            bundleId: payload.bundleId, appAppleId: payload.appAppleId,
            environment: payload.receiptType)
    }

    /// Checks the app and environment named by unsigned evidence. Throws `wrongApp` or
    /// `wrongEnvironment`.
    public func require(
        _ bundleId: BundleId?, environment: String?
    ) throws(VerificationError) {
        try require(bundleId)
        guard environment == self.environment.rawValue else { throw wrong(environment) }
    }

    /// Throws `wrongApp` or `wrongEnvironment`. A receipt without a known type has no environment:
    /// every App Store receipt has one, and a Sandbox purchase must never count as Production.
    public func require(_ receipt: VerifiedReceipt) throws(VerificationError) {
        let payload = receipt.receipt
        try require(payload.bundleId)
        guard let environment = payload.environment else {
            throw VerificationError(
                .wrongEnvironment,
                reason: "The receipt names no known environment; expected"
                    + " \(self.environment.rawValue).")
        }
        try require(
            bundleId: payload.bundleId, appAppleId: payload.appAppleId,
            environment: Raw(environment))
    }

    private func require(
        bundleId: BundleId?, appAppleId: Int64?, environment: Raw<Environment>?
    ) throws(VerificationError) {
        try require(bundleId)
        // Payloads of 2021 and early 2022 have no environment, which is not a mismatch.
        if let environment { try require(environment: environment) }
        guard self.environment == .production, let expected = self.appAppleId,
            let appAppleId, appAppleId != expected
        else { return }
        throw VerificationError(
            .wrongApp,
            reason: "The evidence is for appAppleId \(appAppleId); expected \(expected).")
    }

    private func require(_ bundleId: BundleId?) throws(VerificationError) {
        guard bundleId != self.bundleId else { return }
        throw AppIdentity.unexpected(bundleId, [self.bundleId])
    }

    private func require(environment: Raw<Environment>) throws(VerificationError) {
        guard environment != Raw(self.environment) else { return }
        throw wrong(environment.rawValue)
    }

    /// The error for evidence of an unexpected app.
    package static func unexpected(
        _ found: BundleId?, _ expected: [BundleId]
    ) -> VerificationError {
        VerificationError(
            .wrongApp,
            reason: "The evidence is for \(found.map { "app \($0.rawValue.named)" } ?? "no app");"
                + " expected \(expected.named).")
    }

    private func wrong(_ found: String?) -> VerificationError {
        VerificationError(
            .wrongEnvironment,
            reason: "The evidence is for \(found?.named ?? "no environment"); expected"
                + " \(environment.rawValue).")
    }
}

extension [BundleId] {
    /// The apps for a message: the first `namedCount`, and the number of others.
    package var named: String {
        let names = prefix(Self.namedCount).map(\.rawValue.named).joined(separator: ", ")
        return count > Self.namedCount ? "\(names) or \(count - Self.namedCount) more" : names
    }

    /// Most apps listed in a message.
    package static var namedCount: Int { 5 }
}
