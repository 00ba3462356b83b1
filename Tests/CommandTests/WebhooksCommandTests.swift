import AppStore
import Foundation
import Testing

@Suite("subledger webhooks")
struct WebhooksCommandTests {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// A workplace with an endpoint without a listener, and whose path contains a secret.
    func workplace(secret: String = secret) throws -> Workplace {
        let place = try Workplace(options: Self.options)
        try configure(place, secret)
        return place
    }

    private static let options = Evidence.options + ["--config", "hooks.yaml"]

    /// The same over a ledger of `Evidence.lines`.
    private func taken() async throws -> Workplace {
        let place = try await Workplace.taken(options: Self.options)
        try configure(place, Self.secret)
        return place
    }

    private func configure(_ place: Workplace, _ secret: String) throws {
        try place.write([secret], to: "hook.secret")
        // doctor reports a secret that other users can read as bad.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: place.file("hook.secret"))
        try place.write(
            [
                "webhooks:", "  - name: books", "    url: http://127.0.0.1:9/hidden-path",
                "    secretFile: hook.secret",
            ], to: "hooks.yaml")
    }

    @Test("without endpoints there is nothing to list, and nothing to test")
    func none() async throws {
        let place = try Workplace()
        let list = try await place.run("webhooks", "list", "--json")
        #expect(list.code == 0)
        #expect(list.out == "{\"endpoints\":[]}\n")
        let test = try await place.run("webhooks", "test")
        #expect(test.code == 1)
        #expect(test.err.hasPrefix("error: noSuchEndpoint:"))
    }

    @Test("the list contains endpoints and their state, and neither secret nor path")
    func list() async throws {
        let place = try workplace()
        for outcome in [
            try await place.run("webhooks", "list"),
            try await place.run("webhooks", "list", "--json"),
        ] {
            #expect(outcome.code == 0)
            #expect(outcome.out.contains("books"))
            #expect(outcome.out.contains("http://127.0.0.1:9"))
            #expect(!(outcome.out + outcome.err).contains("hidden-path"))
            #expect(!(outcome.out + outcome.err).contains("MfKQ9"))
        }
    }

    @Test("a test that is not accepted exits with 1 and the reason, without the secret")
    func test() async throws {
        let outcome = try await workplace().run("webhooks", "test", "books", "--json")
        #expect(outcome.code == 1)
        #expect(outcome.out.contains("\"outcome\":\"unreachable\""))
        #expect(!(outcome.out + outcome.err).contains("MfKQ9"))
    }

    @Test("a secret file without a secret exits with 78 and does not show its contents")
    func badSecret() async throws {
        let outcome = try await workplace(secret: "whsec_not!base64").run("webhooks", "list")
        #expect(outcome.code == 78)
        #expect(outcome.err.hasPrefix("error: invalidValue: webhooks[0].secretFile:"))
        #expect(!outcome.err.contains("not!base64"))
    }

    @Test("a dry redelivery counts what a range would deliver, and a real one reports failures")
    func redeliver() async throws {
        let place = try await taken()
        let range = ["webhooks", "redeliver", "--from", "1", "--to", "9", "--json"]
        let dry = try await place.run(range + ["--dry-run"] + place.options)
        #expect(dry.code == 0)
        #expect(dry.out.contains("\"started\":1"))
        #expect(dry.out.contains("\"delivered\":0"))
        let wet = try await place.run(range + place.options)
        #expect(wet.code == 1)
        #expect(wet.out.contains("\"lastFailure\":\"unreachable\""))
        let wrong = try await place.run(
            ["webhooks", "redeliver", "--from", "3", "--to", "2"] + place.options)
        #expect(wrong.code == 64)
    }

    @Test("the service delivers a change, signs a checkpoint, and names an idle endpoint")
    func served() async throws {
        // given
        let place = try workplace()
        let origin = "example.com/log"
        let made = try await place.run(["audit", "keygen", "--origin", origin, "audit.key"])
        #expect(made.code == 0, "\(made.err)")
        try place.write(
            [
                "webhooks:", "  - name: books", "    url: http://127.0.0.1:9/",
                "    secretFile: hook.secret", "  - name: idle", "    url: http://127.0.0.1:9/",
                "    secretFile: hook.secret", "    environment: xcode",
                "audit: { origin: \(origin), keyFile: audit.key }",
            ], to: "hooks.yaml")
        // An empty log is not signed.
        let lines = try place.write([Evidence.lines[0]], to: "lines.ndjson")
        let ingested = try await place.run(["ingest", lines] + place.options)
        #expect(ingested.code == 0, "\(ingested.err)")
        let service = try await ServiceRun(place)
        let connection = try RawConnection(port: service.port)
        // Only a hang reaches the number of polls. The first checkpoint comes after ten seconds.
        func answers(_ path: String, _ isWanted: (RawAnswer) -> Bool) async throws -> Bool {
            for _ in 0..<1_200 {
                if let answer = await connection.get(path), isWanted(answer) { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
        // when
        let token = try JSONValue.parse(Array(Evidence.lines[1].utf8))["signedPayload"]?.string
        let body = #"{"signedPayload":"\#(try #require(token))"}"#
        let taken = await connection.notify(Array(body.utf8))
        // then
        #expect(taken?.status == 200)
        let isAttempted = try await answers("/v1/webhooks") { answer in
            let json = try? JSONValue.parse(answer.body)
            let outcomes = (json?["endpoints"]?.array ?? []).map { $0["lastOutcome"]?.string }
            return outcomes == ["unreachable"]
        }
        #expect(isAttempted)
        let isSigned = try await answers("/v1/log/checkpoint") { answer in
            answer.status == 200
                && String(decoding: answer.body, as: UTF8.self).hasPrefix("\(origin)\n")
        }
        #expect(isSigned)
        service.launched.signal(SIGTERM)
        let outcome = try await service.launched.outcome()
        #expect(outcome.code == 0)
        #expect(outcome.err.contains("Nothing is delivered to the webhook idle"), "\(outcome.err)")
    }

    @Test("of two endpoints a redelivery takes the named one, and without a name none")
    func ambiguous() async throws {
        // given
        let place = try await taken()
        try place.write(
            [
                "webhooks:", "  - name: books", "    url: http://127.0.0.1:9/",
                "    secretFile: hook.secret", "  - name: audit", "    url: http://127.0.0.1:9/",
                "    secretFile: hook.secret", "    types: [expired]",
            ], to: "hooks.yaml")
        let range = ["--from", "1", "--to", "9", "--json"] + place.options
        // when
        let unnamed = try await place.run(["webhooks", "redeliver"] + range)
        // then
        #expect(unnamed.code == 1)
        #expect(unnamed.errorCode == "ambiguousEndpoint")
        #expect(unnamed.err.contains("books, audit"))
        // Each redelivery prints its result.
        #expect(unnamed.out.isEmpty)
        // when
        let named = try await place.run(["webhooks", "redeliver", "audit"] + range)
        // then
        #expect(named.out.contains("\"endpoint\":\"audit\""))
        #expect(named.out.contains("\"failed\":1,"))
        #expect(named.out.contains("\"types\":{\"expired\":1}"))
    }
}
