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
            Base64Standard.encode(
                try authority.sign(contents(purchases: number % (largestPurchaseCount + 1))))
        }
        let verifier = ReceiptVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let identity = AppIdentity(bundleId: BundleId(bundleId), environment: .production)
        let now = Timestamp(milliseconds: 0)
        // Warms the certificate chain cache, as on any server after its first receipt.
        let bare = try BareReceiptVerification(receipts[0], verifier: verifier, receivedAt: now)
        _ = bare.run(count: 200)
        let rates = try Bench.rates(repetitions: repetitions) {
            for receipt in receipts {
                try identity.require(try verifier.verify(receipt, receivedAt: now))
            }
            return receipts.count
        } beside: {
            bare.run(count: receipts.count)
        }
        guard rates.limit > 0 else { throw BenchProblem.refused }
        return BenchRow(
            name: "receipts", value: rates.value, unit: "receipts/s",
            limitName: "bare RSA-2048 verification", limit: rates.limit, events: rates.count)
    }

    /// Version 1 notifications as Apple posts them, each with a receipt and its purchases.
    public static func notifications(password: String) throws -> [[UInt8]] {
        let authority = try ReceiptAuthority()
        return try (1...receiptCount).map { number in
            let count = 1 + number % largestPurchaseCount
            let receipt = Base64Standard.encode(try authority.sign(contents(purchases: count)))
            var json = JSONWriter()
            json.object { json in
                json.member("notification_type", "DID_RENEW")
                json.member("password", password)
                json.member("environment", "PROD")
                json.member("bid", bundleId)
                json.member("original_transaction_id", "2000000")
                json.object("unified_receipt", count) { json, count in
                    json.member("status", 0 as Int64)
                    json.member("environment", "Production")
                    json.member("latest_receipt", String(decoding: receipt, as: UTF8.self))
                    json.array("latest_receipt_info", Array((0..<count).reversed())) {
                        purchase($1, of: count, to: &$0)
                    }
                }
            }
            return json.bytes
        }
    }

    private static func purchase(_ number: Int, of count: Int, to json: inout JSONWriter) {
        let bought = start.advanced(byMilliseconds: month * Int64(number - count))
        let dates = [
            ("purchase_date", bought), ("original_purchase_date", start),
            ("expires_date", bought.advanced(byMilliseconds: month)),
        ]
        json.object { json in
            json.member("quantity", "1")
            json.member("product_id", "com.example.pro.monthly")
            json.member("transaction_id", "\(2_000_000 + number)")
            json.member("original_transaction_id", "2000000")
            json.member("web_order_line_item_id", "\(3_000_000 + number)")
            json.member("is_trial_period", "false")
            json.member("is_in_intro_offer_period", "false")
            // Receipts state every date in three formats.
            for (name, date) in dates {
                json.member(name, date.rfc3339)
                json.member("\(name)_ms", "\(date.milliseconds)")
                json.member("\(name)_pst", "\(date.rfc3339) America/Los_Angeles")
            }
        }
    }

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
