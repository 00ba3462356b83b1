import AppStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Service
@testable import Web

@Suite("Sessions of the console, and what is kept after them")
struct ConsoleSessionTests {
    private let tokens = AccessTokens([.init("sara", secret: "secret", [.read])])
    private let secret = Array("secret".utf8)

    // MARK: The cookie

    /// How browsers come to the service.
    enum Way: CaseIterable {
        case loopback
        case plainAddress
        case encryptedAddress
        case certificate
        case network
        case proxy
    }

    @Test(
        "The cookie is Secure and of this host alone wherever browsers may come by TLS",
        arguments: Way.allCases)
    func cookie(_ way: Way) async throws {
        var place = try way == .certificate ? TLSPlace.make() : ServedPlace()
        place.configuration.server.tokens = [.init("sara", secret: "secret", [.read])]
        switch way {
        case .loopback, .certificate: break
        case .plainAddress: place.configuration.server.publicUrl = "http://ledger.example.com"
        // Of a proxy on the same machine.
        case .encryptedAddress: place.configuration.server.publicUrl = "https://ledger.example.com"
        case .network: place.configuration.server.host = "0.0.0.0"
        case .proxy:
            place.configuration.server.trustedProxies = [try #require(NetworkRange("10.0.0.0/8"))]
        }
        let isSecure = way != .loopback && way != .plainAddress
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let start = try await client.submit("/console/sign-in", "token=secret".utf8)
            let set = try #require(start.headers[.setCookie])
            #expect(set.hasSuffix("; Secure") == isSecure)
            #expect(set.hasPrefix("__Host-subledger=") == isSecure)
            let cookie: HTTPFields = [.cookie: String(set.prefix { $0 != ";" })]
            let page = try await client.get("/console/production", cookie)
            #expect(page.status == 200)
        }
    }

    // MARK: Ends

    private static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

    @Test("Sessions end after twelve hours, and after half an hour of silence")
    func sessionEnds() throws {
        let sessions = ConsoleSessions(tokens)
        let start = ContinuousClock.now
        let key = try #require(sessions.start(token: secret, at: start))
        let idle = start.advanced(by: Self.minutes(30))
        #expect(sessions.principal(of: key, at: idle)?.name == "sara")
        let silent = idle.advanced(by: Self.minutes(30) + .milliseconds(1))
        #expect(sessions.principal(of: key, at: silent) == nil)

        let watched = try #require(sessions.start(token: secret, at: start))
        let shown = start.advanced(by: Self.minutes(29))
        #expect(sessions.principal(of: watched, isUse: false, at: shown)?.name == "sara")
        let unused = start.advanced(by: Self.minutes(31))
        #expect(sessions.principal(of: watched, isUse: false, at: unused) == nil)

        let used = try #require(sessions.start(token: secret, at: start))
        for count in 1...36 {
            let now = start.advanced(by: Self.minutes(Int64(count) * 20))
            #expect(sessions.principal(of: used, at: now) != nil)
        }
        let over = start.advanced(by: Self.minutes(720) + .milliseconds(1))
        #expect(sessions.principal(of: used, at: over) == nil)
    }

    @Test("Requests of a viewer keep a session; those of a script and an open live page do not")
    func use() async throws {
        let cases = [("document", true), (nil, true), ("empty", false)] as [(String?, Bool)]
        let tokens = tokens
        let sessions = ConsoleSessions(tokens)
        let now = ContinuousClock.now
        let start = now.advanced(by: Self.minutes(-15))
        let keys = try cases.map { _ in try #require(sessions.start(token: secret, at: start)) }
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let pages = ConsolePages(host: host, tokens: tokens, answers: ResponseMemoryBudget())
            let access = ConsoleGuard(
                sessions: sessions, pages: pages, problems: ProblemMiddleware())
            let router = Router(context: WebContext.self)
            router.add(middleware: access)
            router.get("console") { request, context -> String in
                access.permit(request, context)() ? "permitted" : "over"
            }
            try await Application(router: router).test(.router) { client in
                for ((destination, _), key) in zip(cases, keys) {
                    var fields: HTTPFields = [.cookie: "\(access.cookieName)=\(key)"]
                    fields[.fetchDest] = destination
                    let page = try await WebClient(client: client).get("/console", fields)
                    #expect(page.status == 200 && page.text == "permitted")
                }
            }
        }
        let later = now.advanced(by: Self.minutes(20))
        for ((destination, isKept), key) in zip(cases, keys) {
            let principal = sessions.principal(of: key, isUse: false, at: later)
            #expect((principal != nil) == isKept, "\(destination ?? "none")")
        }
    }

    @Test("A full house of sessions ends the one idle longest")
    func sessionCount() throws {
        let sessions = ConsoleSessions(tokens)
        let start = ContinuousClock.now
        let keys = try (0...ConsoleSessions.maximumCount).map { number in
            try #require(
                sessions.start(token: secret, at: start.advanced(by: .milliseconds(number))))
        }
        let now = start.advanced(by: .seconds(2))
        #expect(sessions.principal(of: keys[0], at: now) == nil)
        #expect(sessions.principal(of: keys[1], at: now) != nil)
    }

    // MARK: Drafts

    @Test("Drafts are kept up to their number and for half an hour")
    func draftBounds() {
        let drafts = FormDrafts()
        let start = ContinuousClock.now
        let ids = (0...50).map { number in
            drafts.keep(["reason": "\(number)"], from: "\(number)", at: start)
        }
        #expect(drafts.values(of: ids[0], at: start).isEmpty)
        #expect(drafts.values(of: ids[1], at: start) == ["reason": "1"])
        drafts.remove(ids[1])
        #expect(drafts.values(of: ids[1], at: start).isEmpty)
        let end = start.advanced(by: Self.minutes(30))
        #expect(drafts.values(of: ids[2], at: end) == ["reason": "2"])
        #expect(drafts.values(of: ids[3], at: end.advanced(by: .milliseconds(1))).isEmpty)
        #expect(drafts.values(of: nil).isEmpty)
    }

    @Test("A sender's sixth draft discards the sender's own first one, and no other's")
    func draftsOfSender() {
        // given
        let drafts = FormDrafts()
        let other = drafts.keep(["reason": "other"], from: "b")
        func isKept(_ id: String) -> Bool { !drafts.values(of: id).isEmpty }
        // when
        let own = (1...5).map { drafts.keep(["reason": "\($0)"], from: "a") }
        // then
        #expect(own.allSatisfy(isKept))
        // when
        let more = (6...60).map { drafts.keep(["reason": "\($0)"], from: "a") }
        // then
        #expect((own + more).map(isKept) == (1...60).map { $0 > 55 })
        #expect(isKept(other))
    }

    @Test("Clients without a session discard no text of another one's, behind a proxy, too")
    func draftsOfClients() async throws {
        var place = try ServedPlace()
        place.configuration.server.tokens = [.init("sara", secret: "secret", [.read, .write])]
        place.configuration.server.trustedProxies = ["127.0.0.0/8", "::1"]
            .compactMap { NetworkRange($0) }
        let path = "/console/production/customers/ann/grant"
        try await place.serve(.live) { (client: WebClient, _: LedgerHost) async throws in
            func send(_ address: String) async throws -> String {
                let fields: HTTPFields = [SourceCheck.forwardedFor: address]
                let sent = try await client.submit(path, "key=k&reason=ticket%207".utf8, fields)
                let target = try #require(sent.headers[.location])
                let next = try #require(target.split(separator: "next=").last)
                return try #require(String(next).removingPercentEncoding)
            }
            let first = try await send("192.0.2.1")
            let flood = try await send("192.0.2.2")
            // One more than are kept of one address.
            for _ in 1...5 { _ = try await send("192.0.2.2") }
            let start = try await client.submit("/console/sign-in", "token=secret".utf8)
            let set = try #require(start.headers[.setCookie])
            let cookie: HTTPFields = [.cookie: String(set.prefix { $0 != ";" })]
            #expect(try await client.get(first, cookie).text.contains("ticket 7"))
            #expect(try await !client.get(flood, cookie).text.contains("ticket 7"))
        }
    }
}
