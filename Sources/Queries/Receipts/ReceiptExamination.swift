public import AppStore
public import Intake
public import Ledger
public import Signing

/// What a receipt is and whether it is believed: the answer of `receipt`. Nothing is appended.
public struct ReceiptExamination: Sendable {
    /// What could be read, believed or not.
    public enum Contents: Sendable {
        case app(AppReceipt)
        case transaction(TransactionReceipt)
        /// Neither kind of receipt.
        case nothing
    }

    /// What the receipt has to be about; nil: whatever it says.
    public struct Expectation: Sendable {
        /// The apps it may be of.
        public var apps: [Configuration.App]
        /// The environment it has to be of.
        public var environment: Environment?
        /// The device it has to be made for: the bytes of its identifier.
        public var deviceId: [UInt8]?
        /// What kind of product is what, where a receipt does not say.
        public var catalogue: Catalogue

        /// No app means any app.
        public init(
            apps: [Configuration.App] = [], environment: Environment? = nil,
            deviceId: [UInt8]? = nil, catalogue: Catalogue = Catalogue()
        ) {
            self.apps = apps
            self.catalogue = catalogue
            self.environment = environment
            self.deviceId = deviceId
        }
    }

    public let contents: Contents
    /// On whose word it is believed; nil when it is not.
    public let trust: EvidenceTrust?
    /// SHA-256 of the root the chain ends in; nil when it is not believed, or nobody's word.
    public let rootFingerprint: Digest?
    /// The date the certificates were judged at.
    public let effectiveDate: Timestamp?
    /// Why it is not believed, or not what it has to be; nil when all is well.
    public let refusal: VerificationError?
    /// Whether it was made for the device that was named; nil when none was, or it is not believed.
    public let isOfDevice: Bool?
    /// Products of which neither the receipt nor the catalogue says what they are, in order: bought,
    /// they count for nothing.
    public let untypedProducts: [ProductId]

    /// Verifies `receipt`, and reads what it holds in any case.
    ///
    /// - Parameter now: the date a receipt without one of its own is judged at.
    public init(
        of receipt: [UInt8], verifier: ReceiptVerifier, expecting expectation: Expectation,
        now: Timestamp
    ) {
        do throws(VerificationError) {
            let verified = try verifier.verify(receipt, receivedAt: now)
            contents = .app(verified.receipt)
            trust = verified.trust
            rootFingerprint = verified.rootFingerprint
            effectiveDate = verified.effectiveDate
            let device = expectation.deviceId.map { id in
                ReceiptExamination.refusal { () throws(VerificationError) in
                    try verified.requireDevice(id)
                }
            }
            isOfDevice = device.map { $0 == nil }
            refusal =
                ReceiptExamination.refusal { () throws(VerificationError) in
                    try expectation.require(verified)
                } ?? device ?? nil
        } catch {
            trust = nil
            rootFingerprint = nil
            effectiveDate = nil
            isOfDevice = nil
            if let app = try? ReceiptVerifier.readUnverified(receipt) {
                contents = .app(app)
                refusal = error
            } else if let transaction = ReceiptForm.transactionReceipt(receipt) {
                contents = .transaction(transaction)
                refusal = VerificationError(
                    .unsupportedAlgorithm,
                    reason: "A transaction receipt of iOS 6 cannot be verified here: ask the App"
                        + " Store about its id.")
            } else {
                contents = .nothing
                refusal = error
            }
        }
        untypedProducts = ReceiptExamination.untypedProducts(contents, expectation.catalogue)
    }

    private static func untypedProducts(
        _ contents: Contents, _ catalogue: Catalogue
    ) -> [ProductId] {
        guard case .app(let receipt) = contents else { return [] }
        let unknown = receipt.inAppPurchases.filter { purchase in
            purchase.expiresDate == nil && purchase.productType?.value?.productType == nil
        }
        return Set(unknown.compactMap(\.productId)).filter { catalogue.products[$0] == nil }
            .sorted()
    }

    private static func refusal(
        _ body: () throws(VerificationError) -> Void
    ) -> VerificationError? {
        do throws(VerificationError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// Whether it is an app receipt that is believed and is what it has to be.
    public var isAccepted: Bool { refusal == nil }

    /// The app it says it is of.
    public var bundleId: BundleId? {
        switch contents {
        case .app(let receipt): receipt.bundleId
        case .transaction(let receipt): receipt.bundleId
        case .nothing: nil
        }
    }

    /// The environment it says it is of.
    public var environment: Environment? {
        switch contents {
        case .app(let receipt): receipt.environment
        case .transaction(let receipt): receipt.environment?.value
        case .nothing: nil
        }
    }

    /// Chains the App Store can be asked about, once each: Xcode's stand-in "0" is none, nor is
    /// anything but letters, digits, points and hyphens, which a stranger's receipt may hold.
    public var originalTransactionIds: [OriginalTransactionId] {
        let ids: [OriginalTransactionId] =
            switch contents {
            case .app(let receipt): receipt.originalTransactionIds
            case .transaction(let receipt):
                [
                    receipt.originalTransactionId
                        ?? OriginalTransactionId(receipt.transactionId.rawValue)
                ]
            case .nothing: []
            }
        return environment == .xcode
            ? [] : ids.filter { ReceiptExamination.isPlain($0.rawValue) }
    }
}

extension ReceiptExamination.Expectation {
    /// Throws `wrongApp` or `wrongEnvironment`.
    func require(_ receipt: VerifiedReceipt) throws(VerificationError) {
        if let environment, receipt.receipt.environment != environment {
            throw VerificationError(
                .wrongEnvironment,
                reason: "The receipt is of"
                    + " \(receipt.receipt.environment?.rawValue ?? "no environment that is known"),"
                    + " and \(environment.rawValue) is expected.")
        }
        guard !apps.isEmpty else { return }
        guard let app = apps.first(where: { $0.bundleId == receipt.receipt.bundleId }) else {
            throw AppIdentity.unexpected(receipt.receipt.bundleId, apps.map(\.bundleId))
        }
        // Without a type it is of no environment, and no ledger's.
        try AppIdentity(
            bundleId: app.bundleId, appAppleId: app.appAppleId,
            environment: receipt.receipt.environment ?? .production
        ).require(receipt)
    }
}
