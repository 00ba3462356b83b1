import AppStore
import Simulator
import Testing

@testable import Signing

/// Minted receipts and what verifying them came to.
enum ReceiptTrial {
    /// Three RSA keys take a while to make: one authority of Apple's shape serves all tests.
    private static let shared = Result { try ReceiptAuthority() }

    static func authority() throws -> ReceiptAuthority { try shared.get() }

    static func verifier(
        _ authority: ReceiptAuthority, allowing environments: Set<Environment> = [],
        budget: ChainBudget? = nil
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

    /// What a receipt of the shared authority comes to.
    static func code(_ receipt: [UInt8], receivedAt: Timestamp = Trial.now) throws
        -> VerificationCode?
    {
        let verifier = try verifier(authority())
        return Trial.code { _ = try verifier.verify(receipt, receivedAt: receivedAt) }
    }

    /// What a payload comes to that the shared authority signed.
    static func code(payload: [UInt8]) throws -> VerificationCode? {
        try code(authority().sign(payload: payload))
    }
}
