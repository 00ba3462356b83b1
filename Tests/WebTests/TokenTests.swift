import AppStore
import HTTPTypes
import LedgerService
import Signing
import Testing

@testable import Web

@Suite("Tokens")
struct TokenTests {
    private func guarded(_ scopes: [Scope] = [.read]) throws -> ServedPlace {
        var place = try ServedPlace()
        place.configuration.server.tokens = [
            token("one", [.write]), token("secret-token", scopes), token("three", [.admin]),
        ]
        return place
    }

    private func token(_ text: String, _ scopes: [Scope]) -> Configuration.Server.Token {
        Configuration.Server.Token(
            name: text, digest: SHA256.hash(Array(text.utf8)).bytes, scopes: scopes)
    }

    @Test(
        "Only the token itself opens, by whatever spelling of the scheme",
        arguments: [
            ("Bearer secret-token", 404), ("bearer secret-token", 404),
            ("BEARER  secret-token", 404), ("Bearer secret-toke", 401),
            ("Bearer secret-tokens", 401), ("Bearer Secret-token", 401), ("Bearer", 401),
            ("Bearer ", 401), ("Basic secret-token", 401), ("secret-token", 401), ("", 401),
        ])
    func spelling(value: String, status: Int) async throws {
        try await guarded().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.get("/v1/subscriptions/1", [.authorization: value])
            #expect(answer.status == status)
            guard status == 401 else { return }
            #expect(answer.code == "unauthorized")
            #expect(answer.headers[.wwwAuthenticate] == "Bearer realm=\"subledger\"")
        }
    }

    @Test("Without a token nothing is told, not even whether something exists")
    func nothing() async throws {
        try await guarded().serve { (client: WebClient, _: LedgerHost) async throws in
            for path in ["/v1/events", "/v1/subscriptions/1/timeline", "/metrics"] {
                #expect(try await client.get(path).status == 401)
            }
            #expect(try await client.post("/v1/transactions", []).status == 401)
        }
    }

    @Test("Two tokens at once are none")
    func two() async throws {
        try await guarded().serve { (client: WebClient, _: LedgerHost) async throws in
            var headers = HTTPFields()
            headers.append(HTTPField(name: .authorization, value: "Bearer secret-token"))
            headers.append(HTTPField(name: .authorization, value: "Bearer secret-token"))
            #expect(try await client.get("/v1/events", headers).status == 401)
        }
    }

    @Test("A scope opens its routes and no others", arguments: Scope.allCases)
    func scopes(scope: Scope) async throws {
        try await guarded([scope]).serve { (client: WebClient, _: LedgerHost) async throws in
            let headers: HTTPFields = [
                .authorization: "Bearer secret-token", .contentType: "application/json",
            ]
            let read = try await client.get("/v1/events", headers)
            #expect(read.status == (scope == .read ? 200 : 403))
            let write = try await client.post("/v1/transactions", Array("{}".utf8), headers)
            #expect(write.status == (scope == .write ? 400 : 403))
            if scope != .read { #expect(read.code == "insufficientScope") }
        }
    }

    @Test("Apple, and those who ask whether the service lives, need none")
    func open() async throws {
        try await guarded().serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/readyz").status == 200)
            let answer = try await client.notify(MadePurchase().notificationBody())
            #expect(answer.status == 200)
        }
    }

    @Test("A token at the bound is looked at, a longer one is not", arguments: [0, 1])
    func length(excess: Int) throws {
        let text = String(repeating: "t", count: AccessTokens.maximumTokenByteCount + excess)
        let tokens = AccessTokens([token(text, [.read])])
        #expect((tokens.principal(of: Array(text.utf8)) != nil) == (excess == 0))
    }

    @Test(
        "Without tokens only loopback is listened on",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true),
            ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("example.com", false),
            ("128.0.0.1", false),
        ])
    func loopback(host: String, isAllowed: Bool) throws {
        var server = Configuration.Server()
        server.host = host
        #expect((try? server.requireGuarded()) != nil || !isAllowed)
        if !isAllowed {
            #expect(throws: ConfigurationError.self) { try server.requireGuarded() }
        }
        server.tokens = [token("t", [.read])]
        try server.requireGuarded()
    }
}
