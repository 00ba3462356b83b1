import AppStore
import HTTPTypes
import Hummingbird
import Intake
import Logging
import Service
import Testing

@testable import Web

@Suite("Tokens")
struct TokenTests {
    private func guarded(_ scopes: [Scope] = [.read]) throws -> ServedPlace {
        var place = try ServedPlace()
        place.configuration.server.tokens = [
            .init("one", [.write]), .init("secret-token", scopes), .init("three", [.admin]),
        ]
        return place
    }

    @Test("Only the token itself is accepted, once, with the scheme in any spelling")
    func spelling() async throws {
        let cases = [
            ("Bearer secret-token", 404), ("bearer secret-token", 404),
            ("BEARER  secret-token", 404), ("Bearer secret-toke", 401),
            ("Bearer secret-tokens", 401), ("Bearer Secret-token", 401), ("Bearer", 401),
            ("Bearer ", 401), ("Basic secret-token", 401), ("secret-token", 401), ("", 401),
        ]
        try await guarded().serve { (client: WebClient, _: LedgerHost) async throws in
            for (value, status) in cases {
                let answer = try await client.get("/v1/subscriptions/1", [.authorization: value])
                #expect(answer.status == status, "\(value)")
                guard status == 401 else { continue }
                #expect(answer.code == "unauthorized", "\(value)")
                #expect(
                    answer.headers[.wwwAuthenticate] == "Bearer realm=\"subledger\"", "\(value)")
            }
            // Two count as none.
            var headers = HTTPFields()
            headers.append(HTTPField(name: .authorization, value: "Bearer secret-token"))
            headers.append(HTTPField(name: .authorization, value: "Bearer secret-token"))
            #expect(try await client.get("/v1/events", headers).status == 401)
        }
    }

    @Test("Without a token nothing is revealed, not even whether something exists")
    func nothing() async throws {
        try await guarded().serve { (client: WebClient, host: LedgerHost) async throws in
            let service = try WebService(
                host: host, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            // Pages of the console lead to a form instead: `ConsoleAccessTests.signedOut`.
            let registered = Set(service.routes().routes.map(\.path.description))
                .filter { !ConsoleRoutes.isPage($0) }
            #expect(registered.count > 10)
            let unknown = [
                "/", "/v1", "/v1/", "/v1/none", "/none", "/metrics/none", "/healthz/none",
            ]
            for path in registered.sorted() + unknown {
                let uri = path.replacing(#/:\w+/#, with: "1")
                for method in TokenTests.methods where !TokenTests.isOpen(method, path) {
                    let answer = try await client.send(method, uri)
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(answer.headers[.allow] == nil, "\(method) \(path)")
                }
            }
        }
    }

    private static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .delete, .patch, .options, .trace]
        + ["QUERY", "PROPFIND", "get"].compactMap { HTTPRequest.Method($0) }

    /// The open routes of the contract, listed independently.
    private static func isOpen(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        switch path {
        case "/appstore/notifications", "/appstore/retention": method == .post
        case "/healthz", "/readyz", "/readyz/answers", "/openapi.yaml":
            methods.prefix(9).contains(method)
        default: false
        }
    }

    @Test("With any token, a missing path is reported as such; Apple and probes need none")
    func known() async throws {
        try await guarded([.write]).serve { (client: WebClient, _: LedgerHost) async throws in
            let headers: HTTPFields = [.authorization: "Bearer secret-token"]
            #expect(try await client.get("/v1/none", headers).status == 404)
            #expect(try await client.send(.put, "/v1/events", headers).status == 405)
            #expect(try await client.send(.post, "/healthz").status == 405)
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/readyz").status == 200)
            #expect(try await client.notify(MadePurchase().notificationBody()).status == 200)
        }
    }

    @Test("A scope opens its routes and no others")
    func scopes() async throws {
        var place = try ServedPlace()
        place.configuration.server.tokens = Scope.allCases.map { .init($0.rawValue, [$0]) }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for scope in Scope.allCases { try await TokenTests.ask(client, scope) }
        }
    }

    private static func ask(_ client: WebClient, _ scope: Scope) async throws {
        let headers: HTTPFields = [
            .authorization: "Bearer \(scope.rawValue)", .contentType: "application/json",
        ]
        let read = try await client.get("/v1/events", headers)
        #expect(read.status == ([.read, .support].contains(scope) ? 200 : 403), "\(scope)")
        let metrics = try await client.get("/v1/metrics/churn?from=2026-01-01", headers)
        #expect(metrics.status == ([.read, .reports].contains(scope) ? 200 : 403), "\(scope)")
        // Subscriptions, and so people.
        let chains = try await client.get(
            "/v1/metrics/churn/chains?from=2026-01-01&column=new", headers)
        #expect(chains.status == (scope == .read ? 200 : 403), "\(scope)")
        if scope != .read {
            let detail = chains.json["detail"]?.string
            #expect(detail?.hasSuffix(" read, or the scopes reports and support.") == true)
        }
        let feed = try await client.get("/metrics", headers)
        #expect(feed.status == (scope == .read ? 200 : 403), "\(scope)")
        let write = try await client.post("/v1/transactions", Array("{}".utf8), headers)
        #expect(write.status == (scope == .write ? 400 : 403), "\(scope)")
        if scope == .write { #expect(read.code == "insufficientScope") }
    }

    @Test("A token at the length limit is checked, a longer one is not", arguments: [0, 1])
    func length(excess: Int) throws {
        let text = String(repeating: "t", count: AccessTokens.maximumTokenByteCount + excess)
        let tokens = AccessTokens([.init(text, [.read])])
        #expect((tokens.principal(of: Array(text.utf8)) != nil) == (excess == 0))
    }

    @Test(
        "Without tokens the service listens on loopback only",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true),
            ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("example.com", false),
            ("128.0.0.1", false),
        ])
    func loopback(host: String, isAllowed: Bool) throws {
        var server = ServiceConfiguration.Server()
        server.host = host
        #expect((try? server.requireGuarded()) != nil || !isAllowed)
        if !isAllowed {
            #expect(throws: ConfigurationError.self) { try server.requireGuarded() }
        }
        server.tokens = [.init("t", [.read])]
        try server.requireGuarded()
    }
}
