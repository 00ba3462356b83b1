import AppStore
import Testing

@testable import Signing

/// Compares a decoded receipt with an independent record of it.
enum ReceiptComparison {
    static func compare(_ receipt: AppReceipt, with record: JSONValue) throws {
        let attributes = try #require(record["attributes"])
        #expect(receipt.receiptType?.rawValue == attributes["receipt_type"]?.string)
        #expect(receipt.receiptType?.rawValue == record["environment"]?.string)
        #expect(receipt.bundleId?.rawValue == attributes["bundle_id"]?.string)
        #expect(
            receipt.bundleIdValue.suffix(from: 2).elementsEqual(
                Array(try #require(receipt.bundleId).rawValue.utf8)))
        #expect(receipt.applicationVersion == attributes["application_version"]?.string)
        #expect(
            receipt.originalApplicationVersion
                == attributes["original_application_version"]?.string)
        #expect(
            receipt.creationDate
                == (try ReceiptFixtures.date(attributes["receipt_creation_date"])))
        #expect(
            receipt.originalPurchaseDate
                == (try ReceiptFixtures.date(attributes["original_purchase_date"])))
        #expect(
            receipt.expirationDate == (try ReceiptFixtures.date(attributes["expiration_date"])))
        #expect(receipt.appAppleId == ReceiptFixtures.positive(attributes["app_item_id"]))
        #expect(receipt.downloadId == ReceiptFixtures.positive(attributes["download_id"]))
        #expect(
            receipt.versionExternalIdentifier
                == ReceiptFixtures.positive(attributes["version_external_identifier"]))
        #expect(receipt.deviceHash.count == 20)
        #expect(!receipt.opaqueValue.isEmpty)
        compareOthers(receipt.otherAttributes, with: attributes)
        try comparePurchases(receipt.inAppPurchases, with: record)
    }

    /// Unknown types are kept raw; two of them are recorded by name, the rest by number.
    private static func compareOthers(_ others: [ReceiptAttribute], with attributes: JSONValue) {
        let numbers = attributes["other_attribute_types"]?.array?.compactMap(\.int64) ?? []
        var expected = Set(numbers).subtracting([4, 5])
        if attributes["request_date"] != nil { expected.insert(8) }
        if let age = attributes["age_rating"]?.string {
            expected.insert(10)
            #expect(
                others.first { $0.type == 10 }?.value.suffix(from: 2).elementsEqual(age.utf8)
                    == true)
        }
        #expect(Set(others.map(\.type)) == expected)
    }

    private static func comparePurchases(
        _ purchases: [InAppPurchaseReceipt], with record: JSONValue
    ) throws {
        #expect(Int64(purchases.count) == record["in_app_count"]?.int64)
        let products = Set(purchases.compactMap { $0.productId?.rawValue })
        #expect(
            products.sorted() == record["in_app_products"]?.array?.compactMap(\.string).sorted())
        let samples = try #require(record["in_app_sample"]?.array)
        #expect(samples.count == min(3, purchases.count))
        for (purchase, sample) in zip(purchases, samples) {
            try compare(purchase, with: sample)
        }
    }

    private static func compare(_ purchase: InAppPurchaseReceipt, with sample: JSONValue) throws {
        #expect(purchase.quantity == sample["quantity"]?.int64)
        #expect(purchase.productId?.rawValue == sample["product_id"]?.string)
        #expect(purchase.transactionId?.rawValue == sample["transaction_id"]?.string)
        #expect(
            purchase.originalTransactionId?.rawValue
                == ReceiptFixtures.text(sample["original_transaction_id"]))
        #expect(purchase.purchaseDate == (try ReceiptFixtures.date(sample["purchase_date"])))
        #expect(
            purchase.originalPurchaseDate
                == (try ReceiptFixtures.date(sample["original_purchase_date"])))
        #expect(purchase.expiresDate == (try ReceiptFixtures.date(sample["expires_date"])))
        #expect(
            purchase.cancellationDate == (try ReceiptFixtures.date(sample["cancellation_date"])))
        #expect(
            purchase.webOrderLineItemId?.rawValue
                == ReceiptFixtures.positive(sample["web_order_line_item_id"]).map(String.init))
        #expect(purchase.productType?.rawValue == sample["type?"]?.int64)
        #expect(purchase.isTrialPeriod == sample["is_trial_period"]?.int64.map { $0 != 0 })
        #expect(
            purchase.isInIntroOfferPeriod
                == sample["is_in_intro_offer_period"]?.int64.map { $0 != 0 })
        let others = sample["_other_types"]?.array?.compactMap(\.int64) ?? []
        #expect(Set(purchase.otherAttributes.map(\.type)) == Set(others))
    }
}
