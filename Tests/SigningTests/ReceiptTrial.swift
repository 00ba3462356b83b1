import AppStore
import LedgerTestSupport
import Testing

@testable import Signing
@testable import Simulator

/// Minted receipts and the results of verifying them.
enum ReceiptTrial {
    /// Generating three RSA keys is slow: one authority of Apple's form serves all tests, and
    /// another one as a stranger.
    static var authority: ReceiptAuthority { TestAuthority.receipts }

    private static let other = Result { try ReceiptAuthority() }

    static func stranger() throws -> ReceiptAuthority { try other.get() }

    static func verifier(
        _ authority: ReceiptAuthority, allowing environments: Set<Environment> = [],
        budget: CertificateChainBudget? = nil
    ) throws -> ReceiptVerifier {
        ReceiptVerifier(
            roots: try TrustedRoots.apple.adding(authority.rootDER),
            allowedLocalEnvironments: environments, chainBudget: budget)
    }

    /// A receipt of one subscription.
    static func contents(
        type: ReceiptType = .productionSandbox, creationDate: Timestamp = Trial.now
    ) -> ReceiptContents {
        ReceiptContents(
            type: type, creationDate: creationDate,
            purchases: [
                ReceiptContents.subscription(
                    productId: "pro.monthly", transactionId: "2000000000000002",
                    originalTransactionId: "2000000000000001", purchaseDate: Trial.now,
                    expiresDate: Trial.now.advanced(byMilliseconds: 300_000))
            ])
    }

    /// The result of a receipt of the shared authority.
    static func code(_ receipt: [UInt8], receivedAt: Timestamp = Trial.now) throws
        -> VerificationCode?
    {
        let verifier = try verifier(authority)
        return Trial.code { _ = try verifier.verify(receipt, receivedAt: receivedAt) }
    }

    /// The result of a payload signed by the shared authority.
    static func code(payload: [UInt8]) throws -> VerificationCode? {
        try code(authority.sign(payload: payload))
    }
}

extension ReceiptAuthority {
    /// New certificates of another shape for the same keys, which are slow to generate; only a
    /// signer's key of another length is replaced.
    func reshaped(_ shape: AuthorityShape) throws -> ReceiptAuthority {
        let isSame = signerKey.bitCount == shape.leafBitCount
        return try ReceiptAuthority(
            shape: shape, rootKey: rootKey, intermediateKey: intermediateKey,
            signerKey: isSame
                ? signerKey : RSAPrivateKey(generatingBitCount: shape.leafBitCount))
    }
}
