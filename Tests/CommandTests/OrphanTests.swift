import Foundation
import Ledger
import Testing

/// A kill between creating a derived file and linking it leaves a file that is never opened.
@Suite("Incomplete derived files")
struct OrphanTests {
    @Test("A file that never became current is removed by the next command, with its journal")
    func orphan() async throws {
        let place = try await Workplace.taken()
        let orphan = "facts-\(Fact.decoderVersion)-99.sqlite"
        for name in [orphan, orphan + "-journal"] {
            try Data().write(to: URL(filePath: place.ledgerFile(name)))
        }
        #expect(try await place.run("rebuild").code == 0)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: place.file("data/production"))
        #expect(!names.contains { $0.hasPrefix(orphan) })
    }

    private func remove(_ names: String..., from place: Workplace) throws {
        for name in names where FileManager.default.fileExists(atPath: place.ledgerFile(name)) {
            try FileManager.default.removeItem(atPath: place.ledgerFile(name))
        }
    }

    @Test("An empty log is not begun anew where events were derived from it")
    func emptyLog() async throws {
        let place = try await Workplace.taken()
        try remove("log.sqlite-wal", "log.sqlite-shm", from: place)
        let log = URL(filePath: place.ledgerFile("log.sqlite"))
        try Data().write(to: log)
        for arguments in [
            ["show", Evidence.id], ["ingest", "in.ndjson"], ["audit", "verify"],
            ["backup", "a.backup"],
        ] {
            let outcome = try await place.run(arguments + place.options)
            #expect(outcome.code == 74 && outcome.errorCode == "fileReplaced", "\(outcome.err)")
            #expect(outcome.err.contains("missing or empty; data up to position"))
        }
        #expect(try Data(contentsOf: log).isEmpty)
    }

    @Test("Where only the write-ahead log of operations is left, the remedy leaves the log alone")
    func operationsLeftover() async throws {
        let place = try await Workplace.taken()
        try remove("operations.sqlite", "operations.sqlite-shm", from: place)
        try Data([1, 2, 3]).write(to: URL(filePath: place.ledgerFile("operations.sqlite-wal")))
        let refused = try await place.run("show", Evidence.id)
        #expect(refused.code == 74 && refused.errorCode == "fileReplaced", "\(refused.err)")
        #expect(refused.err.contains("No answer depends on it: move `operations.sqlite-wal`"))
        #expect(refused.err.contains("webhook cursors and waiting deliveries"))
        #expect(!refused.err.contains("restore"))
        try remove("operations.sqlite-wal", from: place)
        #expect(try await place.run("show", Evidence.id).code == 0)
    }
}
