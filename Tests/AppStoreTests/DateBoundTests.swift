import AppStore
import Testing

@Suite("Dates are bounded to the years 1 to 9999")
struct DateBoundTests {
    private static let earliest = Timestamp.earliest.milliseconds
    private static let latest = Timestamp.latest.milliseconds

    private func payload(_ milliseconds: Int64) -> [UInt8] {
        Array("{\"signedDate\":\(milliseconds)}".utf8)
    }

    @Test("Dates at the bounds are accepted unchanged", arguments: [earliest, latest])
    func within(_ milliseconds: Int64) throws {
        let date = Timestamp(milliseconds: milliseconds)
        #expect(date.isInRange && date.clamped == date)
        #expect(try TransactionPayload.decode(payload(milliseconds)).signedDate == date)
        let stored = try TransactionPayload.decode(payload(milliseconds), clampsDates: true)
        #expect(stored.signedDate == date)
    }

    @Test(
        "One past them is rejected by field; in a log it is read as the nearest",
        arguments: [
            (earliest - 1, earliest), (latest + 1, latest), (Int64.min, earliest),
            (.max, latest), (-.max, earliest),
        ])
    func beyond(_ milliseconds: Int64, _ nearest: Int64) throws {
        let error = #expect(throws: JSONError.self) {
            try TransactionPayload.decode(payload(milliseconds))
        }
        #expect(error?.code == .numberOutOfRange)
        #expect(error?.field == "signedDate")
        let stored = try TransactionPayload.decode(payload(milliseconds), clampsDates: true)
        #expect(stored.signedDate == Timestamp(milliseconds: nearest))
        #expect(try RenewalPayload.decodeUnlessNull(Array("null".utf8), clampsDates: true) == nil)
        let renewal = try RenewalPayload.decodeUnlessNull(payload(milliseconds), clampsDates: true)
        #expect(renewal?.signedDate == Timestamp(milliseconds: nearest))
    }

    @Test("A nested date is bounded, too")
    func nested() throws {
        let info = "{\"commitmentInfo\":{\"commitmentExpiresDate\":\(Int64.max)}}"
        #expect(throws: JSONError.self) { try TransactionPayload.decode(Array(info.utf8)) }
        let stored = try TransactionPayload.decode(Array(info.utf8), clampsDates: true)
        #expect(stored.commitmentInfo?.commitmentExpiresDate == .latest)
    }

    @Test(
        "Bodies of original StoreKit have the same bounds",
        arguments: ["\"%\"", "%"], ["expires_date_ms", "expires_date"])
    func bodies(_ form: String, _ key: String) throws {
        func body(_ milliseconds: Int64) -> [UInt8] {
            let value = form.replacing("%", with: "\(milliseconds)")
            return Array("{\"status\":0,\"receipt\":{\"in_app\":[{\"\(key)\":\(value)}]}}".utf8)
        }
        let within = try VerifyReceiptResponse(body(Self.latest))
        #expect(within.transactions.first?.expiresDate == .latest)
        for milliseconds in [Self.latest + 1, .max] {
            let error = #expect(throws: JSONError.self) {
                try VerifyReceiptResponse(body(milliseconds))
            }
            #expect(error?.code == .numberOutOfRange)
            #expect(error?.field == key.replacing("_ms", with: "") || error?.field == key)
            let stored = try VerifyReceiptResponse(body(milliseconds), clampsDates: true)
            #expect(stored.transactions.first?.expiresDate == .latest)
        }
    }

    @Test("So do the lists in version 1 notifications")
    func versionOne() throws {
        let text = """
            {"notification_type":"CANCEL","cancellation_date_ms":"\(Int64.max)",
             "unified_receipt":{"latest_receipt_info":[{"purchase_date_ms":"\(Int64.max)"}]}}
            """
        let body = try JSONValue.parse(Array(text.utf8))
        #expect(throws: JSONError.self) { try NotificationV1(body) }
        let stored = try NotificationV1(body, clampsDates: true)
        #expect(stored.cancellationDate == .latest)
        #expect(stored.transactions.first?.purchaseDate == .latest)
    }

    @Test("Text dates a year or a day past the bounds are read as the nearest")
    func texts() throws {
        let text = """
            {"status":0,"receipt":{"in_app":[{"purchase_date":"0000-01-01 00:00:00 Etc/GMT",
             "expires_date":"9999-12-31T23:59:59-23:59"}]}}
            """
        let purchase = try VerifyReceiptResponse(Array(text.utf8)).transactions.first
        #expect(purchase?.purchaseDate == .earliest)
        #expect(purchase?.expiresDate == .latest)
    }
}
