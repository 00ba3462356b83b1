import AppStore
import Foundation
import SQLiteStore
import Simulator
import TestSupport
import Testing

/// Appended events are durable and reported, even when derived data cannot be updated.
@Suite("Commands that append while projecting is impossible")
struct UnprojectedCommandTests {
    /// A ledger with two events, whose projector lock cannot be taken.
    private func place() async throws -> Workplace {
        let place = try await Self.shared.value.copied()
        try obstruct(place)
        return place
    }

    private static let shared = Task {
        try await Workplace.taken(Array(Evidence.lines[..<2]), in: .shared())
    }

    private func obstruct(_ place: Workplace) throws {
        let lock = place.ledgerFile("projector.lock")
        try? FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(
            atPath: lock, withIntermediateDirectories: true)
    }

    private func clear(_ place: Workplace) throws {
        try FileManager.default.removeItem(atPath: place.ledgerFile("projector.lock"))
    }

    private func expectReported(_ outcome: Outcome) {
        #expect(outcome.code == 74)
        #expect(outcome.errorCode == "ioError")
        #expect(outcome.err.contains("The appended events are durable"), "\(outcome.err)")
    }

    @Test("ingest prints its report, then the failure, and the events are there")
    func ingest() async throws {
        let place = try await place()
        try place.write(Evidence.lines, to: "in.ndjson")
        let outcome = try await place.run("ingest", "in.ndjson", "--json")
        expectReported(outcome)
        let summary = try outcome.json()
        #expect(summary["appended"]?.int64 == 2)
        #expect(summary["duplicates"]?.int64 == 2)
        #expect(summary["position"]?.int64 == 4)
        let again = try await place.run("ingest", "in.ndjson")
        expectReported(again)
        #expect(again.out.contains("4 duplicates"))
        try clear(place)
        let shown = try await place.run("show", Evidence.id, "--json")
        #expect(shown.code == 0)
        #expect(try shown.json()["state"]?.string == "expired")
    }

    @Test("A decision does not wait for another process that projects")
    func decision() async throws {
        let place = try await Workplace.taken()
        var lock = try ProjectorLock.take(directory: place.file("data/production"))
        #expect(lock != nil)
        let noted = try await place.run(
            "note", Evidence.id, "--by", "sara", "--reason", "a ticket", "--json")
        #expect(noted.code == 0, "\(noted.err)")
        #expect(try noted.json()["position"]?.int64 == Int64(Evidence.lines.count + 1))
        lock = nil
        let timeline = try await place.run("timeline", Evidence.id)
        #expect(timeline.out.contains("a ticket"))
    }

    @Test("quarantine retry prints its report, then the failure")
    func quarantine() async throws {
        let place = try await place()
        let outcome = try await place.run("quarantine", "retry", "--json")
        expectReported(outcome)
        #expect(try outcome.json()["read"]?.int64 == 0)
    }

    @Test("Where the output cannot be written, either, the failure before it is reported")
    func lostOutput() async throws {
        let place = try await place()
        expectReported(
            try await place.shell(
                "\"$0\" quarantine retry \(place.options.joined(separator: " ")) > /dev/full"))
    }

    @Test("migrate-from prints what was ingested, then the failure")
    func migrated() async throws {
        try await APICommandTests().serving { place, ids in
            #expect(try await place.run("api", "transaction-info", ids[0]).code == 0)
            try obstruct(place)
            try FileManager.default.createDirectory(
                atPath: place.file("stored"), withIntermediateDirectories: true)
            let reported = MigrateCommandTests.reported
            let customers = reported.ids(at: MigrateCommandTests.stored).prefix(3)
            for id in customers {
                let body = reported.verifyReceipt(of: id, at: MigrateCommandTests.stored)
                try place.write(Data(try #require(body)), to: "stored/\(id).json")
            }
            let outcome = try await place.run("migrate-from", "verify-receipt", "stored", "--json")
            expectReported(outcome)
            #expect(try outcome.json()["ingest"]?["appended"]?.int64 == 3)
            try clear(place)
            for id in customers {
                let shown = try await place.run(["show", id, "--json", "--data", "data"])
                #expect(shown.code == 0)
            }
        }
    }

    @Test("api and backfill print what was appended, then the failure; recover resumes")
    func asked() async throws {
        try await APICommandTests().serving { place, ids in
            let first = try await place.run("api", "transaction-info", ids[0])
            #expect(first.code == 0, "\(first.err)")
            try obstruct(place)
            let info = try await place.run("api", "transaction-info", ids[1], "--json")
            expectReported(info)
            #expect(try info.json()["ingest"]?["appended"]?.int64 == 1)
            try place.write([ids[2]], to: "ids")
            let backfill = try await place.run("backfill", "ids", "--json")
            expectReported(backfill)
            let appended = try #require(try backfill.json()["appended"]?.int64)
            #expect(appended > 0)
            let recover = try await place.run(
                "recover", "--json", "--from", "2026-05-01T00:00:00Z", "--to",
                "2026-05-20T00:00:00Z")
            #expect(recover.code == 74)
            #expect(recover.err.contains("What was fetched is in the log"))
            try clear(place)
            let shown = try await place.run(["show", ids[2], "--json", "--data", "data"])
            #expect(shown.code == 0)
            let resumed = try await place.run(
                "recover", "--json", "--from", "2026-05-01T00:00:00Z", "--to",
                "2026-05-20T00:00:00Z")
            #expect(resumed.code == 0, "\(resumed.err)")
            let fetched = try #require(try resumed.json()["fetched"]?.int64)
            #expect(fetched > 0)
        }
    }
}
