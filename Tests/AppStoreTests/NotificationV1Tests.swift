import AppStore
import TestSupport
import Testing

@Suite("Version 1 notifications")
struct NotificationV1Tests {
    private func read(_ text: String) throws -> NotificationV1 {
        try NotificationV1(JSONValue.parse(Array(text.utf8)))
    }

    @Test("The published one with a unified receipt has all fields", Fixtures.condition)
    func unified() throws {
        let bytes = try Fixtures.bytes(
            "notifications-v1/004-DID_CHANGE_RENEWAL_STATUS-laravel-in-app-purchases.json")
        let notification = try NotificationV1(JSONValue.parse(bytes))
        #expect(notification.notificationType?.value == .didChangeRenewalStatus)
        #expect(notification.environment == "Sandbox")
        #expect(notification.bundleId == BundleId("com.twigano.fashion"))
        #expect(notification.transactions.count == 54)
        #expect(notification.pendingRenewalInfo.count == 1)
        #expect(notification.renewal.autoRenewStatus?.value == .off)
        #expect(notification.latestReceipt?.hasPrefix("MI") == true)
        #expect(
            notification.autoRenewStatusChangeDate == Timestamp(milliseconds: 1_606_293_002_000))
    }

    @Test("The published one of 2018 names its app inside the expired receipt", Fixtures.condition)
    func before2020() throws {
        let bytes = try Fixtures.bytes(
            "notifications-v1/002-INITIAL_BUY-laravel-appstore-notifications.json")
        let notification = try NotificationV1(JSONValue.parse(bytes))
        #expect(notification.notificationType?.value == .initialBuy)
        #expect(notification.bundleId == BundleId("com.example.app.ios"))
        #expect(notification.transactions.count == 1)
        #expect(notification.transactions[0].transactionId == TransactionId("1000000577069202"))
        // An end in milliseconds in a member documented as text.
        #expect(
            notification.transactions[0].expiresDate == Timestamp(milliseconds: 1_570_607_006_000))
        #expect(notification.renewal.autoRenewStatus?.value == .off)
    }

    @Test("A failure to renew has the date of the period's end, not of its start")
    func failureDate() throws {
        let body = """
            {"notification_type":"TYPE","unified_receipt":{"latest_receipt_info":[
            {"purchase_date_ms":"1000","expires_date_ms":"5000"}]}}
            """
        let failed = try read(body.replacing("TYPE", with: "DID_FAIL_TO_RENEW"))
        #expect(failed.latestPast == Timestamp(milliseconds: 5000))
        let renewed = try read(body.replacing("TYPE", with: "DID_RENEW"))
        #expect(renewed.latestPast == Timestamp(milliseconds: 1000))
    }

    @Test("It is the end of the newest purchase, not of the one it replaced, nor of a late copy")
    func failureOfUpgrade() throws {
        let failed = try read(
            """
            {"notification_type":"DID_FAIL_TO_RENEW","unified_receipt":{"latest_receipt_info":[
            {"purchase_date_ms":"1000","expires_date_ms":"90000","is_upgraded":"true"},
            {"purchase_date_ms":"2000","expires_date_ms":"5000"},{"purchase_date_ms":"3000"},
            {"purchase_date_ms":"4000","expires_date_ms":"1500"}]}}
            """)
        #expect(failed.latestPast == Timestamp(milliseconds: 5000))
    }

    @Test("An unknown type is kept")
    func unknownType() throws {
        let type = try read("{\"notification_type\":\"LATER\"}").notificationType
        #expect(type?.rawValue == "LATER")
        #expect(type?.value == nil)
    }

    // MARK: The password

    @Test("The password is found at any place")
    func password() throws {
        let body = Array(
            "{ \"a\":{\"password\":\"inner\"}, \"password\" : \"h\\u0075sh\" ,\"b\":[1]}".utf8)
        let password = try #require(try NotificationV1.head(of: body).password)
        #expect(password.text == "hush")
        #expect(Array(body[password.range]) == Array("\"h\\u0075sh\"".utf8))
    }

    @Test("A duplicate password, or one of another type, is rejected")
    func noPassword() throws {
        let twice = Array("{\"password\":\"a\",\"password\":\"b\"}".utf8)
        #expect(throws: JSONError.self) { try NotificationV1.head(of: twice) }
        let number = try NotificationV1.head(of: Array("{\"password\":1}".utf8)).password
        #expect(number?.text == nil)
        #expect(try NotificationV1.head(of: Array("{\"a\":1}".utf8)).password == nil)
        #expect(throws: JSONError.self) { try NotificationV1.head(of: Array("[]".utf8)) }
    }

    @Test(
        "The app is the body's, else the receipt's; other types name none",
        arguments: [
            (#"{"bid":"a","latest_receipt_info":{"bid":"b"}}"#, "a"),
            (
                #"{"latest_expired_receipt_info":{"bid":"c"},"latest_receipt_info":{"bid":"b"}}"#,
                "b"
            ),
            (#"{"latest_expired_receipt_info":{"x":1,"bid":"c"}}"#, "c"),
            (#"{"latest_receipt_info":[{"bid":"b"}]}"#, nil), (#"{"bid":{"bid":"a"}}"#, nil),
            (#"{"unified_receipt":{"bid":"a"}}"#, nil), ("{}", nil),
        ] as [(String, String?)])
    func app(text: String, expected: String?) throws {
        #expect(try NotificationV1.head(of: Array(text.utf8)).bundleId?.rawValue == expected)
    }

    @Test("A duplicate key of the inner receipt is rejected, too")
    func innerTwice() {
        let text = #"{"latest_receipt_info":{"bid":"a","bid":"b"}}"#
        #expect(throws: JSONError.self) { try NotificationV1.head(of: Array(text.utf8)) }
    }

    @Test(
        "The environment is the body's, else that of the receipt inside",
        arguments: [
            (#"{"environment":"PROD","unified_receipt":{"environment":"Sandbox"}}"#, "PROD"),
            (#"{"unified_receipt":{"environment":"Sandbox"}}"#, "Sandbox"), ("{}", nil),
        ] as [(String, String?)])
    func environment(text: String, expected: String?) throws {
        #expect(try read(text).environment == expected)
    }
}
