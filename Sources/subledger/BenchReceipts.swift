import AppStore
import Foundation
import LedgerService
import Signing
import Simulator

/// Receipts for `bench receipts`: of one app, with as many purchases as genuine ones have.
enum BenchReceipts {
    /// Different receipts, verified again and again.
    private static let receiptCount = 64
    /// Purchases of a receipt run from none to this; published receipts have 10 on average.
    private static let largestPurchaseCount = 20
    private static let bundleId = "com.example.app"

    static func bench() throws -> ReceiptBench {
        let authority = try ReceiptAuthority()
        let receipts = try (0..<receiptCount).map { number in
            Base64Standard.encode(
                try authority.sign(contents(purchases: number % (largestPurchaseCount + 1))))
        }
        return ReceiptBench(
            receipts: receipts, roots: try TrustedRoots.apple.adding(authority.rootDER),
            identity: AppIdentity(bundleId: BundleId(bundleId), environment: .production))
    }

    private static func contents(purchases count: Int) -> ReceiptContents {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let month: Int64 = 30 * 86_400_000
        return ReceiptContents(
            type: .production, bundleId: bundleId, creationDate: start,
            purchases: (0..<count).map { number in
                let bought = start.advanced(byMilliseconds: month * Int64(number - count))
                return ReceiptContents.subscription(
                    productId: "com.example.pro.monthly", transactionId: "\(2_000_000 + number)",
                    originalTransactionId: "2000000", purchaseDate: bought,
                    expiresDate: bought.advanced(byMilliseconds: month))
            })
    }
}
