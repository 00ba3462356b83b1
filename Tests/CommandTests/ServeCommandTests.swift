import AppStore
import Foundation
import Simulator
import Synchronization
import Testing

/// The service of the real binary, over real sockets.
@Suite("The service as a process", .serialized)
struct ServeCommandTests {
    private func body(_ line: String) throws -> [UInt8] {
        let token = try JSONValue.parse(Array(line.utf8))["signedPayload"]?.string
        return Array(#"{"signedPayload":"\#(try #require(token))"}"#.utf8)
    }

    @Test("SIGTERM: everything answered is in the log, and it exits with 0")
    func drained() async throws {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        let connection = try RawConnection(port: service.port)
        for line in Evidence.lines {
            #expect(await connection.notify(try body(line))?.status == 200)
        }
        #expect(try await service.terminate() == 0)
        #expect(throws: RawConnection.Failure.self) { try RawConnection(port: service.port) }
        let show = try await place.run("show", Evidence.id, "--json")
        #expect(show.code == 0)
        #expect(try show.json()["position"]?.int64 == Int64(Evidence.lines.count))
        #expect(try await place.run("audit", "verify").code == 0)
    }

    @Test("SIGTERM exits cleanly with everything stored, despite a client's half request")
    func halfARequest() async throws {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        let slow = try RawConnection(port: service.port)
        let head = "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"
        #expect(slow.send(head + "{\"s"))
        let connection = try RawConnection(port: service.port)
        #expect(await connection.notify(try body(Evidence.lines[0]))?.status == 200)
        #expect(try await service.terminate() == 0)
        #expect(try await place.run("audit", "verify").code == 0)
    }

    @Test("kill -9 under load: everything answered is there, once, and the rest follows")
    func killed() async throws {
        let place = try Workplace()
        let lines = try await History.lines().filter { $0.contains("signedPayload") }
        let bodies = try lines.map { try body($0) }
        var random = SeededGenerator(seed: UInt64(Date().timeIntervalSince1970))
        var answered: Set<Int> = []
        for _ in 0..<3 {
            let service = try await ServiceRun(place)
            let enough = 1 + random.below(bodies.count / 2)
            answered.formUnion(
                await load(bodies, port: service.port) {
                    $0 == enough
                } whenEnough: {
                    service.launched.signal(SIGKILL)
                })
            _ = try await service.launched.kill(afterMilliseconds: 1)
            let events = try await place.run("export", "events", "--evidence")
            #expect(events.code == 0)
            let known = Set(
                events.out.split(separator: "\n").compactMap {
                    (try? JSONValue.parse(Array($0.utf8)))?["signedPayload"]?.string
                })
            #expect(Set(known).count == events.out.split(separator: "\n").count)
            for number in answered {
                let token = try JSONValue.parse(bodies[number])["signedPayload"]?.string
                #expect(known.contains(try #require(token)))
            }
        }
        let service = try await ServiceRun(place)
        let all = await load(bodies, port: service.port) { _ in
            false
        } whenEnough: {
        }
        #expect(all.count == bodies.count)
        #expect(try await service.terminate() == 0)
        let audit = try await place.run("audit", "verify", "--signatures")
        #expect(audit.code == 0, "\(audit.err)")
        #expect(try await place.run("rebuild", "--check").code == 0)
    }

    /// Posts every body over a few connections; returns the numbers of those answered with 200.
    private func load(
        _ bodies: [[UInt8]], port: Int, isEnough: @escaping @Sendable (Int) -> Bool,
        whenEnough: @escaping @Sendable () -> Void
    ) async -> Set<Int> {
        let width = 4
        return await withTaskGroup(of: [Int].self) { group in
            let counter = AnswerCounter()
            for first in 0..<width {
                group.addTask {
                    guard let connection = try? RawConnection(port: port) else { return [] }
                    var answered: [Int] = []
                    for number in stride(from: first, to: bodies.count, by: width) {
                        guard let answer = await connection.notify(bodies[number]) else { break }
                        if answer.status == 200 { answered.append(number) }
                        if isEnough(counter.next()) { whenEnough() }
                    }
                    return answered
                }
            }
            return await group.reduce(into: Set()) { $0.formUnion($1) }
        }
    }

    private static let garbage = [
        "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
        // The preface of HTTP/2 (RFC 9113 §3.4).
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n{}",
        "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
        "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
            + "\r\nzz\r\n{}\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\n",
    ]

    @Test("Garbage is a 400 or a closed connection, and other clients are still served")
    func garbage() async throws {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        for text in Self.garbage {
            let answer = await (try RawConnection(port: service.port)).exchange(Array(text.utf8))
            #expect(answer == nil || (400..<500).contains(answer?.status ?? 0), "\(text)")
            let healthy = await (try RawConnection(port: service.port)).get("/healthz")
            #expect(healthy?.status == 200)
        }
        // Garbage after a good request does not affect its response.
        let bytes = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n"
        let answer = await (try RawConnection(port: service.port)).exchange(Array(bytes.utf8))
        #expect(answer?.status == 200)
        #expect(try await service.terminate() == 0)
        let events = try await place.run("export", "events")
        #expect(events.out.isEmpty)
    }

    @Test("Two services on one directory: the second follows, and neither loses anything")
    func two() async throws {
        let place = try Workplace()
        let (one, two) = (try await ServiceRun(place), try await ServiceRun(place))
        let connections = [try RawConnection(port: one.port), try RawConnection(port: two.port)]
        for (number, line) in Evidence.lines.enumerated() {
            #expect(await connections[number % 2].notify(try body(line))?.status == 200)
        }
        let path = "/v1/subscriptions/\(Evidence.id)?minPosition=\(Evidence.lines.count)"
        for connection in connections {
            var answer = await connection.get(path)
            // Answers may be behind for long on a loaded machine; each waits two seconds.
            for _ in 0..<60 where answer?.status == 503 { answer = await connection.get(path) }
            #expect(answer?.status == 200)
        }
        #expect(try await one.terminate() == 0)
        #expect(try await two.terminate() == 0)
        #expect(try await place.run("audit", "verify").code == 0)
    }

    @Test("An unusable key keeps no other app from Apple and from signing, nor do unusable rates")
    func unusableKey() async throws {
        let place = try Workplace(
            options: ["--data", "data", "--trust-root", "root.der", "--config", "own.yaml"])
        let key = try ServedKey()
        try place.write(Data(key.pem), to: "key.p8")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: place.file("key.p8"))
        let ids = "keyId: \(key.keyId), issuerId: \(key.issuerId)"
        try place.write(
            [
                "server: { recovery: off, reconcile: off, log: { format: json } }",
                "reports: { ratesFile: none.yaml }", "retention:",
                "  - name: offer", "    message: 758883e8-151b-47b7-abd0-60c4d804c2f5",
                "    promotionalOffer: winback", "apps:",
                "  - bundleId: com.example.other", "    appAppleId: 2",
                "    api: { \(ids), privateKeyFile: nokey }",
                "  - bundleId: \(Evidence.app)", "    appAppleId: 1",
                "    api: { \(ids), privateKeyFile: key.p8 }",
            ], to: "own.yaml")
        let service = try await ServiceRun(place)
        let body = #"{"productId":"p","offerId":"o"}"#
        for (query, status) in [
            ("?bundleId=\(Evidence.app)", 200), ("?bundleId=com.example.other", 422), ("", 400),
        ] {
            let head =
                "POST /v1/signatures/promotional-offer\(query) HTTP/1.1\r\n"
                + "Host: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n"
            let connection = try RawConnection(port: service.port)
            #expect(await connection.exchange(Array((head + body).utf8))?.status == status)
        }
        service.launched.signal(SIGTERM)
        let outcome = try await service.launched.outcome()
        #expect(outcome.code == 0)
        #expect(outcome.err.contains("No requests about com.example.other are sent to Apple: "))
        #expect(!outcome.err.contains("about \(Evidence.app)"))
        // Every line has the log's format, and the key that others can read is in one of them.
        let lines = outcome.err.split(separator: "\n")
        let codes = try lines.map { try JSONValue.parse(Array($0.utf8))["code"]?.string }
        #expect(codes.filter { $0 == "secretOpenToOthers" }.count == 1, "\(outcome.err)")
        #expect(codes.filter { $0 == "invalidRates" }.count == 1, "\(outcome.err)")
        #expect(codes.filter { $0 == "retentionRuleUnusable" }.count == 1, "\(outcome.err)")
        #expect(outcome.err.split(separator: "can be read by").count == 2, "\(outcome.err)")
    }

    @Test("A port in use is reported")
    func portTaken() async throws {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        let other = try Workplace()
        let outcome = try await other.run("serve", "--port", "\(service.port)")
        #expect(outcome.code == 74)
        #expect(outcome.errorCode == "portUnavailable")
        #expect(outcome.err.contains("Address already in use"), "\(outcome.err)")
        #expect(try await service.terminate() == 0)
    }

    @Test("An address that this machine does not have is reported as that")
    func addressStrange() async throws {
        let place = try Workplace()
        let digest = String(repeating: "0a", count: 32)
        try place.write(
            ["server: { tokens: [ { name: a, sha256: \(digest), scopes: [read] } ] }"],
            to: "served.yaml")
        // Of documentation (RFC 5737).
        let outcome = try await place.run(
            "serve", "--host", "203.0.113.7", "--port", "0", "--config", "served.yaml")
        #expect(outcome.code == 74 && outcome.errorCode == "portUnavailable")
        #expect(outcome.err.contains("Cannot assign requested address"), "\(outcome.err)")
        #expect(outcome.err.contains("server.host"))
    }

    @Test("A configuration that prevents the start is reported at once")
    func refused() async throws {
        let outcome = try await Workplace().run("serve", "--host", "0.0.0.0")
        #expect(outcome.code == 78)
        #expect(outcome.errorCode == "invalidValue")
    }
}

/// Numbers responses over all connections, from 1.
private final class AnswerCounter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
