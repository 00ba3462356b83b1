public import AppStore
public import Intake
public import Ledger
public import Signing

/// The contents of a receipt and the result of its verification, for `receipt`. Appends nothing.
public struct ReceiptExamination: Sendable {
    /// The contents of an app receipt, verified or not; nil for anything else.
    public let appReceipt: AppReceipt?
    /// The contents of a transaction receipt of iOS 6; nil for anything else.
    public let transactionReceipt: TransactionReceipt?
    /// Nil when verification failed.
    private let verified: VerifiedReceipt?
    /// The trust anchor of the signature; nil when verification failed.
    public var trust: EvidenceTrust? { verified?.trust }
    /// SHA-256 of the root certificate; nil when verification failed, or for Xcode.
    public var rootFingerprint: Digest? { verified?.rootFingerprint }
    /// The date at which the certificates were judged.
    public var effectiveDate: Timestamp? { verified?.effectiveDate }
    /// Why verification failed or an expectation is not met; nil when all is well.
    public let refusal: VerificationError?
    /// Whether it was made for the given device; nil when none was given or verification failed.
    public let isOfDevice: Bool?
    /// Products whose kind neither the receipt nor the catalogue states, in order; purchases of
    /// them are not counted.
    public let untypedProducts: [ProductId]

    /// Verifies `receipt`, and reads its contents in any case.
    ///
    /// - `apps`: the accepted apps; an empty list accepts any.
    /// - `environment`: the required one; nil accepts any.
    /// - `deviceId`: the bytes of the required device's identifier; nil accepts any.
    /// - `catalogue`: the kinds of products, where a receipt does not state them.
    /// - `now`: the date for judging a receipt without a date of its own.
    public init(
        of receipt: [UInt8], verifier: ReceiptVerifier, apps: [Configuration.App],
        environment: Environment?, deviceId: [UInt8]?, catalogue: Catalogue, now: Timestamp
    ) {
        do throws(VerificationError) {
            let verified = try verifier.verify(receipt, receivedAt: now)
            self.verified = verified
            (appReceipt, transactionReceipt) = (verified.receipt, nil)
            let device = deviceId.map { id in
                ReceiptExamination.refusal { () throws(VerificationError) in
                    try verified.requireDevice(id)
                }
            }
            isOfDevice = device.map { $0 == nil }
            refusal =
                ReceiptExamination.refusal { () throws(VerificationError) in
                    try ReceiptExamination.require(verified, of: apps, in: environment)
                } ?? device ?? nil
        } catch {
            (verified, isOfDevice) = (nil, nil)
            let app = try? ReceiptVerifier.readUnverified(receipt)
            let transaction = app == nil ? ReceiptForm.transactionReceipt(receipt) : nil
            (appReceipt, transactionReceipt) = (app, transaction)
            refusal =
                transaction == nil
                ? error
                : VerificationError(
                    .unsupportedAlgorithm,
                    reason: "A transaction receipt of iOS 6 cannot be verified here: look its"
                        + " transactionId up with `subledger api transaction-info`.")
        }
        let unknown = (appReceipt?.inAppPurchases ?? []).filter { purchase in
            purchase.expiresDate == nil && purchase.productType?.value?.productType == nil
        }
        untypedProducts = Set(unknown.compactMap(\.productId))
            .filter { catalogue.products[$0] == nil }.sorted()
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

    /// Whether it is a verified app receipt that meets the expectation.
    public var isAccepted: Bool { refusal == nil }

    /// The app stated in the receipt.
    public var bundleId: BundleId? { appReceipt?.bundleId ?? transactionReceipt?.bundleId }

    /// The environment stated in the receipt.
    public var environment: Environment? {
        appReceipt?.environment ?? transactionReceipt?.environment?.value
    }

    /// Chains that can be requested from the App Store, without duplicates. Excludes Xcode's
    /// placeholder "0", and ids with other characters than letters, digits, dots and hyphens, which
    /// an untrusted receipt may contain.
    public var originalTransactionIds: [OriginalTransactionId] {
        guard environment != .xcode else { return [] }
        let ofTransaction = transactionReceipt.map { receipt in
            receipt.originalTransactionId ?? OriginalTransactionId(receipt.transactionId.rawValue)
        }
        let ids = appReceipt?.originalTransactionIds ?? ofTransaction.map { [$0] } ?? []
        return ids.filter { ReceiptExamination.isPlain($0.rawValue) }
    }

    /// Throws `wrongApp` or `wrongEnvironment`.
    private static func require(
        _ receipt: VerifiedReceipt, of apps: [Configuration.App], in environment: Environment?
    ) throws(VerificationError) {
        if let environment, receipt.receipt.environment != environment {
            throw VerificationError(
                .wrongEnvironment,
                reason: "The receipt is of"
                    + " \(receipt.receipt.environment?.rawValue ?? "an unknown environment"),"
                    + " and \(environment.rawValue) is expected.")
        }
        guard !apps.isEmpty else { return }
        guard let app = apps.first(where: { $0.bundleId == receipt.receipt.bundleId }) else {
            throw AppIdentity.unexpected(receipt.receipt.bundleId, apps.map(\.bundleId))
        }
        // Without a type it belongs to no environment, and to no ledger.
        try AppIdentity(
            bundleId: app.bundleId, appAppleId: app.appAppleId,
            environment: receipt.receipt.environment ?? .production
        ).require(receipt)
    }
}
