import AppStore
import Foundation
import LedgerStore
import PostgresSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Outcomes of COMMIT, and a log that went back", .postgres)
struct LogOutcomeTests {
    /// Fails chosen commits, counted from 1, before or after they take effect.
    private final class Script: CommitFaults {
        struct Failure: Error {}

        private let count = Mutex(0)
        private let before: Set<Int>
        private let after: Set<Int>

        init(before: Set<Int> = [], after: Set<Int> = []) {
            self.before = before
            self.after = after
        }

        func willCommit() throws {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if before.contains(number) { throw Failure() }
        }

        func didCommit() throws {
            if after.contains(count.withLock { $0 }) { throw Failure() }
        }
    }

    @Test("An answer that was lost, before or after COMMIT, twice in a row: each event once")
    func lost() async throws {
        let database = try Database()
        let log = try await database.open(faults: Script(before: [2, 5, 6], after: [4, 8, 9]))
        for number in 0..<6 {
            let results = try await log.append(Made.events(number * 2..<number * 2 + 2))
            #expect(results.map(\.position) == [Int64(number * 2 + 1), Int64(number * 2 + 2)])
            #expect(!results.contains { !$0.isWritten })
        }
        try await log.expectSound(Set((0..<12).map { "e\($0)" }))
        await log.close()
    }

    /// Runs `body` before the first COMMIT, which then fails.
    private final class Overtaken: CommitFaults {
        private let body = Mutex<(@Sendable () throws -> Void)?>(nil)

        func once(_ new: @escaping @Sendable () throws -> Void) { body.withLock { $0 = new } }

        func willCommit() throws {
            guard let once = body.withLock({ $0.take() }) else { return }
            try once()
            throw Script.Failure()
        }

        func didCommit() throws {}
    }

    @Test("An equal event of another node at the last position does not stand for the first one")
    func overtaken() async throws {
        let database = try Database()
        let faults = Overtaken()
        let (log, other) = (try await database.open(faults: faults), try await database.open())
        let append = Mutex<Task<[AppendResult], any Error>?>(nil)
        let isOver = Flag()
        faults.once {
            append.withLock {
                $0 = Task {
                    defer { isOver.set() }
                    return try await other.append([Made.event("z"), Made.event("y")])
                }
            }
            // The other node waits for the row that this transaction has locked, until the server
            // undoes it.
            let ending = """
                SELECT count(pg_terminate_backend(blocker)) FROM (
                    SELECT DISTINCT unnest(pg_blocking_pids(a.pid)) AS blocker
                    FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
                    WHERE a.wait_event_type = 'Lock'
                        AND l.relation = '\(database.schema).head'::regclass) AS waiting
                """
            while try !isOver.isSet && database.sql(ending) == "0" { usleep(5_000) }
            while !isOver.isSet { usleep(5_000) }
        }
        let results = try await log.append([Made.event("x"), Made.event("y")])
        #expect(try await append.withLock { $0 }?.value.map(\.position) == [1, 2])
        #expect(results == [.appended(position: 3), .duplicate(of: 2)])
        try await log.expectSound(["x", "y", "z"])
        await log.close()
        await other.close()
    }

    @Test("New headers from two stores at once have the ids 1…n")
    func headers() async throws {
        let database = try Database()
        let logs = [try await database.open(), try await database.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let event = try Made.token("t\(number)", header: "header\(number / 4)")
                    _ = try await logs[number % 2].append([event])
                }
            }
            try await group.waitForAll()
        }
        let ids = "SELECT count(*), max(id) FROM \(database.schema).headers"
        #expect(try database.sql(ids) == "10|10")
        for log in logs {
            #expect(try await log.verify().isSound)
            for logged in try await log.page(after: 0) {
                let bytes = try logged.originalBytes()
                #expect(bytes != nil)
            }
            await log.close()
        }
    }

    /// Replaces the database by a copy made earlier, as a failover to a standby that was behind.
    private func replace(_ database: Database, by copy: String, keeping old: String) throws {
        let name = database.name
        try database.cluster.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'
            """)
        try database.cluster.sql("ALTER DATABASE \(name) RENAME TO \(old)")
        try database.cluster.sql("ALTER DATABASE \(copy) RENAME TO \(name)")
    }

    @Test("A log that went back is never appended to until it is accepted, or back as it was")
    func wentBack() async throws {
        let database = try Database(of: nil)
        let first = try await database.open()
        _ = try await first.append(Made.events(0..<5))
        await first.close()
        let copy = "\(database.name)_copy"
        try database.cluster.sql("CREATE DATABASE \(copy) TEMPLATE \(database.name)")
        let log = try await database.open()
        #expect(try await log.events(after: 0, through: 5, limit: 9, damaged: .marked).count == 5)
        _ = try await log.append(Made.events(5..<10))
        let seen = log.lastSeen
        #expect(seen.position == 10)
        let lost = "\(database.name)_lost"
        try replace(database, by: copy, keeping: lost)

        // What cannot be compared is no first difference, and is compared the next time.
        let unknown = log.loss(LogWentBack(head: 5), nil)
        #expect(unknown.reason.contains("position 6, or before; it now ends at 5"), "\(unknown)")
        // Another node goes on with the copy, beyond what this one has seen.
        let other = try await database.open()
        for _ in 0..<2 {
            let events = try Made.events(20..<21)
            do throws(StoreError) {
                _ = try await log.append(events)
                Issue.record("appended to another log")
            } catch {
                #expect(error.code == .logWentBack)
                #expect(error.reason.contains("position 6; it now ends at 5"), "\(error)")
                // A node has a log for each environment, and accepts one at a time.
                #expect(error.remedy.contains("log accept --environment production"))
                #expect(error.remedy.contains("--data"), "\(error.remedy)")
            }
        }
        await #expect(throws: failure(.logWentBack)) { try await database.open(seen: seen) }
        _ = try await other.append(Made.events(30..<40))
        // Its rows are not those of the log that this node knows, not even the first five; only an
        // audit reads them.
        for position in [0, 10] as [Int64] {
            await #expect(throws: failure(.logWentBack)) {
                try await log.events(after: position, damaged: .marked)
            }
            await #expect(throws: failure(.logWentBack)) {
                try await log.page(after: position, damaged: .marked)
            }
            await #expect(throws: failure(.logWentBack)) {
                try await log.leafHashes(after: position, through: 15)
            }
        }
        #expect(try await log.auditedPage(after: 10, through: 15)?.last == 15)
        #expect(log.lastSeen == seen)
        await #expect(throws: failure(.logWentBack)) { try await database.open(seen: seen) }
        await #expect(throws: failure(.logWentBack)) { try await log.append(Made.events(20..<21)) }

        let accepted = try await database.open(seen: .start)
        #expect(try await accepted.append(Made.events(20..<21)) == [.appended(position: 16)])
        let ids = Array(0..<5) + Array(30..<40) + [20]
        try await accepted.expectSound(Set(ids.map { "e\($0)" }))
        await accepted.close()
        await other.close()
        try replace(database, by: lost, keeping: copy)
        #expect(try await log.append(Made.events(20..<21)) == [.appended(position: 11)])
        await log.close()
    }

    @Test("A difference is the first only where the position before it was compared")
    func firstDifference() {
        let (leaf, other) = (Digest(words: (1, 1, 1, 1)), Digest(words: (2, 2, 2, 2)))
        var leaves = SeenLeaves()
        for position in [8, 9, 10] as [Int64] { leaves.note(position, leaf) }
        let equal = leaves.firstDifference(from: [8: leaf, 9: leaf, 10: leaf], endingAt: 10)
        #expect(equal?.position == nil)
        // The known positions, the end of the log, and the answer.
        let cases: [([Int64: Digest], Int64, Int64, Bool)] = [
            ([:], 5, 6, false), ([:], 7, 8, false), ([:], 0, 1, true),
            ([8: other, 9: other, 10: other], 12, 8, false),
            ([8: leaf, 9: other, 10: other], 12, 9, true), ([8: leaf, 9: leaf], 9, 10, true),
        ]
        for (found, head, position, isFirst) in cases {
            let difference = leaves.firstDifference(from: found, endingAt: head)
            #expect(difference?.position == position && difference?.isFirst == isFirst)
        }
    }

    @Test("A connection that reaches the database of another ledger is not used")
    func otherLedger() async throws {
        let (database, other) = (try Database(of: nil), try Database(of: nil))
        let log = try await database.open()
        let store = try await PostgresOperations.open(database.place(), environment: .production)
        // A schema of the same name, as where the name of a host leads to another server.
        let string = try #require(ConnectionString(other.cluster.url(other.name)))
        let place = try #require(PostgresLocation(string, schema: database.schema))
        try await Database.open(place).close()
        let old = "\(database.name)_old"
        try replace(database, by: other.name, keeping: old)
        await #expect(throws: failure(.fileForeign)) { try await log.append([Made.event("a")]) }
        await #expect(throws: failure(.fileForeign)) { try await log.head() }
        await #expect(throws: failure(.fileForeign)) { try await store.quarantineCount() }
        try replace(database, by: old, keeping: other.name)
        #expect(try await log.append([Made.event("a")]) == [.appended(position: 1)])
        #expect(try await store.quarantineCount() == 0)
        await log.close()
        await store.close()
    }

    @Test("Headers of a log that went back are not taken for those of the log that returns")
    func headersOfAnother() async throws {
        let database = try Database(of: nil)
        let copy = "\(database.name)_copy"
        let first = try await database.open()
        _ = try await first.append([Made.event("a")])
        await first.close()
        try database.cluster.sql("CREATE DATABASE \(copy) TEMPLATE \(database.name)")
        let log = try await database.open()
        _ = try await log.append([Made.token("b", header: "kept")])
        let kept = "\(database.name)_kept"
        try replace(database, by: copy, keeping: kept)
        let other = try await database.open()
        let header = "gone"
        _ = try await other.append([Made.token("c"), Made.token("d", header: header)])
        // The second header has an id there that this node does not know.
        await #expect(throws: failure(.logWentBack)) { try await log.page(after: 2, through: 3) }
        await other.close()
        try replace(database, by: kept, keeping: copy)
        _ = try await log.append([Made.token("e", header: header)])
        try await log.expectSound(["a", "b", "e"])
        await log.close()
    }
}
