import AppStore
import Foundation
import GRDB
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import TestSupport
import Testing

@Suite("Links to derived files changed by hand")
struct LinkTests {
    private static let chain = MadeChain(id: "570000000000001")
    private let chain = LinkTests.chain

    private static let shared = SharedLedger { _ = try await $0.ingest(chain.life) }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func link(_ files: DerivedFiles, to target: String) throws {
        let path = files.path(of: files.linkName)
        unlink(path)
        #expect(symlink(target, path) == 0)
    }

    private func tables(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema ORDER BY name")
        }
    }

    @Test("A link to the log is not followed: nothing is written there, and a remark says so")
    func intoTheLog() async throws {
        let ledger = try await taken()
        let directory = ledger.environmentDirectory
        let log = "\(directory)/\(EventLog.fileName)"
        let before = try tables(log)
        let answer = try await ledger.timeline(chain.id)
        let all = [DerivedFiles.facts(in: directory), .projections(in: directory)]
        for files in all { try link(files, to: EventLog.fileName) }
        let remarks = try await ledger.session { $0.remarks }
        #expect(remarks.count == 2)
        for (files, remark) in zip(all, remarks) {
            #expect(remark.contains("\(files.linkName) named \(EventLog.fileName)"))
            #expect(files.current() != nil)
        }
        #expect(try tables(log) == before)
        #expect(try await ledger.timeline(chain.id) == answer)
        try await ledger.session { session in
            #expect(session.remarks.isEmpty)
            let report = try await session.ledger.log.verify()
            #expect(report.findings.isEmpty)
        }
    }

    /// What replaces the facts.
    enum Place: CaseIterable {
        case garbage
        case somebodys
        case nothing
    }

    @Test("Facts that cannot be opened are rebuilt, with a remark", arguments: Place.allCases)
    func unusableFacts(place: Place) async throws {
        let ledger = try await taken()
        let files = DerivedFiles.facts(in: ledger.environmentDirectory)
        let path = try #require(files.current())
        try FileDamage.remove([DerivedFiles.name(of: path)], in: ledger.environmentDirectory)
        switch place {
        case .garbage: try Data(repeating: 0x41, count: 16_384).write(to: URL(filePath: path))
        case .somebodys:
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE mine (value TEXT)") }
            try queue.close()
        case .nothing: break
        }
        let remarks = try await ledger.session { session in
            let checkpoint = try await session.ledger.facts.checkpoint()
            #expect(checkpoint.position == 4)
            return session.remarks
        }
        #expect(remarks.count == 1)
        let state = place == .nothing ? "missing" : "damaged"
        let name = DerivedFiles.name(of: path)
        #expect(
            remarks.first == "\(name) was \(state); the facts are decoded from the log again.")
        try await ledger.session { #expect($0.remarks.isEmpty) }
    }
}
