import AppStore
import Faults
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Whether derived data belongs to this log")
struct LogWitnessTests {
    private let directory: TemporaryDirectory
    private let other: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        other = try TemporaryDirectory()
    }

    /// A log of these events, all with claimed times.
    private func log(_ ids: [String], in directory: TemporaryDirectory) async throws -> EventLog {
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(
            try ids.map { id in
                try Sample.event(
                    id, evidence: .jws(Array(Sample.token(Sample.notification(id)).utf8)),
                    claimed: true)
            })
        return log
    }

    /// The checkpoint at `position` of data derived while the log has these events.
    private func checkpoint(_ log: EventLog, _ position: Int64) async throws -> ProjectionCursor {
        let event = try #require(try await log.event(at: position)?.event)
        return ProjectionCursor(
            position: position, leafHash: event.leafHash, tree: try await log.tree())
    }

    /// The tree of the first events.
    private func tree(_ log: EventLog, _ size: Int64) async throws -> CompactRange {
        var tree = CompactRange()
        for event in try await log.events(after: 0, through: size) { tree.append(event.leafHash) }
        return tree
    }

    @Test("Data derived from the log is confirmed however far it has grown since")
    func grown() async throws {
        let log = try await log((1...9).map(String.init), in: directory)
        for size: Int64 in 1...9 {
            let event = try #require(try await log.event(at: size)?.event)
            let checkpoint = ProjectionCursor(
                position: size, leafHash: event.leafHash, tree: try await tree(log, size))
            for pageCount: Int64 in [1, 2, 8, 9, 10] {
                let witness = CursorVerifier(log, pageCount: pageCount)
                #expect(try await witness.confirms(checkpoint), "\(size) by \(pageCount)")
                // Again, from the cache.
                #expect(try await witness.confirms(checkpoint))
            }
        }
        #expect(try await CursorVerifier(log).confirms(.start))
        await log.close()
    }

    @Test("A log that diverged anywhere is another log, whatever both share since")
    func parted() async throws {
        let ids = (1...9).map(String.init)
        let log = try await log(ids, in: directory)
        for parted in [0, 3, 4, 7] {
            let place = try TemporaryDirectory()
            var others = ids
            others[parted] = "another"
            let fork = try await self.log(others, in: place)
            for size in Int64(parted + 2)...9 {
                let event = try #require(try await fork.event(at: size)?.event)
                // By its leaves alone, it could be this log.
                let mine = try await log.event(at: size)?.event.leafHash
                #expect(mine == event.leafHash)
                let checkpoint = ProjectionCursor(
                    position: size, leafHash: event.leafHash, tree: try await tree(fork, size))
                #expect(try await !CursorVerifier(log).confirms(checkpoint), "\(parted) at \(size)")
                let mere = ProjectionCursor(position: size, leafHash: event.leafHash)
                #expect(try await CursorVerifier(log).confirms(mere))
            }
            await fork.close()
        }
        await log.close()
    }

    @Test("Data behind the head is checked against the tree of its time")
    func behind() async throws {
        let log = try await log(["1", "2", "3", "4"], in: directory)
        let fork = try await self.log(["1", "2", "3", "5"], in: other)
        // Both logs are equal up to the second event; the data was derived with the fourth event
        // present.
        let checkpoint = try await checkpoint(fork, 2)
        #expect(try await !CursorVerifier(log).confirms(checkpoint))
        #expect(try await CursorVerifier(fork).confirms(checkpoint))
        await log.close()
        await fork.close()
    }

    @Test("A log that ends before the checkpoint is another one, as is an empty one")
    func shorter() async throws {
        let long = try await log(["1", "2", "3"], in: directory)
        let short = try await log(["1", "2"], in: other)
        let checkpoint = try await checkpoint(long, 2)
        #expect(try await !CursorVerifier(short).confirms(checkpoint))
        let place = try TemporaryDirectory()
        let empty = try await EventLog.open(directory: place.path)
        #expect(try await !CursorVerifier(empty).confirms(checkpoint))
        #expect(
            try await !CursorVerifier(empty).confirms(ProjectionCursor(position: 1, leafHash: nil)))
        for log in [long, short, empty] { await log.close() }
    }

    @Test(
        "A row that was damaged since does not cause a rebuild",
        arguments: [
            "UPDATE events SET leaf_hash = zeroblob(32) WHERE position = 4",
            "UPDATE events SET leaf_hash = x'00' WHERE position = 4",
            "UPDATE events SET received_at = 7, leaf_hash = zeroblob(32) WHERE position = 5",
            "DELETE FROM evidence WHERE position = 4; DELETE FROM events WHERE position = 4",
        ])
    func damaged(sql: String) async throws {
        var log = try await log(["1", "2", "3", "4", "5"], in: directory)
        let checkpoint = ProjectionCursor(
            position: 3, leafHash: try await log.event(at: 3)?.event.leafHash,
            tree: try await tree(log, 3))
        let path = log.path
        await log.close()
        try LogTampering(path: path).run(sql)
        log = try await EventLog.open(directory: directory.path)
        #expect(try await CursorVerifier(log).confirms(checkpoint))
        await log.close()
    }

    @Test("A derived file stores the tree with the position, whatever its size")
    func stored() async throws {
        let log = try await log(["1", "2", "3", "4", "5", "6", "7"], in: directory)
        let facts = try FactsStore(path: other.file("facts.sqlite"))
        #expect(try await facts.checkpoint() == .start)
        for position: Int64 in 1...7 {
            let event = try #require(try await log.event(at: position)?.event)
            let checkpoint = ProjectionCursor(
                position: position, leafHash: event.leafHash, tree: try await tree(log, position))
            try await facts.add([], checkpoint: checkpoint)
            #expect(try await facts.checkpoint() == checkpoint)
        }
        try facts.close()
        await log.close()
    }
}
