import AppStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Service
import Testing

@testable import Web

/// Without tokens every local process is served; web pages in local browsers are not.
@Suite("Requests of web pages, without tokens")
struct LoopbackTests {
    /// Sends one request for each list of fields, and returns status and code of the responses.
    private func ask(
        _ place: ServedPlace, _ requests: [String]
    ) async throws -> [(status: Int, code: String?)] {
        try await place.serve(.live) { client, _ in
            let port = try #require(client.client.port)
            var answers: [(status: Int, code: String?)] = []
            for request in requests {
                let text = try await StreamReader.open(port: port, Array(request.utf8)) {
                    await $0.waitForEnd()
                    return $0.text
                }
                let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                let body = text.components(separatedBy: "\r\n\r\n").last ?? ""
                let json = (try? JSONValue.parse(Array(body.utf8))) ?? .null
                let code = json["code"]?.string
                let refusals: [String: String] = [
                    "hostNotAllowed": "HostNotAllowed", "originNotAllowed": "OriginNotAllowed",
                ]
                if let name = code.flatMap({ refusals[$0] }) {
                    let findings = SchemaCheck(document: .shared).findings(
                        json, APIDocument.shared.refusal(name))
                    #expect(findings == [])
                }
                answers.append((status ?? 0, code))
            }
            return answers
        }
    }

    private func request(
        _ method: String = "GET", _ path: String = "/v1/events", host: String,
        origin: String? = nil, version: String = "1.1"
    ) -> String {
        "\(method) \(path) HTTP/\(version)\r\nHost: \(host)\r\nConnection: close\r\n"
            + (origin.map { "Origin: \($0)\r\n" } ?? "") + "Content-Length: 0\r\n\r\n"
    }

    @Test("Only loopback names are served: another one may be a page's DNS rebinding")
    func hosts() async throws {
        let own = [
            "localhost", "localhost:8080", "LocalHost:1", "127.0.0.1", "127.0.0.1:8080",
            "127.9.8.7:80", "[::1]", "[::1]:8080", "",
        ]
        let foreign = [
            "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example",
            "evil.example:127.0.0.1", "128.0.0.1", "[::2]:80", "::1", "0.0.0.0:8080",
            "localhost:", "localhost:x", "localhost:8080:1", "[::1]x", "[::1", "user@localhost",
            "127.1", "2130706433",
        ]
        // Of HTTP/1.0 none is needed.
        let old = "GET /v1/events HTTP/1.0\r\n\r\n"
        let answers = try await ask(
            ServedPlace.single(), (own + foreign).map { request(host: $0) } + [old])
        #expect(answers.last?.status == 200)
        for (host, answer) in zip(own + foreign, answers) {
            let isOwn = own.contains(host)
            #expect(answer.status == (isOwn ? 200 : 421), "\(host)")
            #expect(answer.code == (isOwn ? nil : "hostNotAllowed"), "\(host)")
        }
    }

    @Test(
        "Mutating requests from other origins are refused; GET and HEAD are not")
    func origins() async throws {
        let own = ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"]
        let foreign = [
            "https://evil.example", "null", "", "http://localhost.evil.example", "localhost",
            "http://127.0.0.1.evil.example:80", "http://user@localhost",
        ]
        let path = "/v1/customers/ann/grants"
        let sent = (own + foreign).map {
            request("POST", path, host: "localhost:8080", origin: $0)
        }
        let others = [
            request(host: "localhost", origin: "https://evil.example"),
            request("HEAD", host: "localhost", origin: "https://evil.example"),
            request("DELETE", "\(path)/1", host: "localhost", origin: "https://evil.example"),
            request("OPTIONS", path, host: "localhost", origin: "https://evil.example"),
            request("POST", "/v1/none", host: "localhost", origin: "https://evil.example"),
        ]
        let answers = try await ask(ServedPlace.single(), sent + others)
        for (origin, answer) in zip(own + foreign, answers) {
            let isOwn = own.contains(origin)
            #expect(answer.status == (isOwn ? 400 : 403), "\(origin)")
            if !isOwn { #expect(answer.code == "originNotAllowed", "\(origin)") }
        }
        #expect(answers.suffix(others.count).map(\.status) == [200, 200, 403, 403, 403])
    }

    @Test("Routes that never require a token accept any Host, for proxies and tunnels")
    func open() async throws {
        let answers = try await ask(
            ServedPlace.single(),
            [
                request("POST", "/appstore/notifications", host: "hooks.example.com"),
                request("POST", "/appstore/notifications", host: "a", origin: "https://b.example"),
                request("GET", "/healthz", host: "hooks.example.com"),
                request("GET", "/readyz", host: "10.0.0.7:8080"),
                request("GET", "/openapi.yaml", host: "hooks.example.com"),
                request("GET", "/appstore/notifications", host: "hooks.example.com"),
                request("GET", "/nowhere", host: "hooks.example.com"),
                request("GET", "/metrics", host: "hooks.example.com"),
            ])
        #expect(answers.map(\.status) == [400, 400, 200, 200, 200, 421, 421, 421])
    }

    @Test("With tokens the names are not checked: a page has no token")
    func guarded() async throws {
        var place = try ServedPlace.single()
        place.configuration.server.tokens = [.init("one", [.read, .write])]
        let answers = try await ask(
            place,
            [
                request(host: "ledger.example.com"),
                "GET /v1/events HTTP/1.1\r\nHost: ledger.example.com\r\nConnection: close\r\n"
                    + "Authorization: Bearer one\r\nOrigin: https://ledger.example.com\r\n\r\n",
            ])
        #expect(answers.map(\.status) == [401, 200])
    }
}
