import AppStore
import Examples
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import NIOCore
import Service
import Signing
import TestSupport
import Testing

@testable import Web

/// The examples of the pages, on genuine data where it is present.
@Suite("Examples")
struct ExampleTests {
    // MARK: Verifying

    private static let app = AppIdentity(
        bundleId: BundleId(Fixtures.subscriberApp), environment: .sandbox)

    @Test("A notification of another app, or changed, is refused", Fixtures.condition)
    func refused() throws {
        let signedPayload = try Fixtures.text(Fixtures.subscriber[0])
        let other = AppIdentity(bundleId: BundleId("com.example.app"), environment: .sandbox)
        let foreign = #expect(throws: VerificationError.self) {
            try summary(of: signedPayload, for: other)
        }
        #expect(foreign?.code == .wrongApp)
        let changed = String(signedPayload.dropLast(8)) + "AAAAAAAA"
        #expect(throws: VerificationError.self) {
            try summary(of: changed, for: ExampleTests.app)
        }
        #expect(throws: VerificationError.self) {
            try life(of: [signedPayload, changed], in: .sandbox)
        }
    }

    @Test("A notification that Apple signed is summed up", Fixtures.condition)
    func verified() throws {
        let text = try summary(
            of: Fixtures.text(Fixtures.subscriber[0]), for: ExampleTests.app)
        #expect(
            text == "DID_RENEW: com.getsession.org.pro_sub until 2025-10-01T07:12:12.000Z")
    }

    // MARK: Folding

    @Test("A subscriber's notifications give the life, in any order", Fixtures.condition)
    func folded() throws {
        let signedPayloads = try Fixtures.subscriber.map { try Fixtures.text($0) }
        let whole = try life(of: signedPayloads, in: .sandbox)
        #expect(
            changes(of: whole) == [
                "2025-10-01T07:08:38.835Z renewing, by 1",
                "2025-10-01T07:12:12.000Z renewing → expired, by 1",
                "2025-10-01T07:30:12.000Z expired → renewing, by 2",
                "2025-10-01T07:33:12.000Z renewing → expired, by 2",
                "2025-10-02T07:06:07.000Z expired → subscribed, by 3",
                "2025-10-02T07:09:07.000Z subscribed → expired, by 5",
                "2025-10-06T05:16:18.000Z expired → subscribed, by 6",
                "2025-10-06T05:16:30.000Z subscribed → renewing, by 7",
                "2025-10-06T05:19:30.000Z renewing → expired, by 7",
            ])
        // The example does not say when they arrived.
        #expect(!whole.notices.contains { $0.code == .lateDelivery })
        let reversed = try ExampleTests.states(signedPayloads.reversed())
        #expect(reversed == whole.transitions.map(\.to))
        let doubled = try ExampleTests.states(signedPayloads + signedPayloads)
        #expect(doubled == whole.transitions.map(\.to))
    }

    private static func states(_ signedPayloads: [String]) throws -> [ChainState] {
        try life(of: signedPayloads, in: .sandbox).transitions.map(\.to)
    }

    // MARK: Embedding

    private static let token = "support-token"
    private static let customer = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    @Test("Without tokens the ledger is not served inside another application")
    func unguarded() async throws {
        try await ServedPlace().listen { (_: Int, service: WebService) async throws in
            let error = #expect(throws: ConfigurationError.self) {
                _ = try service.responder(beside: Router().buildResponder())
            }
            #expect(error?.code == .missingKey)
            #expect(error?.key == "server.tokens")
        }
    }

    @Test("The paths that the page names are all that the ledger has")
    func paths() async throws {
        let place = try guarded()
        try await place.listen { (_: Int, service: WebService) async throws in
            let responder = try service.responder(beside: Router().buildResponder())
            #expect(
                responder.segments == [
                    "appstore", "console", "healthz", "mcp", "metrics", "openapi.yaml", "readyz",
                    "v1",
                ])
        }
    }

    /// The event loop of the connection.
    private struct LoopContext: RequestContext {
        var coreContext: CoreRequestContextStorage
        let loop: any EventLoop
        var place: String { loop.inEventLoop ? "loop" : "pool" }

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            loop = source.channel.eventLoop
        }
    }

    @Test("Routes of the application run outside the event loops, and delay no other connection")
    func offEventLoop() async throws {
        let place = try guarded()
        try await place.listen { (_: Int, service: WebService) async throws in
            let router = Router(context: LoopContext.self)
            router.get("answer") { _, context in context.place }
            router.get("stream") { _, context -> Response in
                Response(
                    status: .ok,
                    body: .init(contentLength: 4) { writer in
                        try await writer.write(ByteBuffer(string: context.place))
                        try await writer.finish(nil)
                    })
            }
            try await ExampleTests.serving(router, service).test(.live) { client in
                for path in ["/answer", "/stream"] {
                    let answer = try await ExampleTests.get(path, client)
                    #expect(String(buffer: answer.body) == "pool")
                    #expect(answer.headers[.contentLength] == "4")
                }
            }
        }
    }

    private static func serving<Context: RequestContext>(
        _ router: Router<Context>, _ service: WebService
    ) throws -> some ApplicationProtocol
    where Context: InitializableFromSource<ApplicationRequestContextSource> {
        Application(
            responder: try service.responder(beside: router.buildResponder()),
            server: service.connections,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: service.logger)
    }

    /// An error of the application.
    private struct OwnError: Error {}

    @Test("What the ledger throws in a route of the application is answered as under /v1")
    func ledgerErrors() async throws {
        let log = LogCodes()
        var place = try guarded()
        place.logger = log.logger
        try await place.listen { (_: Int, service: WebService) async throws in
            let router = Router()
            for method in [HTTPRequest.Method.get, .head] {
                router.on("xcode", method: method) { [host = service.host] _, _ in
                    try await host.entitlements(
                        of: CustomerId("a"), QueryScope(environment: .xcode))
                }
            }
            router.get("damaged") { _, _ -> String in
                throw StoreError(.fileCorrupt, reason: "Damaged.", remedy: "Repair it.")
            }
            router.get("own") { _, _ -> String in throw OwnError() }
            try await ExampleTests.serving(router, service).test(.live) { client in
                let unserved = WebClient.Answer(try await ExampleTests.get("/xcode", client))
                #expect(unserved.status == 404 && unserved.code == "environmentNotServed")
                let head = try await client.executeRequest(
                    uri: "/xcode", method: .head, headers: [:], body: nil)
                #expect(head.status == .notFound && head.body.readableBytes == 0)
                let damaged = WebClient.Answer(try await ExampleTests.get("/damaged", client))
                #expect(damaged.status == 500 && damaged.code == "fileCorrupt")
                let own = WebClient.Answer(try await ExampleTests.get("/own", client))
                #expect(own.status == 500 && own.bytes.isEmpty)
            }
        }
        #expect(log.metadata(of: "fileCorrupt").count == 1)
    }

    @Test("An application serves its own routes and the ledger's")
    func embedded() async throws {
        let place = try guarded()
        var made = MadePurchase(appAccountToken: ExampleTests.customer)
        // In its first period by the system's clock, which the application reads.
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        made.start = now.advanced(byMilliseconds: -MadePurchase.periodMilliseconds / 3)
        let purchase = made
        try await Gate.services.pass {
            let app = try await application(place.configuration, roots: TestAuthority.roots)
            try await app.test(.router) { client in
                try await ExampleTests.ask(client, about: purchase)
            }
        }
        #expect(FileManager.default.fileExists(atPath: place.directory.path))
    }

    private func guarded() throws -> ServedPlace {
        var place = try ServedPlace()
        place.configuration.server.tokens = [.init("support", secret: ExampleTests.token, [.read])]
        return place
    }

    private static func ask(
        _ client: any TestClientProtocol, about purchase: MadePurchase
    ) async throws {
        let elsewhere = try await get("/elsewhere", client)
        #expect(elsewhere.status == .notFound)
        let hello = try await get("/hello", client)
        #expect(String(buffer: hello.body) == "Hello")
        let ledger = WebClient(client: client)
        let path = "/v1/subscriptions/\(purchase.id)"
        let refused = try await ledger.get(path)
        #expect(refused.status == 401)
        let posted = try await ledger.notify(purchase.notificationBody())
        #expect(posted.status == 200)
        let shown = try await ledger.ask(
            "\(path)?minPosition=1", [.authorization: "Bearer \(token)"])
        #expect(shown.json["state"]?.string == "subscribed")
        for name in [customer, customer.replacing("-", with: "%2D")] {
            let access = WebClient.Answer(try await get("/access/\(name)", client))
            #expect(access.json["standing"]?.string == "active")
        }
        let undecodable = try await get("/access/%FF", client)
        #expect(undecodable.status == .badRequest)
        let metrics = try await ledger.get("/metrics", [.authorization: "Bearer \(token)"])
        let taken =
            #"subledger_intake_total{environment="production",result="appended",source="webhook"} 1"#
        #expect(metrics.text.contains("\n\(taken)\n"))
    }

    private static func get(
        _ path: String, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await client.executeRequest(uri: path, method: .get, headers: [:], body: nil)
    }
}
