import AppStore
import LedgerTestSupport
import Signing
import Simulator

/// App receipts of made purchases, under an authority of this run.
enum MadeReceipt {
    static let roots: TrustedRoots = {
        do { return try TestAuthority.roots.adding(TestAuthority.receipts.rootDER) } catch {
            fatalError("the authority's own root is no certificate: \(error)")
        }
    }()

    /// The device's receipt when the last of `periods` began.
    static func base64(
        _ purchases: [MadePurchase], periods: Int = 2, type: ReceiptType = .production,
        bundleId: String = MadePurchase.app
    ) throws -> String {
        let start = purchases[0].start(periods - 1)
        let contents = ReceiptContents(
            type: type, bundleId: bundleId, creationDate: start.advanced(byMilliseconds: 60_000),
            purchases: purchases.flatMap { purchase in
                (0..<periods).map { period in
                    ReceiptContents.subscription(
                        productId: "com.example.pro.monthly",
                        transactionId: purchase.transactionId(period),
                        originalTransactionId: purchase.id,
                        purchaseDate: purchase.start(period),
                        expiresDate: purchase.start(period + 1))
                }
            })
        return String(
            decoding: Base64.standard.encode(try TestAuthority.receipts.sign(contents)),
            as: UTF8.self)
    }

    /// The body of an upload.
    static func body(_ receipt: String, customer: String? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("receipt", receipt)
            $0.memberIfPresent("customer", customer)
        }
        return json.bytes
    }
}
