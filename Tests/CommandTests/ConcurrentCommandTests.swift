import AppStore
import Foundation
import Testing

/// Several processes working in one directory.
@Suite("Concurrent processes", .serialized)
struct ConcurrentCommandTests {
    /// Rebuilds that may find the projector busy.
    private static let patience = 100

    @Test("Two append, one projects, and readers never see an error or an older state")
    func beside() async throws {
        let kills = try KillPlace(lines: try await History.lines())
        let first = kills.lines.count / 4
        try kills.place.write(Array(kills.lines.prefix(first)), to: "first.ndjson")
        #expect(try await kills.run(["ingest", "first.ndjson"]).code == 0)
        let id = try #require(
            try await kills.run(["export", "subscriptions"]).out.split(separator: "\n").first
                .flatMap { try JSONValue.parse(Array($0.utf8))["originalTransactionId"]?.string })
        let rest = kills.lines.dropFirst(first).enumerated()
        for half in 0...1 {
            let lines = rest.filter { $0.offset % 2 == half }.map(\.element)
            try kills.place.write(lines, to: "half-\(half).ndjson")
        }
        let writers = try (0...1).map { half in
            try kills.place.launch(["ingest", "half-\(half).ndjson"] + kills.place.options)
        }
        let readers = Task { try await read(id, from: Int64(first), in: kills) }
        var rebuiltCount = 0
        for _ in 0..<ConcurrentCommandTests.patience where rebuiltCount < 3 {
            let rebuilt = try await kills.run(["rebuild", "--json"])
            if rebuilt.code == 0 {
                rebuiltCount += 1
            } else {
                #expect(rebuilt.errorCode == "projectorBusy", "\(rebuilt.err)")
            }
        }
        #expect(rebuiltCount == 3)
        for writer in writers {
            let outcome = try await writer.outcome()
            #expect(outcome.code == 0, "\(outcome.err)")
        }
        readers.cancel()
        try await readers.value
        #expect(try await kills.requireSound() == Int64(kills.lines.count))
        try await kills.requireComplete(known: Int64(kills.lines.count))
        try kills.requireTidy()
    }

    /// Queries until cancelled, at least twice.
    private func read(_ id: String, from start: Int64, in kills: KillPlace) async throws {
        var (position, events, asked) = (start, Int(start), 0)
        while asked < 2 || !Task.isCancelled {
            asked += 1
            let shown = try await kills.run(["show", id, "--json"])
            #expect(shown.code == 0, "\(shown.err)")
            let now = try #require(try shown.json()["position"]?.int64)
            #expect(now >= position)
            position = now
            let exported = try await kills.run(["export", "events"])
            #expect(exported.code == 0, "\(exported.err)")
            let count = exported.out.split(separator: "\n").count
            #expect(count >= events)
            events = count
        }
    }

    @Test("A backup during appends holds the log up to one position, and is sound")
    func backupBeside() async throws {
        let kills = try KillPlace(lines: try await History.lines())
        let first = kills.lines.count / 4
        try kills.place.write(Array(kills.lines.prefix(first)), to: "first.ndjson")
        #expect(try await kills.run(["ingest", "first.ndjson"]).code == 0)
        let writer = try kills.place.launch(["ingest", "all.ndjson"] + kills.place.options)
        let backup = try await kills.run(["backup", "beside.backup", "--json"])
        #expect(backup.code == 0, "\(backup.err)")
        let position = try #require(try backup.json()["position"]?.int64)
        #expect(position >= Int64(first))
        let appended = try await writer.outcome()
        #expect(appended.code == 0, "\(appended.err)")
        // The directory is deleted, restored, and the file ingested again.
        let before = try await kills.run(["export", "transitions"]).out
        try FileManager.default.removeItem(atPath: kills.place.file("data"))
        let restored = try await kills.run(["restore", "beside.backup", "--json"])
        #expect(restored.code == 0, "\(restored.err)")
        #expect(try restored.json()["position"]?.int64 == position)
        #expect(try await kills.requireSound() == position)
        try await kills.requireComplete(known: position)
        #expect(try await kills.requireSound() == Int64(kills.lines.count))
        let transitions = try await kills.run(["export", "transitions"]).out
        #expect(withoutPositions(transitions) == withoutPositions(before))
    }

    /// Answers without the log positions of their causes.
    private func withoutPositions(_ lines: String) -> [String] {
        lines.split(separator: "\n").map { line in
            String(line).replacing(/"position":[0-9]+/, with: "")
        }
    }
}
