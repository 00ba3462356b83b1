import AppStore
internal import Signing
internal import Simulator

/// Benchmarks of app receipts: of one app, with a realistic number of purchases.
public enum ReceiptBench {
    /// Number of distinct receipts, verified repeatedly.
    private static let receiptCount = 64
    /// Receipts have between none and this many purchases; published receipts average 10.
    private static let largestPurchaseCount = 20
    private static let bundleId = "com.example.app"

    /// Verifies receipts on one core, including base64, decoding and policy, against bare RSA
    /// verifications.
    public static func verify(repetitions: Int) throws -> BenchRow {
        let authority = try ReceiptAuthority()
        let receipts = try (0..<receiptCount).map { number in
            Base64.standard.encode(
                try authority.sign(contents(purchases: number % (largestPurchaseCount + 1))))
        }
        let verifier = ReceiptVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let identity = AppIdentity(bundleId: BundleId(bundleId), environment: .production)
        let now = Timestamp(milliseconds: 0)
        // Warms the certificate chain cache, as on any server after its first receipt.
        let verified = try verifier.verify(receipts[0], receivedAt: now)
        let envelope = try ReceiptEnvelope(parsing: verified.bytes)
        let (signature, digest) = (envelope.signature, envelope.digest)
        let value = digest.hash(envelope.signedAttributes ?? envelope.content)
        guard let bare = verified.chain?.key, bare.isValid(signature, over: value, by: digest)
        else { throw BenchProblem.refused }
        return try Bench.rate(
            "receipts", "receipts/s", against: "bare RSA-2048 verification",
            repetitions: repetitions
        ) {
            for receipt in receipts {
                try identity.require(try verifier.verify(receipt, receivedAt: now))
            }
            return receipts.count
        } beside: {
            receipts.count { _ in bare.isValid(signature, over: value, by: digest) }
        }
    }

    /// Version 1 notifications of simulated customers, each with a receipt of its purchases.
    public static func notifications(password: String) throws -> [[UInt8]] {
        let books = ServedRecords(HistoryPlan(limit: .chains(customerCount)))
        return try OriginalStoreKit(books).notificationsV1(
            through: Timestamp(milliseconds: .max), password: password,
            authority: ReceiptAuthority()
        ).map(\.body)
    }

    private static let customerCount = 40

    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static let month: Int64 = 30 * 86_400_000

    private static func contents(purchases count: Int) -> ReceiptContents {
        ReceiptContents(
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
