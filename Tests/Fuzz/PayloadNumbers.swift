import AppStore

/// The numbers of one fact's payloads, each selected by one byte: 0 is a normal one, others are at
/// the extremes of JSON, dates or prices.
struct PayloadNumbers {
    private let picked: [UInt8]

    /// Bytes read.
    static let count = 24

    /// The first four are the most relevant.
    static let ends: [Int64] = [
        .max, .min, Timestamp.latest.milliseconds, Timestamp.earliest.milliseconds,
        Timestamp.latest.milliseconds + 1, Timestamp.earliest.milliseconds - 1, .max - 1, .min + 1,
        0, -1, 1, Int64(Int32.max) + 1, 1_000_000_000_000, 1_000_000_000_001, 100_000, 100_001,
    ]

    init(_ bytes: some Sequence<UInt8>) { picked = Array(bytes) }

    private func number(_ place: Int, or honest: Int64) -> Int64 {
        let index = Int(picked[place]) % (PayloadNumbers.ends.count + 1)
        return index == 0 ? honest : PayloadNumbers.ends[index - 1]
    }

    private static let day: Int64 = 86_400_000
    /// 2026-01-05.
    private static let begin: Int64 = 1_767_571_200_000

    var receivedAt: Timestamp { Timestamp(milliseconds: number(0, or: PayloadNumbers.begin)) }
    var status: Int64 { number(1, or: 1) }

    private static let types = [
        "Auto-Renewable Subscription", "Auto-Renewable Subscription", "Non-Renewing Subscription",
        "Consumable",
    ]

    func transaction(id: Int64, form: UInt8) -> [UInt8] {
        let begin = PayloadNumbers.begin + (id - 1_000) * 30 * PayloadNumbers.day
        var json = JSONWriter()
        json.object { json in
            json.member("transactionId", "\(id)")
            json.member("originalTransactionId", "1000")
            json.member("bundleId", "com.example.app")
            json.member("productId", "product")
            json.member("type", PayloadNumbers.types[Int(form) / 3 % PayloadNumbers.types.count])
            json.member("currency", "USD")
            json.member("storefront", "USA")
            json.member("inAppOwnershipType", "PURCHASED")
            json.member("purchaseDate", number(2, or: begin))
            json.member("originalPurchaseDate", number(3, or: PayloadNumbers.begin))
            json.member("expiresDate", number(4, or: begin + 30 * PayloadNumbers.day))
            json.member("signedDate", number(5, or: begin + 1_000))
            json.member("quantity", number(6, or: 1))
            json.member("price", number(7, or: 9_990))
            json.member("offerType", number(8, or: 1))
            // Absent unless selected: nothing was revoked.
            if picked[9] != 0 { json.member("revocationDate", number(9, or: begin)) }
            if picked[10] != 0 { json.member("revocationPercentage", number(10, or: 1)) }
            if picked[11] != 0 { json.member("revocationReason", number(11, or: 1)) }
            json.object("commitmentInfo") { json in
                json.member("billingPeriodNumber", number(12, or: 1))
                json.member("totalBillingPeriods", number(13, or: 12))
                json.member("commitmentExpiresDate", number(14, or: begin))
                json.member("commitmentPrice", number(15, or: 9_990))
            }
        }
        return json.bytes
    }

    var renewal: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("originalTransactionId", "1000")
            json.member("productId", "product")
            json.member("autoRenewProductId", "product")
            json.member("currency", "USD")
            json.member("autoRenewStatus", number(16, or: 1))
            json.member("renewalDate", number(17, or: PayloadNumbers.begin))
            json.member("renewalPrice", number(18, or: 9_990))
            if picked[19] != 0 { json.member("gracePeriodExpiresDate", number(19, or: 0)) }
            if picked[20] != 0 { json.member("expirationIntent", number(20, or: 0)) }
            if picked[21] != 0 { json.member("priceIncreaseStatus", number(21, or: 0)) }
            json.member("signedDate", number(22, or: PayloadNumbers.begin + 1_000))
        }
        return json.bytes
    }

    private static let notifications = [
        ("SUBSCRIBED", "INITIAL_BUY"), ("DID_RENEW", ""), ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"),
        ("DID_FAIL_TO_RENEW", ""), ("EXPIRED", "VOLUNTARY"), ("REFUND", ""), ("REVOKE", ""),
        ("REFUND_REVERSED", ""), ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"),
        ("RENEWAL_EXTENDED", ""), ("PRICE_INCREASE", "PENDING"), ("GRACE_PERIOD_EXPIRED", ""),
    ]

    func notification(form: UInt8) -> [UInt8] {
        let (type, subtype) = PayloadNumbers.notifications[
            Int(form) / 3 % PayloadNumbers.notifications.count]
        var json = JSONWriter()
        json.object { json in
            json.member("notificationType", type)
            if !subtype.isEmpty { json.member("subtype", subtype) }
            json.member("notificationUUID", "00000000-0000-0000-0000-000000000000")
            json.member("signedDate", number(23, or: PayloadNumbers.begin + 2_000))
            json.object("data") { json in json.member("status", status) }
        }
        return json.bytes
    }
}
