import AppStore
import AppStoreAPI
import TestSupport
import Testing

@Suite("Responses published by Apple", Fixtures.condition)
struct ModelTests {
    /// One published response, read and written again by the type of its name.
    struct Case: Sendable, CustomTestStringConvertible {
        let file: String
        let rewrite: @Sendable ([UInt8]) throws -> (bytes: [UInt8], unknown: [String])

        init<Model: WireObject>(_ file: String, _ type: Model.Type) {
            self.file = file
            rewrite = { bytes in
                let model = try Model.decode(bytes)
                return (model.encoded(), model.unknownValues)
            }
        }

        var testDescription: String { file }
    }

    static let answers: [Case] = [
        Case("getAllSubscriptionStatusesResponse", StatusResponse.self),
        Case("transactionHistoryResponse", HistoryResponse.self),
        Case("transactionInfoResponse", TransactionInfoResponse.self),
        Case("appTransactionInfoResponse", AppTransactionInfoResponse.self),
        Case("lookupOrderIdResponse", OrderLookupResponse.self),
        Case("getRefundHistoryResponse", HistoryResponse.self),
        Case("extendSubscriptionRenewalDateResponse", ExtendRenewalDateResponse.self),
        Case(
            "extendRenewalDateForAllActiveSubscribersResponse",
            MassExtendRenewalDateResponse.self),
        Case(
            "getStatusOfSubscriptionRenewalDateExtensionsResponse",
            MassExtendRenewalDateStatusResponse.self),
        Case("getNotificationHistoryResponse", NotificationHistoryResponse.self),
        Case("requestTestNotificationResponse", SendTestNotificationResponse.self),
        Case("getTestNotificationStatusResponse", NotificationHistoryResponseItem.self),
        Case("getImageListResponse", ImageListResponse.self),
        Case("getMessageListResponse", MessageListResponse.self),
        Case("getDefaultMessageResponse", DefaultMessage.self),
        Case("getRealtimeUrlResponse", RealtimeURL.self),
        Case("performanceTestResponse", PerformanceTestResponse.self),
        Case("performanceTestResultResponse", PerformanceTestResult.self),
        Case("apiException", ErrorPayload.self),
        Case("apiTooManyRequestsException", ErrorPayload.self),
        Case("appTransactionDoesNotExistError", ErrorPayload.self),
        Case("familyTransactionNotSupportedError", ErrorPayload.self),
        Case("invalidAppAccountTokenUUIDError", ErrorPayload.self),
        Case("invalidTransactionIdError", ErrorPayload.self),
        Case("transactionIdNotFoundError", ErrorPayload.self),
        Case("transactionIdNotOriginalTransactionId", ErrorPayload.self),
    ]

    @Test("every member is known, and survives a round trip", arguments: answers)
    func answer(_ given: Case) throws {
        let bytes = try Fixtures.model(given.file)
        let read = try given.rewrite(bytes)
        #expect(read.unknown == [])
        #expect(
            try JSONValue.parse(read.bytes).canonical() == JSONValue.parse(bytes).canonical())
    }

    @Test("an unknown number is kept")
    func unknownNumber() throws {
        let read = try ErrorPayload.decode(Fixtures.model("apiUnknownError"))
        #expect(read.errorCode?.rawValue == 9_990_000)
        #expect(read.errorCode?.value == nil)
        #expect(read.unknownValues == ["errorCode"])
    }

    @Test("an unknown environment is kept")
    func unknownEnvironment() throws {
        let read = try HistoryResponse.decode(
            Fixtures.model("transactionHistoryResponseWithMalformedEnvironment"))
        #expect(read.environment?.rawValue == "LocalTestingxxx")
        #expect(read.unknownValues == ["environment"])
    }

    @Test("failures of a performance test may have a reason that is not known yet, and a number")
    func failures() throws {
        func read(_ failures: String) throws -> [String: Int64]? {
            try PerformanceTestResult.decode(Array("{\"failures\":\(failures)}".utf8)).failures
        }
        for wrong in ["[]", "{\"OTHER\":\"1\"}", "{\"OTHER\":null}", "{\"A\":1,\"A\":1}"] {
            #expect(throws: JSONError.self, "\(wrong)") { try read(wrong) }
        }
        #expect(try read("{}") == [:])
        #expect(try read("{\"OTHER\":2,\"NEW\":1}") == ["OTHER": 2, "NEW": 1])
    }

    @Test("a number written as a string is rejected")
    func wrongType() throws {
        let bytes = try Fixtures.model("transactionHistoryResponseWithMalformedAppAppleId")
        #expect(throws: JSONError.self) { try HistoryResponse.decode(bytes) }
    }
}
