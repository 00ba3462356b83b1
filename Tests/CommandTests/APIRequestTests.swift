import AppStore
import AppStoreAPI
import ArgumentParser
import LedgerTestSupport
import TestSupport
import Testing

@testable import subledger

/// A command of `api` whose request is sent without its ledger.
private protocol Sending {
    func send(over exchange: inout APIExchange) async throws
}

extension APICall: Sending {
    fileprivate func send(over exchange: inout APIExchange) async throws {
        try request.check()
        try await request.send(&exchange)
    }
}

@Suite("The requests of subledger api")
struct APIRequestTests {
    /// A command, and its expected request (App Store Server API).
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let method: String
        let target: String
        var body: String?

        init(_ arguments: String, _ method: String, _ target: String, body: String? = nil) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            (self.method, self.target, self.body) = (method, target, body)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let uuid = "758883e8-151b-47b7-abd0-60c4d804c2f5"
    private static let picture = "0a1b2c3d-151b-47b7-abd0-60c4d804c2f5"

    static let reading: [Case] = [
        Case(
            "statuses 2000 --status 1 --status 4", "GET",
            "/inApps/v1/subscriptions/2000?status=1&status=4"),
        Case(
            "history 2000 --from 1768046400000 --to 2026-02-01 --product a --product c"
                + " --type CONSUMABLE --group 77 --ownership PURCHASED --sort DESCENDING"
                + " --no-revoked --revision r1", "GET",
            "/inApps/v2/history/2000?revision=r1&startDate=1768046400000&endDate=1769904000000"
                + "&productId=a&productId=c&productType=CONSUMABLE&sort=DESCENDING"
                + "&subscriptionGroupIdentifier=77&inAppOwnershipType=PURCHASED&revoked=false"),
        Case(
            "notifications --from 1768046400000 --to 2026-02-01 --type EXPIRED"
                + " --subtype VOLUNTARY --only-failures", "POST",
            "/inApps/v1/notifications/history",
            body: """
                {"startDate":1768046400000,"endDate":1769904000000,"notificationType":"EXPIRED",\
                "notificationSubtype":"VOLUNTARY","onlyFailures":true}
                """),
        Case(
            "notifications --from 1768046400000 --to 2026-02-01 --id 2000", "POST",
            "/inApps/v1/notifications/history",
            body: """
                {"startDate":1768046400000,"endDate":1769904000000,"transactionId":"2000"}
                """),
        Case(
            "extend-status p \(uuid)", "GET", "/inApps/v1/subscriptions/extend/mass/p/\(uuid)"),
    ]

    static let changing: [Case] = [
        Case(
            "extend 2000 --days 30 --reason 3 --request-id r", "PUT",
            "/inApps/v1/subscriptions/extend/2000",
            body: #"{"extendByDays":30,"extendReasonCode":3,"requestIdentifier":"r"}"#),
        Case(
            "extend-all p --days 7 --reason 1 --request-id \(uuid)", "POST",
            "/inApps/v1/subscriptions/extend/mass",
            body: """
                {"requestIdentifier":"\(uuid)","extendByDays":7,"extendReasonCode":1,\
                "productId":"p"}
                """),
        Case(
            "extend-all p --days 7 --reason 1 --request-id \(uuid) --storefront USA"
                + " --storefront DEU", "POST", "/inApps/v1/subscriptions/extend/mass",
            body: """
                {"requestIdentifier":"\(uuid)","extendByDays":7,"extendReasonCode":1,\
                "productId":"p","storefrontCountryCodes":["USA","DEU"]}
                """),
        Case(
            "consumption 2000 --consented --delivery DELIVERED --percentage 50000"
                + " --refund GRANT_PRORATED", "PUT", "/inApps/v2/transactions/consumption/2000",
            body: """
                {"customerConsented":true,"sampleContentProvided":false,\
                "deliveryStatus":"DELIVERED","consumptionPercentage":50000,\
                "refundPreference":"GRANT_PRORATED"}
                """),
        Case(
            "consumption 2000 --consented --sample-provided --delivery UNDELIVERED_OTHER", "PUT",
            "/inApps/v2/transactions/consumption/2000",
            body: """
                {"customerConsented":true,"sampleContentProvided":true,\
                "deliveryStatus":"UNDELIVERED_OTHER"}
                """),
        Case(
            "set-app-account-token 2000 \(uuid)", "PUT",
            "/inApps/v1/transactions/2000/appAccountToken",
            body: #"{"appAccountToken":"\#(uuid)"}"#),
        Case("finish 2000", "POST", "/inApps/v1/transactions/2000/finish"),
    ]

    static let messaging: [Case] = [
        Case(
            "upload-message \(uuid) --header Stay --body More --image \(picture) --alt-text A"
                + " --header-position ABOVE_IMAGE --bullet B --bullet-image \(uuid)"
                + " --bullet-alt-text C --bullet D --bullet-image \(picture)"
                + " --bullet-alt-text E", "PUT", "/inApps/v1/messaging/message/\(uuid)",
            body: """
                {"header":"Stay","body":"More","image":{"imageIdentifier":"\(picture)",\
                "altText":"A"},"headerPosition":"ABOVE_IMAGE","bulletPoints":[{"text":"B",\
                "imageIdentifier":"\(uuid)","altText":"C"},{"text":"D",\
                "imageIdentifier":"\(picture)","altText":"E"}]}
                """),
        Case(
            "delete-message \(uuid)", "DELETE", "/inApps/v1/messaging/message/\(uuid)"),
        Case("delete-image \(uuid)", "DELETE", "/inApps/v1/messaging/image/\(uuid)"),
        Case(
            "set-default-message p en-US \(uuid)", "PUT",
            "/inApps/v1/messaging/default/p/en-US",
            body: #"{"messageIdentifier":"\#(uuid)"}"#),
        Case(
            "delete-default-message p en-US", "DELETE", "/inApps/v1/messaging/default/p/en-US"),
        Case(
            "set-realtime-url https://example.com/r", "PUT", "/inApps/v1/messaging/realtime/url",
            body: #"{"realtimeURL":"https://example.com/r"}"#),
        Case("delete-realtime-url", "DELETE", "/inApps/v1/messaging/realtime/url"),
    ]

    /// What a command sends to Apple, and the failure, since nothing answers.
    private func send(
        _ arguments: [String]
    ) async throws -> (sent: [TransportRequest], failure: APIFailure?) {
        let command = try Subledger.parseAsRoot(["api"] + arguments)
        let sending = try #require(command as? any Sending)
        let transport = SimulatedTransport()
        let client = AppStoreServerAPIClient(
            credentials: try TestAuthority.key.credentials(BundleId("com.example.app")),
            transport: transport, clock: ManualClock(AskedApple.now, sleeping: .advances),
            policy: RetryPolicy(attempts: 1))
        var exchange = APIExchange(client: client, choice: .only(.production))
        do {
            try await sending.send(over: &exchange)
            return (transport.sent, nil)
        } catch let failure as APIFailure { return (transport.sent, failure) }
    }

    private func check(_ given: Case, _ confirmation: [String] = []) async throws {
        let (sent, failure) = try await send(given.arguments + confirmation)
        #expect(failure?.code == .appleUnreachable)
        let request = try #require(sent.first)
        #expect(sent.count == 1 && request.method == given.method)
        #expect(request.url == "https://api.storekit.apple.com" + given.target)
        let body = request.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(body == given.body)
    }

    @Test("The options of a question are in its request", arguments: reading)
    func question(_ given: Case) async throws {
        try await check(given)
    }

    @Test("The options of a change are in its request", arguments: changing + messaging)
    func change(_ given: Case) async throws {
        try await check(given, ["--yes"])
    }

    @Test("An image is sent as it is in its file, with its use")
    func image() async throws {
        // given
        let directory = try TemporaryDirectory()
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x41]
        let file = try directory.write(png, to: "image.png")
        // when
        let (sent, _) = try await send(
            ["upload-image", Self.uuid, file, "--size", "BULLET_POINT", "--yes"])
        // then
        let target = "/inApps/v1/messaging/image/\(Self.uuid)?imageSize=BULLET_POINT"
        #expect(sent.map(\.url) == ["https://api.storekit.apple.com" + target])
        #expect(sent.first?.body == png)
    }

    @Test("Without --consented nothing about a consumption is sent")
    func noConsent() async throws {
        let (sent, failure) = try await send(
            ["consumption", "2000", "--delivery", "DELIVERED", "--yes"])
        #expect(failure?.code == .invalidRequest)
        #expect(sent.isEmpty)
    }
}
