import AppStore
import HTTPTypes
import HummingbirdTesting
import Ledger
import LedgerStore
import Projection
import Signing
import Testing

@testable import Service
@testable import Web

@Suite("Who may see and do what in the console")
struct ConsoleAccessTests {
    private static let home = "/console/production"

    private static func form(_ fields: [(String, String)]) -> [UInt8] {
        let pairs = fields.map { name, value in
            "\(name)="
                + value.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    func place(_ scopes: [Scope]) throws -> ServedPlace {
        var place = try ServedPlace()
        place.configuration.server.tokens = [.init("sara", secret: "secret", scopes)]
        return place
    }

    /// The cookie of a session that was started with the token.
    static func signIn(_ client: WebClient, _ token: String = "secret") async throws
        -> String?
    {
        let answer = try await client.submit(
            "/console/sign-in", form([("token", token), ("next", home)]))
        return answer.headers[.setCookie].map { String($0.prefix { $0 != ";" }) }
    }

    @Test("Without a session every page leads to the form, and a wrong token starts none")
    func signedOut() async throws {
        try await place([.read]).serve { (client: WebClient, _: LedgerHost) async throws in
            for path in [
                "", "/customers/ann", "/events/1", "/reports", "/intake", "/audit", "/live",
                // No route has these.
                "/customers", "/nope", "/nope/at/all",
            ] {
                let answer = try await client.get(ConsoleAccessTests.home + path)
                #expect(
                    answer.status == 303
                        && answer.headers[.location]?.hasPrefix("/console/sign-in?next=") ?? false)
            }
            #expect(try await ConsoleAccessTests.signIn(client, "wrong") == nil)
            let counted = try await client.get(
                "/metrics", [.authorization: "Bearer secret"])
            #expect(
                counted.text.contains(
                    "subledger_authentication_failures_total{reason=\"unknownToken\"} 1\n"))
            let cookie = HTTPFields([HTTPField(name: .cookie, value: "subledger=made-up")])
            #expect(try await client.get(ConsoleAccessTests.home, cookie).status == 303)
        }
    }

    @Test("A session shows pages until it is ended, and its cookie is bound to this host")
    func signedIn() async throws {
        try await place([.read]).serve { (client: WebClient, _: LedgerHost) async throws in
            let start = try await client.submit(
                "/console/sign-in", ConsoleAccessTests.form([("token", "secret")]))
            let set = try #require(start.headers[.setCookie])
            for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
                #expect(set.contains(part))
            }
            let cookie: HTTPFields = [.cookie: String(set.prefix { $0 != ";" })]
            let page = try await client.get(ConsoleAccessTests.home, cookie)
            #expect(page.status == 200 && page.headers[.cacheControl] == "no-store")
            // Cookies count for pages only.
            #expect(try await client.get("/v1/events", cookie).status == 401)
            _ = try await client.send(
                .post, "/console/sign-out", WebClient.formFields(cookie), [])
            #expect(try await client.get(ConsoleAccessTests.home, cookie).status == 303)
            // Once more leads to the form, and not back to signing out.
            let again = try await client.submit("/console/sign-out", "".utf8)
            #expect(again.status == 303 && again.headers[.location] == "/console/sign-in")
        }
    }

    @Test("A page loads its own files alone, and nothing inline but its style sheet, by hash")
    func policy() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let page = try await client.get(ConsoleAccessTests.home)
            let style = try #require(page.text.split(separator: "<style>").dropFirst().first)
            let text = try #require(style.split(separator: "</style>").first)
            let digest = SHA256.hash(Array(text.utf8))
            let hash = String(decoding: Base64.standard.encode(digest.bytes), as: UTF8.self)
            let policy = """
                default-src 'none'; script-src 'self'; style-src 'sha256-\(hash)'; \
                img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                base-uri 'none'
                """
            #expect(page.headers[.contentSecurityPolicy] == policy)
            #expect(!page.text.contains(" style=") && !page.text.contains("stylesheet"))
        }
    }

    @Test("A viewer of the log or of intake alone has live pages until signing out")
    func live() async throws {
        var place = try place([])
        place.configuration.server.tokens = [Scope.support, .admin].map { .init($0.rawValue, [$0]) }
        try await place.serve(.live) { (client: WebClient, _: LedgerHost) async throws in
            let port = try #require(client.client.port)
            for name in [Scope.support, .admin].map(\.rawValue) {
                let cookie = try #require(try await ConsoleAccessTests.signIn(client, name))
                try await StreamReader.open(
                    port: port, "\(ConsoleAccessTests.home)/live", headers: ["Cookie: \(cookie)"]
                ) { (stream: StreamReader) async throws in
                    #expect(await stream.wait(for: "data: 0\n\n"))
                    _ = try await client.send(
                        .post, "/console/sign-out", WebClient.formFields([.cookie: cookie]), [])
                    #expect(await stream.wait(for: LivePageTests.lastChunk))
                }
            }
        }
    }

    private static let userField = HTTPField.Name("X-Forwarded-User")!

    /// A place whose every client is a trusted proxy.
    private func proxied(_ scopes: [Scope]) throws -> ServedPlace {
        var place = try place([.read, .write])
        place.configuration.server.proxyUsers = ServiceConfiguration.Server.ProxyUsers(
            header: "X-Forwarded-User", scopes: scopes)
        place.configuration.server.trustedProxies = [
            try #require(NetworkRange("127.0.0.0/8")), try #require(NetworkRange("::1/128")),
        ]
        return place
    }

    @Test("A name of a proxy that no decision can carry, or that a token has, does not count")
    func proxyNames() async throws {
        let cases = [
            ("Zoë", 200), ("sara", 303), ("an\u{85}n", 303), ("an\u{FFFD}n", 303),
        ]
        try await proxied([.support]).serve(.live) {
            (client: WebClient, _: LedgerHost) async throws in
            for (name, status) in cases {
                let page = try await client.get(
                    ConsoleAccessTests.home, [ConsoleAccessTests.userField: name])
                #expect(page.status == status, "\(name)")
            }
        }
    }

    @Test("A proxy's user decides under that name alone, by forms of this service only")
    func proxyDecision() async throws {
        let path = "\(ConsoleAccessTests.home)/customers/ann/note"
        let body = ConsoleAccessTests.form([("key", "k"), ("reason", "r"), ("actor", "mallory")])
        try await proxied([.support, .write]).serve(.live) {
            (client: WebClient, host: LedgerHost) async throws in
            // A session beside it changes nothing.
            let session = try #require(try await ConsoleAccessTests.signIn(client))
            var fields = WebClient.formFields([.cookie: session])
            fields[ConsoleAccessTests.userField] = "bob@example.com"
            let log = try host.ledger(.production).ledger.log
            var foreign = fields
            foreign[.fetchSite] = "cross-site"
            #expect(try await client.send(.post, path, foreign, body).status == 403)
            #expect(try await log.head().position == 0)
            #expect(try await client.send(.post, path, fields, body).status == 303)
            let event = try #require(try await log.event(at: 1))
            let text = String(decoding: try event.originalBytes() ?? [], as: UTF8.self)
            #expect(text.contains("bob@example.com"))
            #expect(!text.contains("mallory") && !text.contains("sara"))
        }
    }

    @Test("A trusted proxy names its user once; elsewhere the header signs no user in")
    func proxyUsers() async throws {
        let users = ServiceConfiguration.Server.ProxyUsers(
            header: "X-Forwarded-User", scopes: [.support])
        let header = try #require(HTTPField.Name("X-Forwarded-User"))
        let user: HTTPFields = [header: "ann@example.com"]
        for network in ["10.0.0.0/8", "127.0.0.0/8"] {
            var place = try place([.read])
            place.configuration.server.proxyUsers = users
            place.configuration.server.trustedProxies = [try #require(NetworkRange(network))]
            try await place.serve(.live) { (client: WebClient, _: LedgerHost) async throws in
                let home = ConsoleAccessTests.home
                #expect(try await client.get(home).status == 303)
                let page = try await client.get(home, user)
                #expect(page.status == (network == "127.0.0.0/8" ? 200 : 303))
                // The header counts for pages only.
                #expect(try await client.get("/v1/events", user).status == 401)
                guard page.status == 200 else { return }
                let text = page.text
                #expect(text.contains("<bdi>ann@example.com</bdi>") && !text.contains("sign-out"))
                #expect(try await client.get("\(home)/reports", user).status == 403)
                var twice = user
                twice.append(HTTPField(name: header, value: "bob"))
                #expect(try await client.get(home, twice).status == 303)
                let long = String(repeating: "a", count: CommandLimits.actorByteCount)
                #expect(try await client.get(home, [header: long]).status == 200)
                #expect(try await client.get(home, [header: long + "a"]).status == 303)
            }
        }
    }

    @Test("A form sent after its session ended shows what was typed, once, and decides nothing")
    func endedSession() async throws {
        let path = "\(ConsoleAccessTests.home)/customers/ann/grant"
        let fields = [("key", "k7"), ("reason", "ticket 7"), ("entitlement", "pro")]
        var place = try place([.read, .write])
        place.configuration.server.tokens.append(.init("ann", [.read]))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let sent = try await client.submit(path, ConsoleAccessTests.form(fields))
            #expect(sent.status == 303)
            let address = try #require(sent.headers[.location])
            let next = try #require(address.split(separator: "next=").last)
            #expect(!address.contains("ticket"))
            let kept = "Its text is kept"
            #expect(try await client.get(address).text.contains(kept))
            #expect(try await !client.get("/console/sign-in?next=%2Fconsole").text.contains(kept))
            let start = try await client.submit(
                "/console/sign-in",
                ConsoleAccessTests.form([("token", "secret")]) + Array("&next=\(next)".utf8))
            let cookie: HTTPFields = [
                .cookie: String(try #require(start.headers[.setCookie]).prefix { $0 != ";" })
            ]
            let draft = try #require(start.headers[.location])
            // A page that fails shows nothing, and keeps the text.
            let reader = try #require(try await ConsoleAccessTests.signIn(client, "ann"))
            #expect(try await client.get(draft, [.cookie: reader]).status == 403)
            let shown = try await client.get(draft, cookie).text
            for text in ["ticket 7", "value=\"pro\"", "value=\"k7\""] {
                #expect(shown.contains(text))
            }
            #expect(try await !client.get(draft, cookie).text.contains("ticket 7"))
            #expect(try await host.end() == 0)
        }
    }

    @Test("After signing in a browser is led to a page of this service only")
    func next() {
        for foreign in [
            "https://example.com/", "//example.com", "/console//example.com", "/v1/events",
            "/console/\\example.com", "",
        ] {
            let page: String = ConsoleRoutes.own(foreign)
            #expect(page == "/console", "\(foreign)")
        }
        #expect(ConsoleRoutes.own("/console/sandbox/help") == "/console/sandbox/help")
    }

    @Test("A scope shows its pages and no others")
    func scopes() async throws {
        let cases: [(Scope, String, Int)] = [
            (.support, "/customers/ann", 404), (.support, "/reports", 403),
            (.reports, "/reports", 200), (.reports, "/customers/ann", 403),
            (.reports, "/reports/retention-offers", 200),
            (.support, "/reports/retention-offers", 403),
            (.reports, "/events", 403), (.reports, "/events/1/raw", 403),
            (.support, "/customers/ann/grant", 403), (.write, "/customers/ann", 403),
            (.support, "/audit/verify", 403), (.reports, "/recoveries", 403),
            (.support, "/recoveries/1", 403), (.reports, "/quarantine", 403),
            (.reports, "/intake", 403), (.write, "/webhooks", 403), (.reports, "/audit", 403),
            (.reports, "/decisions", 403), (.support, "/decisions", 200),
            (.admin, "/intake", 200), (.admin, "/recoveries", 200), (.admin, "/recoveries/1", 403),
            (.admin, "/quarantine/1", 403), (.read, "/recoveries/1", 404),
            (.reports, "/live", 403), (.write, "/live", 403), (.reports, "/nope", 404),
            (.support, "/reports/churn/cell?column=new", 403),
            (.reports, "/reports/churn/cell?column=new&from=2026-01-01", 403), (.reports, "", 200),
        ]
        var place = try ServedPlace()
        place.configuration.server.tokens = Scope.allCases.map { .init($0.rawValue, [$0]) }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for (scope, path, status) in cases {
                let cookie = try #require(
                    try await ConsoleAccessTests.signIn(client, scope.rawValue))
                let answer = try await client.get(
                    ConsoleAccessTests.home + path, [.cookie: cookie])
                #expect(answer.status == status, "\(scope) \(path)")
            }
        }
    }

    @Test("A form of another site is refused, with a session and without tokens")
    func foreignForms() async throws {
        let path = "\(ConsoleAccessTests.home)/customers/ann/note"
        let body = ConsoleAccessTests.form([("key", "k"), ("reason", "r"), ("actor", "a")])
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            var fields = WebClient.formFields()
            for site in ["cross-site", "same-site", "none"] {
                fields[.fetchSite] = site
                let answer = try await client.send(.post, path, fields, body)
                #expect(answer.status == 403, "\(site)")
            }
            // An old browser without Fetch Metadata is judged by its Origin.
            fields[.fetchSite] = nil
            fields[HostMiddleware.host] = "localhost:8080"
            fields[.origin] = "http://localhost:9999"
            #expect(try await client.send(.post, path, fields, body).status == 403)
            fields[.origin] = nil
            #expect(try await client.send(.post, path, fields, body).status == 403)
            #expect(try await host.end() == 0)
        }
    }

    @Test("A link of another site leads to its page once the browser sends the session's cookie")
    func foreignLink() async throws {
        try await place([.read]).serve { (client: WebClient, _: LedgerHost) async throws in
            // given: without a cookie, which the browser withholds
            let path = "\(ConsoleAccessTests.home)/events?live=false"
            let link = try await client.get(path, [.fetchSite: "cross-site"])
            let signIn = try #require(link.headers[.location])
            // when
            let asked = try await client.get(signIn, [.fetchSite: "cross-site"])
            // then
            #expect(asked.status == 200 && asked.headers[.refresh] == "0; url=\(path)")
            #expect(asked.headers[.contentSecurityPolicy] == ConsoleGuard.policy)
            #expect(asked.headers[.cacheControl] == "no-store")
            let cookie = try #require(try await ConsoleAccessTests.signIn(client))
            let shown = try await client.get(path, [.cookie: cookie, .fetchSite: "same-origin"])
            #expect(shown.status == 200)
            // Without a session it ends at the form.
            let again = try await client.get(path, [.fetchSite: "same-origin"])
            #expect(again.headers[.location] == signIn)
            let form = try await client.get(signIn, [.fetchSite: "same-origin"])
            #expect(form.status == 200 && form.headers[.refresh] == nil)
            let other = "/console/sign-in?next=https%3A%2F%2Fexample.com"
            let own = try await client.get(other, [.fetchSite: "cross-site"])
            #expect(own.headers[.refresh] == "0; url=/console")
        }
    }

    @Test("What is refused before it comes to a page has the policy of pages, too")
    func refusedEarly() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let path = "\(ConsoleAccessTests.home)/intake"
            var (other, foreign) = (HTTPFields(), WebClient.formFields())
            other[HostMiddleware.host] = "example.com"
            foreign[.origin] = "http://example.com"
            let answers = [
                405: try await client.send(.delete, path),
                421: try await client.send(.get, path, other),
                403: try await client.send(.post, path, foreign, []),
            ]
            for (status, answer) in answers {
                #expect(answer.status == status)
                #expect(answer.headers[.contentSecurityPolicy] == ConsoleGuard.policy)
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                #expect(answer.headers[.cacheControl] == "no-store")
            }
            let plain = try await client.send(.delete, "/v1/events/1")
            #expect(plain.headers[.contentSecurityPolicy] == nil)
        }
    }
}
