import AppStore
import Foundation
import Testing

/// Sets limits of a running process (util-linux).
private enum FileLimiter {
    static let path = "/usr/bin/prlimit"
}

/// The real service with a limited file size, as under a quota.
@Suite(
    "The service while no file may grow",
    .enabled(if: access(FileLimiter.path, X_OK) == 0, "prlimit is not here"))
struct ServeLimitedFileTests {
    private func bodies() async throws -> [[UInt8]] {
        try await History.lines().filter { $0.contains("signedPayload") }.map { line in
            let token = try JSONValue.parse(Array(line.utf8))["signedPayload"]?.string
            return Array(#"{"signedPayload":"\#(try #require(token))"}"#.utf8)
        }
    }

    /// Limits the file size of the service from now on.
    private func limit(_ service: ServiceRun, _ place: Workplace, to bound: String) async throws {
        let limited = try await place.program(
            FileLimiter.path,
            ["--pid", "\(service.launched.process)", "--fsize=\(bound):unlimited"])
        #expect(limited.code == 0, "\(limited.err)")
    }

    /// Number of `/readyz` responses observed while writing is impossible: more than three seconds
    /// of probes.
    private static let watchedSeconds = 4
    /// Bounds the wait for the service to resume; only a hang reaches it.
    private static let patienceSeconds = 60

    private func isReady(_ port: Int) async throws -> Bool {
        let answer = await (try RawConnection(port: port)).get("/readyz")
        return try #require(answer).status == 200
    }

    @Test(
        "A ready service accepts deliveries; known events are 200; with space it resumes")
    func limited() async throws {
        let place = try Workplace()
        let bodies = try await bodies()
        let service = try await ServiceRun(place)
        let connection = try RawConnection(port: service.port)
        #expect(await connection.notify(bodies[0])?.status == 200)
        #expect(try await isReady(service.port))

        let log = place.file("data/production/log.sqlite-wal")
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: log)[.size] as? NSNumber)
        // Space for a few pages, which a failing append fills.
        try await limit(service, place, to: "\(size.uint64Value + 20_000)")
        var refused: Int?
        for number in 1..<bodies.count where refused == nil {
            if await connection.notify(bodies[number])?.status == 503 { refused = number }
        }
        let first = try #require(refused)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(ServeLimitedFileTests.watchedSeconds))
        var next = first
        while clock.now < end, next < bodies.count {
            // A ready service accepts deliveries.
            if try await isReady(service.port) {
                #expect(await connection.notify(bodies[next])?.status == 200, "event \(next)")
                next += 1
            }
            #expect(await connection.notify(bodies[0])?.status == 200)
            try await Task.sleep(for: .milliseconds(20))
        }

        try await limit(service, place, to: "unlimited")
        let last = clock.now.advanced(by: .seconds(ServeLimitedFileTests.patienceSeconds))
        while !(try await isReady(service.port)), clock.now < last {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(await connection.notify(bodies[first])?.status == 200)
        #expect(try await service.terminate() == 0)
        #expect(try await place.run("audit", "verify").code == 0)
    }
}
