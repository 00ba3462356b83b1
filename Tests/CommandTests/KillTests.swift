import AppStore
import Foundation
import Simulator
import TestSupport
import Testing

/// Commands of the real binary, killed at random times: no acknowledged event is lost or
/// duplicated, and the next command needs no intervention.
@Suite("Killed at any time", .serialized)
struct KillTests {
    /// A part of the history, so that rounds are short; all of it in soak.
    private func lines() async throws -> [String] {
        Array(try await History.lines().prefix(Soak.count(40, soak: History.count)))
    }

    @Test("Ingest, from the first opening on: existing events stay, and the rest follows")
    func ingest() async throws {
        let kills = try KillPlace(lines: try await lines())
        var random = SeededGenerator(seed: kills.seed)
        let whole = try await KillPlace(lines: kills.lines).duration(["ingest", "all.ndjson"])
        var known: Int64 = 0
        for _ in 0..<3 * KillPlace.rounds {
            let end = 1 + random.below(kills.lines.count)
            try kills.place.write(Array(kills.lines.prefix(end)), to: "some.ndjson")
            let ending = try await kills.kill(
                ["ingest", "some.ndjson"], within: whole, &random)
            let position = try await kills.requireSound()
            #expect(position >= known, kills.hint)
            // An ingest that exits with 0 has acknowledged all of its lines.
            if ending == .exited(0) { #expect(position >= Int64(end), kills.hint) }
            known = position
        }
        try await kills.requireComplete(known: known)
        try await kills.requireSound()
        try kills.requireTidy()
    }

    @Test("The first opening, while files and schema are created")
    func firstOpening() async throws {
        let kills = try KillPlace(lines: Array(try await History.lines().prefix(3)))
        var random = SeededGenerator(seed: kills.seed)
        for _ in 0..<2 * KillPlace.rounds {
            let data = kills.place.file("data")
            try? FileManager.default.removeItem(atPath: data)
            for _ in 0..<3 {
                _ = try await kills.kill(["show", "1"], within: 60, &random)
            }
            try await kills.requireComplete(known: 0)
            try kills.requireTidy()
        }
    }

    @Test(
        "Projecting and rebuilding: the answers are those of a rebuild",
        arguments: [
            ["export", "subscriptions"], ["rebuild"], ["rebuild", "--from-log"],
            ["rebuild", "--check"],
        ])
    func derive(arguments: [String]) async throws {
        let kills = try KillPlace(lines: try await lines())
        var random = SeededGenerator(seed: kills.seed)
        #expect(try await kills.run(["ingest", "all.ndjson"]).code == 0)
        let before = try await kills.run(["export", "transitions"]).out
        if arguments.first == "export" { try dropDerived(kills) }
        let whole = try await kills.duration(arguments)
        for _ in 0..<KillPlace.rounds {
            if arguments.first == "export" { try dropDerived(kills) }
            for _ in 0..<2 { _ = try await kills.kill(arguments, within: whole, &random) }
            #expect(try await kills.run(["export", "transitions"]).out == before, kills.hint)
        }
        #expect(try await kills.requireSound() == Int64(kills.lines.count))
        #expect(try await kills.run(["rebuild"]).code == 0)
        try kills.requireTidy()
    }

    private func dropDerived(_ kills: KillPlace) throws {
        let directory = kills.place.file("data/production")
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasPrefix("facts-") || name.hasPrefix("projections") {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }

    @Test("Backup: it is absent or complete; the next run removes leftovers")
    func backup() async throws {
        let kills = try KillPlace(lines: try await lines())
        var random = SeededGenerator(seed: kills.seed)
        #expect(try await kills.run(["ingest", "all.ndjson"]).code == 0)
        let whole = try await kills.duration(["backup", "first.backup"])
        for round in 0..<2 * KillPlace.rounds {
            let name = "\(round).backup"
            let ending = try await kills.kill(["backup", name], within: whole, &random)
            let exists = FileManager.default.fileExists(atPath: kills.place.file(name))
            if ending == .exited(0) { #expect(exists, kills.hint) }
            guard exists else { continue }
            let restored = try await kills.run(["restore", name], data: "other-\(round)")
            #expect(restored.code == 0, "\(restored.err) \(kills.hint)")
        }
        #expect(try await kills.run(["backup", "last.backup"]).code == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: kills.place.path)
        #expect(!names.contains { $0.contains(".partial-") }, kills.hint)
        #expect(try await kills.requireSound() == Int64(kills.lines.count))
        try kills.requireTidy()
    }

    @Test("Restore: one log or the other is there, complete, and the old one is kept")
    func restore() async throws {
        let kills = try KillPlace(lines: try await lines())
        var random = SeededGenerator(seed: kills.seed)
        let half = kills.lines.count / 2
        try kills.place.write(Array(kills.lines.prefix(half)), to: "half.ndjson")
        #expect(try await kills.run(["ingest", "half.ndjson"]).code == 0)
        #expect(try await kills.run(["backup", "half.backup"]).code == 0)
        #expect(try await kills.run(["ingest", "all.ndjson"]).code == 0)
        let whole = try await kills.duration(["restore", "half.backup"], data: "scratch")
        for _ in 0..<2 * KillPlace.rounds {
            _ = try await kills.kill(
                ["restore", "half.backup", "--replace"], within: whole, &random)
            let position = try await kills.requireSound()
            #expect([Int64(half), Int64(kills.lines.count)].contains(position), kills.hint)
            try await kills.requireComplete(known: position)
        }
        let last = try await kills.run(["restore", "half.backup", "--replace", "--json"])
        #expect(last.code == 0, "\(last.err) \(kills.hint)")
        #expect(try last.json()["positionBefore"]?.int64 == Int64(kills.lines.count))
        #expect(try await kills.requireSound() == Int64(half))
        try kills.requireTidy(["log-replaced-"])
    }
}
