import AppStore
import Foundation
import TestSupport
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

    @Test("restore names the error of a log into which its write-ahead log cannot be moved")
    func restored() async throws {
        let bodies = try await bodies()
        var outcome = try await restoreLimited(bodies)
        // A periodic checkpoint before the kill leaves nothing to move.
        for _ in 0..<4 where outcome.code == 0 { outcome = try await restoreLimited(bodies) }
        #expect(outcome.code == 74)
        #expect(outcome.err.contains("error: ioError: "), "\(outcome.err)")
    }

    /// Kills a service whose write-ahead log holds `bodies`, and restores a backup of the first,
    /// where the log's file may not grow by all of them.
    private func restoreLimited(_ bodies: [[UInt8]]) async throws -> Outcome {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        let connection = try RawConnection(port: service.port)
        for (number, body) in bodies.enumerated() {
            #expect(await connection.notify(body)?.status == 200)
            if number == 0 {
                let backup = try await place.run("backup", "one.backup")
                #expect(backup.code == 0, "\(backup.err)")
            }
        }
        _ = try await service.launched.kill(afterMilliseconds: 0)
        let log = try FileManager.default.attributesOfItem(
            atPath: place.file("data/production/log.sqlite"))
        let size = try #require(log[.size] as? NSNumber).uint64Value
        return try await place.program(
            FileLimiter.path,
            ["--fsize=\(size + 20_000)", Workplace.binary, "restore", "one.backup", "--replace"]
                + place.options)
    }
}

@Suite("The service under a limit of open files")
struct ServeOpenFileTests {
    /// Starts `serve` below a shell that sets a limit, and waits until it listens.
    private func serve(_ place: Workplace, under limit: String) async throws -> Launched {
        for name in ["out", "err"] { try place.write(Data(), to: name) }
        let launched = try Launched(
            Child(
                path: "/bin/sh",
                arguments: ["-c", "\(limit) && exec \"$0\" \"$@\"", Workplace.binary]
                    + ["serve", "--port", "0", "--json"] + place.options,
                directory: place.path, variables: Workplace.inherited, input: "/dev/null",
                output: place.file("out"), errors: place.file("err")))
        _ = try await LaunchedLine.first(of: launched)
        return launched
    }

    /// Soft and hard limit of a process.
    private func limits(of process: pid_t) throws -> [Substring] {
        let text = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        let line = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        return Array(line.split(separator: " ").dropFirst(3).prefix(2))
    }

    @Test("serve raises a soft limit of 1,024")
    func raised() async throws {
        let place = try Workplace()
        let service = try await serve(place, under: "ulimit -S -n 1024")
        let found = try limits(of: service.process)
        let (soft, hard) = (try #require(found.first), try #require(found.last))
        // `unlimited` is no number.
        #expect(Int(soft) == min(Int(hard) ?? .max, 8_192))
        service.signal(SIGTERM)
        let ended = try await service.outcome()
        #expect(ended.code == 0)
        #expect(Int(soft) ?? 0 < 2_048 || !ended.err.contains("fewOpenFiles"))
    }

    @Test("serve warns of a hard limit that it cannot raise")
    func warned() async throws {
        let place = try Workplace()
        let service = try await serve(place, under: "ulimit -n 1024")
        #expect(try limits(of: service.process) == ["1024", "1024"])
        service.signal(SIGTERM)
        let ended = try await service.outcome()
        #expect(ended.code == 0)
        #expect(ended.err.contains("fewOpenFiles"), "\(ended.err)")
    }

    @Test("Both units state a limit", arguments: ["subledger.service", "subledger@.service"])
    func units(name: String) throws {
        let unit = Fixtures.repository.appending(path: "Examples/\(name)")
        #expect(try String(contentsOf: unit, encoding: .utf8).contains("\nLimitNOFILE=8192\n"))
    }
}
