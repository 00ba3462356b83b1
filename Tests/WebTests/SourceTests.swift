import AppStore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Service
import Testing

@testable import Web

@Suite("Source addresses")
struct SourceTests {
    private func address(
        _ forwarded: [String], peer: String, trusted: [String]
    ) -> String? {
        var server = ServiceConfiguration.Server()
        server.trustedProxies = trusted.compactMap { NetworkRange($0) }
        var headers = HTTPFields()
        for line in forwarded {
            headers.append(HTTPField(name: SourceCheck.forwardedFor, value: line))
        }
        let request = Request(
            head: HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/", headerFields: headers),
            body: RequestBody(buffer: .init()))
        return SourceCheck(server: server).address(of: request, peer: peer)
    }

    @Test("X-Forwarded-For is unverified unless a trusted proxy wrote it")
    func forwarded() {
        #expect(address(["17.0.0.1"], peer: "9.9.9.9", trusted: []) == "9.9.9.9")
        #expect(address(["17.0.0.1"], peer: "9.9.9.9", trusted: ["10.0.0.0/8"]) == "9.9.9.9")
        #expect(address(["17.0.0.1"], peer: "10.0.0.1", trusted: ["10.0.0.0/8"]) == "17.0.0.1")
        // What precedes the last trusted hop was there when it arrived.
        let spoofed = ["17.0.0.1, 9.9.9.9"]
        #expect(address(spoofed, peer: "10.0.0.1", trusted: ["10.0.0.0/8"]) == "9.9.9.9")
        let lines = ["17.0.0.1", "9.9.9.9, 10.0.0.2"]
        #expect(address(lines, peer: "10.0.0.1", trusted: ["10.0.0.0/8"]) == "9.9.9.9")
        #expect(address([], peer: "10.0.0.1", trusted: ["10.0.0.0/8"]) == "10.0.0.1")
    }

    @Test(
        "A port after a forwarded address is not part of it",
        arguments: [
            ("17.1.2.3:443", "17.1.2.3"), ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1", "[2001:db8::1"), (":443", ""), ("", "10.0.0.1"),
        ])
    func ports(forwarded: String, expected: String) {
        #expect(address([forwarded], peer: "10.0.0.1", trusted: ["10.0.0.0/8"]) == expected)
    }

    @Test(
        "Ranges contain what they should and refuse what is ambiguous",
        arguments: [
            ("17.0.0.0/8", "17.255.0.1", true), ("17.0.0.0/8", "18.0.0.1", false),
            ("17.0.0.0/8", "::ffff:17.1.2.3", true), ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3/32", "10.1.2.4", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false), ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("17.0.0.0/8", "garbage", false),
            ("17.0.0.0/8", "", false),
        ])
    func ranges(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(NetworkRange(range)).contains(address) == isInside)
    }

    @Test(
        "An invalid range is refused",
        arguments: [
            "", "17", "17.0.0.0/33", "17.0.0.0/-1", "17.0.0.0/08", "17.0.0.1/8", "17.0.0.0/8/8",
            "::/129", "example.com", "17.0.0.0/",
        ])
    func noRanges(text: String) { #expect(NetworkRange(text) == nil) }

    @Test("Outside the configured networks what Apple sends is a 403 without any effect")
    func notAllowed() async throws {
        var place = try ServedPlace()
        place.configuration.server.notificationNetworks = [try #require(NetworkRange("17.0.0.0/8"))]
        place.configuration.server.trustedProxies = [try #require(NetworkRange("127.0.0.0/8"))]
        try await place.serve(.live) { (client: WebClient, _: LedgerHost) async throws in
            let body = try MadePurchase().notificationBody()
            let refused = try await client.notify(body)
            #expect(refused.status == 403 && refused.code == "sourceNotAllowed")
            let asked = try await client.post("/appstore/retention", Array("{}".utf8))
            #expect(asked.status == 403 && asked.code == "sourceNotAllowed")
            #expect(try await client.get("/v1/events").json["position"]?.int64 == 0)
            let taken = try await client.notify(body, [SourceCheck.forwardedFor: "17.1.2.3"])
            #expect(taken.status == 200)
        }
    }
}
