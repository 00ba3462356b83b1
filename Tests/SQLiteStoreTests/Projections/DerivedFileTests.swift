import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Recognition of derived files")
struct DerivedFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func link(_ files: DerivedFiles, to target: String) throws {
        let path = files.path(of: files.linkName)
        unlink(path)
        #expect(symlink(target, path) == 0)
    }

    private func schema(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema ORDER BY name")
        }
    }

    @Test(
        "A link may only name a file of its kind in the same directory", arguments: [true, false])
    func links(isFacts: Bool) throws {
        let path = directory.path
        let files = isFacts ? DerivedFiles.facts(in: path) : .projections(in: path)
        let name = isFacts ? "facts-4-7.sqlite" : "projections-5-7.sqlite"
        try Data().write(to: URL(filePath: "\(path)/\(name)"))
        try link(files, to: name)
        #expect(files.current() == "\(path)/\(name)")
        #expect(!files.isLinkForeign)
        try Data().write(to: URL(filePath: "\(path)/log.sqlite"))
        #expect(mkdir("\(path)/below", 0o700) == 0)
        try Data().write(to: URL(filePath: "\(path)/below/\(name)"))
        let other = name.replacing("7", with: "8")
        #expect(symlink("log.sqlite", "\(path)/\(other)") == 0)
        for target in [
            "log.sqlite", "\(path)/\(name)", "./\(name)", "below/\(name)", "\(name)-wal", other,
            "below", "..", isFacts ? "projections-5-7.sqlite" : "facts-4-7.sqlite",
        ] {
            try link(files, to: target)
            #expect(files.current() == nil, "\(target)")
            #expect(files.isLinkForeign, "\(target)")
        }
        // A missing file is not foreign.
        try link(files, to: name.replacing("7", with: "9"))
        #expect(files.current() == nil)
        #expect(!files.isLinkForeign)
    }

    @Test("A read that ends because its task was cancelled is no damage")
    func cancelled() {
        let errors: [any Error] = [
            CancellationError(), DatabaseError(resultCode: .SQLITE_INTERRUPT),
        ]
        for error in errors {
            let found = StoreError(error, path: "facts-4-7.sqlite")
                .ofDerivedFile("facts-4-7.sqlite")
            #expect(found.code == .closed)
            #expect(!found.asksForRebuild)
        }
    }

    @Test("A read of a closed file is no damage: a rebuild would not help")
    func closed() async throws {
        // given
        let path = directory.file("p.sqlite")
        let file = try ProjectionsBuild(
            path: path, build: ProjectionsStore.Build(catalogueHash: "none"))
        try file.finish(checkpoint: .start)
        let store = try ProjectionsStore(path: path)
        // when
        try store.close()
        let failure = await #expect(throws: StoreError.self) { _ = try await store.checkpoint() }
        // then
        #expect(failure?.code == .closed)
        #expect(failure?.remedy == "Open it again.")
        #expect(failure?.asksForRebuild == false)
    }

    @Test(
        "A name with a number that is never reached is foreign: the next file follows the others",
        arguments: [
            "2147483648", "9223372036854775806", "9223372036854775807", "9223372036854775808",
        ])
    func largeNumbers(number: String) throws {
        let files = DerivedFiles.projections(in: directory.path)
        let large = "projections-9-\(number).sqlite"
        for name in ["projections-9-7.sqlite", large] {
            try Data().write(to: URL(filePath: directory.file(name)))
        }
        #expect(files.newPath().hasSuffix("-8.sqlite"))
        try link(files, to: large)
        #expect(files.newPath().hasSuffix("-8.sqlite"))
    }

    @Test("A file with other contents is not written to")
    func somebodysFile() async throws {
        let log = try await EventLog.open(directory: directory.path)
        await log.close()
        let before = try schema(log.path)
        let foreign = StoreError(.fileForeign, reason: "", remedy: "")
        #expect(throws: foreign) { try FactsStore(path: log.path) }
        #expect(throws: foreign) { try FactsStore(existing: log.path) }
        #expect(throws: foreign) { try ProjectionsStore(path: log.path) }
        #expect(try schema(log.path) == before)
    }

    @Test("A file is open from its first connection to its last, whatever the kernel reports")
    func isOpen() async throws {
        let files = DerivedFiles.facts(in: directory.path)
        #expect(!files.isOpen)
        let store = try FactsStore(path: files.newPath())
        try files.use(store.path)
        #expect(files.isOpen)
        try await store.add([], checkpoint: .start)
        try store.close()
        #expect(!files.isOpen)
        try FactsStore(existing: store.path).close()
    }

    @Test("A file that lacks pages is damaged, although its write-ahead log has the page count")
    func truncated() async throws {
        let store = try FactsStore(path: directory.file("facts-4-7.sqlite"))
        try await store.write { database in
            try database.execute(sql: "CREATE TABLE filler AS SELECT zeroblob(200000)")
        }
        try await store.walCheckpoint()
        try await store.write { try $0.execute(sql: "CREATE TABLE later(x)") }
        // As of a killed process.
        let left = try TemporaryDirectory()
        let path = left.file("facts-4-7.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: path + suffix)
        }
        try store.close()
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        let byteCount = try Data(contentsOf: URL(filePath: path)).count
        #expect(!log.isEmpty && byteCount > 200_000)
        try FactsStore(existing: path).close()
        try log.write(to: URL(filePath: path + "-wal"))
        #expect(truncate(path, off_t(byteCount - 20 * 8_192)) == 0)
        let error = #expect(throws: StoreError.self) { try FactsStore(existing: path) }
        #expect(error?.code == .fileCorrupt && error?.asksForRebuild == true)
        #expect(error?.remedy.contains("rebuild --from-log") == true)
    }

    @Test("No remedy for damage of derived data is a backup")
    func remedies() throws {
        let path = directory.file("projections-5-7.sqlite")
        try Data(repeating: 0x41, count: 16_384).write(to: URL(filePath: path))
        let checks: [() throws -> Void] = [
            { _ = try StoredChains(path: path) },
            {
                _ = try MovementCheck.findings(
                    path: path, days: .utc, directory: directory.path)
            },
        ]
        for check in checks {
            let error = #expect(throws: StoreError.self) { try check() }
            #expect(error?.isDamage == true && error?.asksForRebuild == true)
            #expect(error?.remedy.contains("backup") == false)
        }
    }

    @Test("Facts of another decoder, a file of another kind and an empty one are refused")
    func otherKinds() throws {
        let foreign = StoreError(.fileForeign, reason: "", remedy: "")
        let path = directory.file("facts.sqlite")
        try FactsStore(path: path).close()
        try FactsStore(existing: path).close()
        #expect(throws: foreign) { try ProjectionsStore(path: path) }
        let file = try DatabaseQueue(path: path)
        try file.write { try $0.execute(sql: "UPDATE meta SET value = '1'") }
        try file.close()
        #expect(throws: foreign) { try FactsStore(existing: path) }
        #expect(throws: foreign) { try FactsStore(path: path) }
        let empty = directory.file("empty.sqlite")
        try Data().write(to: URL(filePath: empty))
        #expect(throws: foreign) { try FactsStore(existing: empty) }
    }
}
