import AppStore
import Faults
import Foundation
import GRDB
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("The log is immutable")
struct LogImmutabilityTests {
    @Test(
        "Rows cannot be changed or deleted with any SQL tool",
        arguments: [
            "UPDATE events SET trust = 2", "UPDATE events SET position = position + 1",
            "DELETE FROM events", "DELETE FROM events WHERE position = 1",
            "UPDATE evidence SET bytes = NULL", "DELETE FROM evidence",
            "UPDATE headers SET bytes = x'00'", "DELETE FROM headers", "DELETE FROM head",
            "INSERT INTO head SELECT 2, position, tree, root, NULL FROM head",
        ])
    func triggers(sql: String) async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<2))
        let queue = try DatabaseQueue(path: directory.file("log.sqlite"))
        #expect(throws: DatabaseError.self) {
            try queue.inDatabase { try $0.execute(sql: sql) }
        }
        try queue.close()
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("The readable view shows codes as names, and times and hashes as text")
    func view() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append([try Sample.event("n", at: 1_759_302_518_835)])
        let row = try #require(try await log.event(at: 1)).event
        await log.close()
        let found = try LogTampering(path: directory.file("log.sqlite")).strings(
            """
            SELECT kind || ' ' || source || ' ' || trust || ' ' || received_at || ' ' || key
            FROM events_readable
            """)
        let expected = "notification webhook signed 2025-10-01T07:08:38.835Z \(row.key.hexadecimal)"
        #expect(found == [expected])
    }

    @Test("Every code of kind, source and trust has the same name as in the rows")
    func codes() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let events = try StoreReadConformance.everyCode()
        _ = try await log.append(events)
        await log.close()
        let found = try LogTampering(path: directory.file("log.sqlite")).strings(
            "SELECT kind || source || trust FROM events_readable ORDER BY position")
        let spelt = events.map(\.attributes).map {
            $0.kind.rawValue + $0.source.rawValue + $0.trust.rawValue
        }
        #expect(found == spelt)
    }

    @Test("Files are private to their owner")
    func permissions() async throws {
        let directory = try TemporaryDirectory()
        let inner = directory.file("a/b")
        let log = try await EventLog.open(directory: inner)
        _ = try await log.append(Sample.events(0..<1))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for name in ["log.sqlite", "log.sqlite-wal", "log.sqlite-shm"] {
            #expect(try mode(inner + "/" + name) == 0o600, "\(name)")
        }
        #expect(try mode(inner) == 0o700)
        #expect(try mode(directory.file("a")) == 0o700)
        await log.close()
    }
}
