public import AppStore

/// Which app and environment evidence must be about to be accepted. Apart from verification,
/// because genuine evidence about another app is answered differently from a forgery: it is kept,
/// and Apple is asked to send it again (`contract.md`).
public struct AppIdentity: Hashable, Sendable {
    /// Compared byte by byte; evidence without one is another app's.
    public let bundleId: BundleId
    /// The app's id in the App Store; compared in Production only, where both sides have one
    /// (`appstore.md` §1: it is absent in Sandbox).
    public let appAppleId: Int64?
    /// Compared where the evidence names one.
    public let environment: Environment

    /// The app and environment a ledger is kept for.
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
    }

    /// Throws `wrongApp` or `wrongEnvironment`.
    public func require(_ transaction: VerifiedTransaction) throws(VerificationError) {
        let payload = transaction.payload
        try require(
            bundleId: payload.bundleId, appAppleId: nil, environment: payload.environment)
    }

    /// Throws `wrongApp` or `wrongEnvironment`. The renewal info is bound to its transaction.
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

    /// Evidence without a signature, of the app and the environment it names. Throws `wrongApp` or
    /// `wrongEnvironment`.
    public func require(
        _ bundleId: BundleId?, environment: String?
    ) throws(VerificationError) {
        try require(bundleId)
        guard environment == self.environment.rawValue else { throw wrong(environment) }
    }

    /// Throws `wrongApp` or `wrongEnvironment`. A receipt without a type, or of one that is not known,
    /// is of no environment: every receipt of the App Store has one, and a purchase of Sandbox must
    /// never count as one of Production.
    public func require(_ receipt: VerifiedReceipt) throws(VerificationError) {
        let payload = receipt.receipt
        try require(payload.bundleId)
        guard let environment = payload.environment else {
            throw VerificationError(
                .wrongEnvironment,
                reason: "The receipt names no environment that is known, and"
                    + " \(self.environment.rawValue) is expected.")
        }
        try require(
            bundleId: payload.bundleId, appAppleId: payload.appAppleId,
            environment: Raw(environment))
    }

    private func require(
        bundleId: BundleId?, appAppleId: Int64?, environment: Raw<Environment>?
    ) throws(VerificationError) {
        try require(bundleId)
        // Payloads of 2021 and early 2022 name no environment: absence contradicts nothing.
        if let environment { try require(environment: environment) }
        guard self.environment == .production, let expected = self.appAppleId,
            let appAppleId, appAppleId != expected
        else { return }
        throw VerificationError(
            .wrongApp,
            reason: "It is of the appAppleId \(appAppleId), and \(expected) is expected.")
    }

    private func require(_ bundleId: BundleId?) throws(VerificationError) {
        guard bundleId != self.bundleId else { return }
        throw AppIdentity.unexpected(bundleId, [self.bundleId])
    }

    private func require(environment: Raw<Environment>) throws(VerificationError) {
        guard environment != Raw(self.environment) else { return }
        throw wrong(environment.rawValue)
    }

    /// Of what is of none of the apps that are expected.
    package static func unexpected(
        _ found: BundleId?, _ expected: [BundleId]
    ) -> VerificationError {
        VerificationError(
            .wrongApp,
            reason: "It is of \(found.map { "the app \($0.rawValue.named)" } ?? "no app"), and"
                + " \(expected.named) is expected.")
    }

    private func wrong(_ found: String?) -> VerificationError {
        VerificationError(
            .wrongEnvironment,
            reason: "It is of \(found?.named ?? "no environment"), and \(environment.rawValue) is"
                + " expected.")
    }
}

extension [BundleId] {
    /// The apps as a message names them: the first `namedCount`, and how many more there are.
    package var named: String {
        let names = prefix(Self.namedCount).map(\.rawValue.named).joined(separator: ", ")
        return count > Self.namedCount ? "\(names) or \(count - Self.namedCount) more" : names
    }

    /// Most apps that a message names.
    package static var namedCount: Int { 5 }
}
