import AppStore
import TestSupport
import Testing

@Suite("Responses of verifyReceipt")
struct VerifyReceiptResponseTests {
    /// One entry of the manifest: the contents that every reader of the file must find.
    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let status: Int64
        let environment: String?
        let bundleId: String?
        let inApp: Int
        let latest: Int
        let pending: Int
        let isOld: Bool
        var testDescription: String { file }
    }

    static let entries: [Entry] = {
        guard let bytes = try? Fixtures.bytes("verifyreceipt/manifest.json"),
            let list = try? JSONValue.parse(bytes).array
        else { return [] }
        return list.compactMap { entry in
            guard let file = entry["file"]?.string, let status = entry["status"]?.int64 else {
                return nil
            }
            return Entry(
                file: file, status: status, environment: entry["environment"]?.string,
                bundleId: entry["bundle_id"]?.string,
                inApp: Int(entry["in_app"]?.int64 ?? 0),
                latest: Int(entry["latest_receipt_info"]?.int64 ?? 0),
                pending: Int(entry["pending_renewal_info"]?.int64 ?? 0),
                isOld: entry["style"]?.string != "ios7+")
        }
    }()

    @Test("The manifest lists every file", Fixtures.condition)
    func all() { #expect(VerifyReceiptResponseTests.entries.count >= 14) }

    @Test(
        "Every published response decodes as in its manifest", Fixtures.condition,
        arguments: entries)
    func published(entry: Entry) throws {
        let response = try VerifyReceiptResponse(Fixtures.bytes("verifyreceipt/\(entry.file)"))
        #expect(response.status.rawValue == entry.status)
        #expect(response.status.value != nil)
        #expect(response.environment == entry.environment)
        if let bundleId = entry.bundleId { #expect(response.bundleId?.rawValue == bundleId) }
        if !entry.isOld {
            #expect(response.receipt?.inApp.count == entry.inApp)
            #expect(response.latestReceiptInfo.count == entry.latest)
            #expect(response.pendingRenewalInfo.count == entry.pending)
        }
        #expect(response.transactions.count > 0 || entry.inApp == 0)
        for transaction in response.transactions {
            #expect(transaction.transactionId != nil)
            #expect(transaction.originalTransactionId != nil)
            #expect(transaction.productId != nil)
            // The dates of one of them were replaced by zeros before publication.
            #expect(transaction.purchaseDate != nil || entry.file.hasPrefix("011"))
        }
    }

    @Test(
        "A response about an old transaction receipt states its renewal beside it",
        Fixtures.condition)
    func old() throws {
        let response = try VerifyReceiptResponse(
            Fixtures.bytes("verifyreceipt/026-status0-apple-receipt.json"))
        let renewal = try #require(response.pendingRenewalInfo.first)
        #expect(renewal.originalTransactionId == response.transactions.first?.originalTransactionId)
        #expect(renewal.autoRenewStatus != nil)
        // Milliseconds in a member that has text elsewhere.
        #expect(response.transactions.allSatisfy { $0.expiresDate != nil })
    }

    /// A response with one transaction of these members.
    private func transaction(_ members: String) throws(JSONError) -> ReceiptTransaction? {
        try VerifyReceiptResponse(
            Array("{\"status\":0,\"latest_receipt_info\":[{\(members)}]}".utf8)
        ).latestReceiptInfo.first
    }

    @Test(
        "A value is the same as string, number or boolean",
        arguments: [
            "\"is_trial_period\":\"true\",\"quantity\":\"2\"",
            "\"is_trial_period\":true,\"quantity\":2",
            "\"is_trial_period\":\"1\",\"quantity\":\"2\"",
            "\"is_trial_period\":1,\"quantity\":2.0",
        ])
    func spellings(members: String) throws {
        let read = try #require(try transaction(members))
        #expect(read.isTrialPeriod == true)
        #expect(read.quantity == 2)
    }

    @Test(
        "A date is read from milliseconds, else from text",
        arguments: [
            "\"expires_date_ms\":\"1577836800000\"", "\"expires_date_ms\":1577836800000",
            "\"expires_date\":\"1577836800000\"",
            "\"expires_date\":\"2020-01-01 00:00:00 Etc/GMT\"",
            "\"expires_date\":\"2019-01-01 00:00:00 Etc/GMT\",\"expires_date_ms\":\"1577836800000\"",
        ])
    func dates(members: String) throws {
        #expect(
            try transaction(members)?.expiresDate == Timestamp(milliseconds: 1_577_836_800_000))
    }

    @Test("Empty text, zero and null are absent", arguments: ["\"\"", "null", "\"0\"", "0"])
    func absent(value: String) throws {
        #expect(try transaction("\"cancellation_date_ms\":\(value)")?.cancellationDate == nil)
    }

    @Test(
        "A known field of another type is named",
        arguments: [
            ("quantity", "\"many\""), ("quantity", "[]"), ("purchase_date_ms", "\"soon\""),
            ("purchase_date", "\"yesterday\""), ("is_upgraded", "\"perhaps\""),
            ("product_id", "{}"), ("expires_date_ms", "99999999999999999999"),
        ])
    func wrong(field: String, value: String) {
        let error = #expect(throws: JSONError.self) {
            try transaction("\"\(field)\":\(value)")
        }
        #expect(error?.code == .wrongType)
        #expect(error?.field.map { field.hasPrefix($0) } == true)
    }

    @Test(
        "Other input is rejected",
        arguments: [
            "[]", "{}", "{\"status\":\"\"}", "{\"status\":{}}", "{\"status\":0,\"receipt\":[]}",
            "{\"status\":0,\"latest_receipt_info\":\"x\"}",
        ])
    func nothing(text: String) {
        #expect(throws: JSONError.self) { try VerifyReceiptResponse(Array(text.utf8)) }
    }

    @Test("A renewal outside the receipt is of the newest purchase, in any order of the list")
    func renewalOutside() throws {
        let purchases = [
            #"{"transaction_id":"1","original_transaction_id":"1","purchase_date_ms":"3000"}"#,
            #"{"transaction_id":"9","original_transaction_id":"9","purchase_date_ms":"3000"}"#,
            // Restored after its end.
            #"{"transaction_id":"5","original_transaction_id":"5","purchase_date_ms":"8000","#
                + #""expires_date_ms":"2000"}"#,
        ]
        for list in [purchases, purchases.reversed()] {
            let response = try VerifyReceiptResponse(
                Array(
                    #"{"status":0,"auto_renew_status":0,"latest_receipt_info":["#.utf8)
                    + Array("\(list.joined(separator: ","))]}".utf8))
            let chains = response.pendingRenewalInfo.map(\.originalTransactionId?.rawValue)
            #expect(chains == ["9"])
        }
    }

    @Test("An unknown status is kept")
    func unknownStatus() throws {
        let response = try VerifyReceiptResponse(Array("{\"status\":\"21150\"}".utf8))
        #expect(response.status.rawValue == 21150)
        #expect(response.status.value == nil)
        #expect(VerifyReceiptStatus.dataAccess.contains(21150))
    }
}
