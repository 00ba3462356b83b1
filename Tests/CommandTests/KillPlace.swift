import AppStore
import Foundation
import Simulator
import TestSupport
import Testing

/// A workplace whose commands get killed, and the checks that must hold afterwards.
final class KillPlace: Sendable {
    let place: Workplace
    let lines: [String]
    /// The same seed kills after the same times.
    let seed = Soak.seed

    /// Rounds of one test: one in `make test`, SUBLEDGER_KILL_ROUNDS in a soak.
    static let rounds = Int(Soak.number("SUBLEDGER_KILL_ROUNDS") ?? 1)

    init(lines: [String]) throws {
        place = try Workplace()
        self.lines = lines
        try place.write(lines, to: "all.ndjson")
    }

    var hint: Comment { "seed \(seed)" }

    /// Runs a command and kills it after a random time; returns how it ended.
    func kill(
        _ arguments: [String], within milliseconds: Int, _ random: inout SeededGenerator
    ) async throws -> Launched.Ending {
        let limit = random.below(max(1, milliseconds))
        return try await place.launch(arguments + place.options).kill(afterMilliseconds: limit)
    }

    /// The duration of a command that is not killed, in milliseconds; it must succeed.
    func duration(_ arguments: [String], data: String = "data") async throws -> Int {
        let started = ContinuousClock.now
        let outcome = try await run(arguments, data: data)
        #expect(outcome.code == 0, "\(arguments): \(outcome.err)")
        return Int((ContinuousClock.now - started) / .milliseconds(1)) + 1
    }

    func run(_ arguments: [String], data: String = "data") async throws -> Outcome {
        try await place.run(arguments + ["--data", data] + place.options.dropFirst(2))
    }

    // MARK: Checks

    /// Checks that the log verifies without gaps in its positions and that the projections equal a
    /// rebuild; returns the log's last position.
    @discardableResult
    func requireSound() async throws -> Int64 {
        let audit = try await run(["audit", "verify", "--json"])
        // Killed before there was a log; the caller compares the position with what it knows.
        if audit.errorCode == "noLog" { return 0 }
        #expect(audit.code == 0, hint)
        let report = try audit.json()
        #expect(report["sound"]?.bool == true, hint)
        #expect(report["projectionsMatch"]?.bool == true, hint)
        let position = try #require(report["position"]?.int64, hint)
        #expect(report["events"]?.int64 == position, hint)
        let check = try await run(["rebuild", "--check", "--json"])
        #expect(check.code == 0, "\(check.out)\(check.err) \(hint)")
        #expect(try check.json()["position"]?.int64 == position, hint)
        return position
    }

    /// Checks that ingesting everything once more completes the log and duplicates none of its
    /// `known` events.
    func requireComplete(known: Int64) async throws {
        let again = try await run(["ingest", "all.ndjson", "--json"])
        #expect(again.code == 0, hint)
        let summary = try again.json()
        let all = Int64(lines.count)
        #expect(summary["duplicates"]?.int64 == known, hint)
        #expect(summary["appended"]?.int64 == all - known, hint)
        #expect(summary["position"]?.int64 == all, hint)
        let exported = try await run(["export", "events"])
        let positions = try exported.out.split(separator: "\n").map { line in
            try JSONValue.parse(Array(line.utf8))["position"]?.int64
        }
        #expect(positions == (1...all).map { $0 }, hint)
    }

    /// Checks that no files are left that require manual cleanup.
    func requireTidy(_ extra: [String] = []) throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: place.file("data/production"))
        for name in names where !isExpected(name) {
            #expect(extra.contains { name.hasPrefix($0) }, "left behind: \(name) \(hint)")
        }
    }

    private func isExpected(_ name: String) -> Bool {
        if ["projector.lock", "projections.sqlite"].contains(name) { return true }
        let sqlite = [".sqlite", ".sqlite-wal", ".sqlite-shm"]
        guard let suffix = sqlite.first(where: name.hasSuffix) else { return false }
        let stem = name.dropLast(suffix.count)
        return stem == "log" || stem == "operations"
            || stem.wholeMatch(of: /(facts|projections)(-[0-9]+)+/) != nil
    }
}
