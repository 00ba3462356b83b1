import AppStore
import Signing
import Simulator
import Testing

@testable import AppStoreAPI

@Suite("Requests of the App Store Server API")
struct RequestTests {
    /// A response without data that has every member any response needs.
    static let nothing =
        "{\"hasMore\":false,\"notificationHistory\":[],\"signedTransactions\":[],\"data\":[],"
        + "\"signedTransactionInfo\":\"x\",\"success\":true,"
        + "\"imageIdentifiers\":[],\"messageIdentifiers\":[]}"

    /// One endpoint, and its expected request (App Store Server API).
    struct Case: Sendable, CustomTestStringConvertible {
        let endpoint: Endpoint
        let method: String
        let target: String
        var body: String?
        var answer = RequestTests.nothing
        var host = "api.storekit.apple.com"
        let ask: @Sendable (AppStoreServerAPIClient) async throws -> Void

        var contentType: String? {
            guard body != nil else { return nil }
            return endpoint == .uploadImage ? "image/png" : "application/json"
        }

        var testDescription: String { "\(endpoint.name) \(target)" }
    }

    static let reading: [Case] = [
        Case(
            endpoint: .allSubscriptionStatuses, method: "GET",
            target: "/inApps/v1/subscriptions/2000?status=1&status=4"
        ) {
            _ = try await $0.allSubscriptionStatuses(
                "2000", statuses: [Raw(.active), Raw(.billingGracePeriod)],
                in: .only(.production))
        },
        Case(endpoint: .transactionHistory, method: "GET", target: "/inApps/v2/history/2000") {
            _ = try await $0.transactionHistory("2000", in: .only(.production))
        },
        Case(
            endpoint: .transactionHistory, method: "GET",
            target: "/inApps/v2/history/2000?revision=r%3D%2F1&startDate=5&endDate=7"
                + "&productId=a%20b&productId=c&productType=CONSUMABLE&sort=DESCENDING"
                + "&subscriptionGroupIdentifier=77&inAppOwnershipType=PURCHASED&revoked=false"
        ) {
            var request = TransactionHistoryRequest()
            request.startDate = Timestamp(milliseconds: 5)
            request.endDate = Timestamp(milliseconds: 7)
            request.productIds = [ProductId("a b"), ProductId("c")]
            request.productTypes = [Raw(.consumable)]
            request.sort = Raw(.descending)
            request.subscriptionGroupIdentifiers = [SubscriptionGroupIdentifier("77")]
            request.inAppOwnershipType = Raw(.purchased)
            request.revoked = false
            _ = try await $0.transactionHistory(
                "2000", request, revision: "r=/1", in: .only(.production))
        },
        Case(endpoint: .transactionInfo, method: "GET", target: "/inApps/v1/transactions/2000") {
            _ = try await $0.transactionInfo("2000", in: .only(.production))
        },
        Case(
            endpoint: .transactionInfo, method: "GET",
            target: "/inApps/v1/transactions/..%2Fv1%3Fx"
        ) { _ = try await $0.transactionInfo("../v1?x", in: .only(.production)) },
        Case(
            endpoint: .appTransactionInfo, method: "GET",
            target: "/inApps/v1/transactions/appTransactions/70"
        ) { _ = try await $0.appTransactionInfo("70", in: .only(.production)) },
        Case(endpoint: .orderLookup, method: "GET", target: "/inApps/v1/lookup/MK1") {
            _ = try await $0.orderLookup("MK1")
        },
        Case(
            endpoint: .refundHistory, method: "GET",
            target: "/inApps/v2/refund/lookup/2000?revision=q"
        ) { _ = try await $0.refundHistory("2000", revision: "q", in: .only(.production)) },
        Case(
            endpoint: .massExtendRenewalDateStatus, method: "GET",
            target: "/inApps/v1/subscriptions/extend/mass/com.example.pro/u-1"
        ) {
            _ = try await $0.massExtendRenewalDateStatus(
                product: ProductId("com.example.pro"), requestIdentifier: "u-1", in: .production)
        },
        Case(
            endpoint: .notificationHistory, method: "POST",
            target: "/inApps/v1/notifications/history?paginationToken=t",
            body: """
                {"startDate":1,"endDate":2,"notificationType":"EXPIRED",\
                "notificationSubtype":"VOLUNTARY","onlyFailures":true}
                """
        ) {
            var request = NotificationHistoryRequest()
            request.startDate = Timestamp(milliseconds: 1)
            request.endDate = Timestamp(milliseconds: 2)
            request.notificationType = Raw(.expired)
            request.notificationSubtype = Raw(.voluntary)
            request.onlyFailures = true
            _ = try await $0.notificationHistory(request, paginationToken: "t", in: .production)
        },
        Case(
            endpoint: .testNotificationStatus, method: "GET",
            target: "/inApps/v1/notifications/test/tok_1"
        ) { _ = try await $0.testNotificationStatus("tok_1", in: .production) },
    ]

    static let changing: [Case] = [
        Case(
            endpoint: .extendRenewalDate, method: "PUT",
            target: "/inApps/v1/subscriptions/extend/2000",
            body: "{\"extendByDays\":90,\"extendReasonCode\":3,\"requestIdentifier\":\"r\"}"
        ) {
            _ = try await $0.extendRenewalDate(
                OriginalTransactionId("2000"), days: 90, reason: Raw(.serviceIssueOrOutage),
                requestIdentifier: "r", in: .only(.production))
        },
        Case(
            endpoint: .massExtendRenewalDate, method: "POST",
            target: "/inApps/v1/subscriptions/extend/mass",
            body: """
                {"requestIdentifier":"758883e8-151b-47b7-abd0-60c4d804c2f5","extendByDays":1,\
                "extendReasonCode":1,"productId":"p","storefrontCountryCodes":["USA"]}
                """
        ) {
            _ = try await $0.massExtendRenewalDate(
                ProductId("p"), days: 1, reason: Raw(.customerSatisfaction),
                requestIdentifier: "758883e8-151b-47b7-abd0-60c4d804c2f5", storefronts: ["USA"],
                in: .production)
        },
        Case(
            endpoint: .requestTestNotification, method: "POST",
            target: "/inApps/v1/notifications/test"
        ) { _ = try await $0.requestTestNotification(in: .production) },
        Case(
            endpoint: .sendConsumptionInformation, method: "PUT",
            target: "/inApps/v2/transactions/consumption/2000",
            body: """
                {"customerConsented":true,"sampleContentProvided":false,\
                "deliveryStatus":"DELIVERED","consumptionPercentage":50000,\
                "refundPreference":"GRANT_PRORATED"}
                """
        ) {
            _ = try await $0.sendConsumptionInformation(
                TransactionId("2000"), consumption(), in: .only(.production))
        },
        Case(
            endpoint: .setAppAccountToken, method: "PUT",
            target: "/inApps/v1/transactions/2000/appAccountToken",
            body: "{\"appAccountToken\":\"7389a31a-fb6d-4569-a2a6-db7d85d84813\"}"
        ) {
            _ = try await $0.setAppAccountToken(
                OriginalTransactionId("2000"), "7389a31a-fb6d-4569-a2a6-db7d85d84813",
                in: .only(.production))
        },
        Case(
            endpoint: .finishTransaction, method: "POST",
            target: "/inApps/v1/transactions/2000/finish"
        ) { _ = try await $0.finishTransaction(TransactionId("2000"), in: .only(.production)) },
    ]

    /// Requests an extension of one subscription.
    @discardableResult
    static func extend(
        _ asked: Asked, days: Int64 = 1, _ requestIdentifier: String = "r"
    ) async throws -> APIResponse<ExtendRenewalDateResponse> {
        try await asked.client.extendRenewalDate(
            OriginalTransactionId("1"), days: days, reason: Raw(.serviceIssueOrOutage),
            requestIdentifier: requestIdentifier, in: .only(.production))
    }

    static func consumption() -> ConsumptionRequest {
        var request = ConsumptionRequest()
        request.customerConsented = true
        request.sampleContentProvided = false
        request.deliveryStatus = Raw(.delivered)
        request.consumptionPercentage = 50_000
        request.refundPreference = Raw(.grantProrated)
        return request
    }

    @Test(
        "method, path, query, body and headers are Apple's",
        arguments: reading + changing + messaging)
    func request(_ given: Case) async throws {
        let asked = try Asked([.json(given.answer)])
        try await given.ask(asked.client)
        let request = try #require(asked.transport.requests.first)
        #expect(asked.transport.requests.count == 1)
        #expect(request.method == given.method)
        #expect(request.target == given.target)
        #expect(request.host == given.host)
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == given.body)
        #expect(request.header("authorization")?.hasPrefix("Bearer ey") == true)
        #expect(request.header("content-type") == given.contentType)
    }

    @Test("every endpoint has a request here")
    func complete() {
        let cases = RequestTests.reading + RequestTests.changing + RequestTests.messaging
        let tried = Set(cases.map(\.endpoint))
        // verifyReceipt has a client of its own.
        #expect(tried == Set(Endpoint.allCases).subtracting([.verifyReceipt]))
    }

    @Test("an invalid id never becomes a path", arguments: ["", ".", "..", "a\nb", "é"])
    func unusableId(_ id: String) async throws {
        let asked = try Asked([.json(RequestTests.nothing)])
        let failure = await Asked.failure {
            _ = try await asked.client.transactionInfo(id, in: .productionFirst)
        }
        #expect(failure?.code == .invalidRequest)
        #expect(asked.transport.requests.isEmpty)
    }

    @Test("the longest id is sent, one character more is not")
    func longestId() async throws {
        let asked = try Asked([.json(RequestTests.nothing)])
        let longest = String(repeating: "1", count: APILimits.idByteCount)
        _ = try await asked.client.transactionInfo(longest, in: .productionFirst)
        let failure = await Asked.failure {
            _ = try await asked.client.transactionInfo(longest + "1", in: .productionFirst)
        }
        #expect(failure?.code == .invalidRequest)
        #expect(asked.transport.requests.count == 1)
    }

    @Test("consumption data that Apple forbids is rejected")
    func consumptionRules() async throws {
        let asked = try Asked([.json("")])
        var wrong: [ConsumptionRequest] = []
        for change: (inout ConsumptionRequest) -> Void in [
            { $0.customerConsented = false }, { $0.customerConsented = nil },
            { $0.deliveryStatus = nil }, { $0.sampleContentProvided = nil },
            { $0.deliveryStatus = Raw(.undeliveredOther) },
            { $0.consumptionPercentage = 100_000 }, { $0.consumptionPercentage = 0 },
        ] {
            var request = RequestTests.consumption()
            change(&request)
            wrong.append(request)
        }
        for request in wrong {
            let failure = await Asked.failure {
                _ = try await asked.client.sendConsumptionInformation(
                    TransactionId("1"), request, in: .productionFirst)
            }
            #expect(failure?.code == .invalidRequest)
        }
        #expect(asked.transport.requests.isEmpty)
    }

    @Test("the token is Apple's: header, claims and five minutes")
    func token() throws {
        let tokens = TokenSource(try Asked.credentials())
        let token = try tokens.token(at: Asked.start)
        let parsed = try CompactJWS(parsing: Array(token.utf8))
        let header = try JSONValue.parse(Base64.url.decode(parsed.headerSegment) ?? [])
        #expect(header["alg"]?.string == "ES256")
        #expect(header["kid"]?.string == Asked.key.keyId)
        #expect(header["typ"]?.string == "JWT")
        let claims = try JSONValue.parse(parsed.payload)
        let seconds = Asked.start.milliseconds / 1_000
        #expect(claims["iss"]?.string == Asked.key.issuerId)
        #expect(claims["iat"]?.int64 == seconds)
        #expect(claims["exp"]?.int64 == seconds + 300)
        #expect(claims["aud"]?.string == "appstoreconnect-v1")
        #expect(claims["bid"]?.string == Asked.app.rawValue)
    }

    @Test("a token is used until its margin, then replaced")
    func tokenReuse() throws {
        let tokens = TokenSource(try Asked.credentials())
        let first = try tokens.token(at: Asked.start)
        let lasting =
            (APILimits.tokenLifeSeconds - APILimits.tokenMarginSeconds) * 1_000 - 1
        #expect(
            try tokens.token(at: Asked.start.advanced(byMilliseconds: lasting)) == first)
        #expect(
            try tokens.token(at: Asked.start.advanced(byMilliseconds: lasting + 1)) != first)
    }

    @Test("credentials are not printed")
    func secrecy() throws {
        let credentials = try Asked.credentials()
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains(Asked.key.keyId))
            #expect(!text.contains(Asked.key.issuerId))
        }
    }

    @Test("keys that are not P-256 are rejected")
    func badKeys() throws {
        #expect(throws: APICredentials.Problem.noPrivateKey) {
            try APICredentials(keyId: "k", issuerId: "i", bundleId: Asked.app, pem: [1, 2])
        }
        let other = try PrivateKey(generating: .p384).pem()
        #expect(throws: APICredentials.Problem.wrongCurve) {
            try APICredentials(keyId: "k", issuerId: "i", bundleId: Asked.app, pem: other)
        }
        #expect(throws: APICredentials.Problem.unusableId) {
            try APICredentials(
                keyId: "", issuerId: "i", bundleId: Asked.app, pem: Asked.key.pem)
        }
    }
}
