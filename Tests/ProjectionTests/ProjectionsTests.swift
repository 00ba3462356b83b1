import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

@Suite("Projections files")
struct ProjectionsTests {
    private static let first = MadeChain(id: "570000000000001", storefront: "ZZQ")
    private let chain = ProjectionsTests.first
    private let other = MadeChain(id: "570000000000005")

    /// Two files, the second one current.
    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(first.life)
        try await ledger.session { session in
            try await #require(session.projector).rebuild()
        }
    }

    private func rebuilt() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func files(_ ledger: TemporaryLedger) -> DerivedFiles {
        .projections(in: ledger.environmentDirectory)
    }

    private static func error(_ code: StoreError.Code) -> StoreError {
        StoreError(code, reason: "", remedy: "")
    }

    // MARK: Far behind

    @Test(
        "A bulk rebuild starts one event past each bound",
        arguments: [
            // Always, past this many.
            (BulkLimits.behindEventCount, Int64.max / 1_000, false),
            (BulkLimits.behindEventCount + 1, Int64.max / 1_000, true),
            // Past a share of the log …
            (20_000, 200_000, false), (20_001, 200_000, true), (20_000, 199_999, true),
            // … unless it is little.
            (BulkLimits.leastEventCount, BulkLimits.leastEventCount, false),
            (BulkLimits.leastEventCount + 1, BulkLimits.leastEventCount + 1, true),
            (0, 0, false), (1, 1, false), (0, 10_000_000, false),
        ] as [(Int64, Int64, Bool)])
    func isFar(behind: Int64, head: Int64, expected: Bool) {
        #expect(BulkLimits.isFar(behind: behind, head: head) == expected)
    }

    // MARK: List

    @Test(
        "A list names every file, oldest first, with its build and whether it is current")
    func list() async throws {
        let ledger = try await rebuilt()
        let files = files(ledger)
        let listed = try await ledger.ledger { await $0.listProjections() }
        #expect(listed.map(\.name) == files.names())
        #expect(listed.map(\.isCurrent) == [false, true])
        #expect(listed.map(\.position) == [4, 4])
        #expect(listed.map(\.isUsable) == [true, true])
        #expect(listed.allSatisfy { $0.byteCount > 0 })
        #expect(listed.allSatisfy { $0.build?.reducerVersion == Lifecycle.reducerVersion })
    }

    @Test("Before the first build nothing is listed; an unreadable file is listed as such")
    func unreadable() async throws {
        let ledger = try TemporaryLedger()
        #expect(try await ledger.ledger { await $0.listProjections().isEmpty })
        _ = try await ledger.ingest(chain.life)
        let name = "projections-\(Lifecycle.reducerVersion)-9.sqlite"
        try Data(repeating: 7, count: 9_000).write(
            to: URL(filePath: ledger.environmentDirectory + "/" + name))
        let listed = try await ledger.ledger { await $0.listProjections() }
        let broken = try #require(listed.first { $0.name == name })
        #expect(broken.position == nil)
        #expect(broken.build == nil)
        #expect(!broken.isUsable)
        #expect(!broken.isCurrent)
        #expect(broken.byteCount == 9_000)
    }

    // MARK: Use

    @Test("Only a listed file can be used, by its name and not by its path")
    func useOfNoFile() async throws {
        let ledger = try await rebuilt()
        let path = files(ledger).path(of: try #require(files(ledger).names().first))
        let names = [
            path, "", ".", "..", "projections-\(Lifecycle.reducerVersion)-99.sqlite",
            "projections.sqlite", "log.sqlite",
            "operations.sqlite", "facts-\(Fact.decoderVersion)-1.sqlite",
            "../production/projections-\(Lifecycle.reducerVersion)-1.sqlite",
            "./projections-\(Lifecycle.reducerVersion)-1.sqlite",
            "/projections-\(Lifecycle.reducerVersion)-1.sqlite",
            "projections-\(Lifecycle.reducerVersion)-1.sqlite/",
            "projections-\(Lifecycle.reducerVersion)-1.sqlite-wal", "projector.lock",
        ]
        let before = files(ledger).current()
        try await ledger.session { session in
            let projector = try #require(session.projector)
            for name in names {
                await #expect(throws: ProjectionsTests.error(.noSuchFile), "\(name)") {
                    try await projector.use(name)
                }
                #expect(files(ledger).current() == before, "\(name)")
            }
            #expect(try await projector.projections.checkpoint().position == 4)
        }
        #expect(files(ledger).current() == before)
        #expect(try await ledger.show(chain.id)["state"]?.string == "expired")
    }

    @Test("A file of another build is not made current")
    func useOfAnotherBuild() async throws {
        var ledger = try await rebuilt()
        // The newest of the others is kept.
        let first = try #require(files(ledger).linkedName())
        ledger.configuration.catalogue.products[ProductId("com.example.pass")] = nil
        try await ledger.session { session in
            let projector = try #require(session.projector)
            await #expect(throws: ProjectionsTests.error(.fileChanged)) {
                try await projector.use(first)
            }
        }
        #expect(files(ledger).linkedName() != first)
    }

    @Test("An older file that is used again is caught up with the log and gives the same answers")
    func useOfOlder() async throws {
        let ledger = try await rebuilt()
        _ = try await ledger.ingest(other.life)
        let before = try await ledger.export(.subscriptions)
        let timeline = try await ledger.timeline(other.id)
        let first = try #require(files(ledger).names().first)
        try await ledger.session { session in
            let projector = try #require(session.projector)
            let older = try #require(await session.ledger.listProjections().first)
            #expect(older.position == 4)
            try await projector.use(older.name)
            #expect(projector.projections.path == files(ledger).path(of: first))
            #expect(try await projector.projections.checkpoint().position == 8)
        }
        #expect(files(ledger).linkedName() == first)
        #expect(try await ledger.export(.subscriptions) == before)
        #expect(try await ledger.timeline(other.id) == timeline)
        let differences = try await ledger.session { session in
            try await RebuildCheck(try #require(session.projector)).run().count
        }
        #expect(differences == 0)
    }

    // MARK: Drop

    @Test("The current file is never dropped")
    func dropOfCurrent() async throws {
        let ledger = try await rebuilt()
        let name = try #require(files(ledger).linkedName())
        try await ledger.session { session in
            let projector = try #require(session.projector)
            #expect(throws: ProjectionsTests.error(.fileInUse)) { try projector.drop([name]) }
        }
        #expect(files(ledger).names().count == 2)
    }

    @Test("An unlisted file is not dropped")
    func dropOfNoFile() async throws {
        let ledger = try await rebuilt()
        let names = [
            "", ".", "projections-\(Lifecycle.reducerVersion)-99.sqlite", "projections.sqlite",
            "log.sqlite",
            "facts-\(Fact.decoderVersion)-1.sqlite",
            "./projections-\(Lifecycle.reducerVersion)-1.sqlite",
            "../production/projections-\(Lifecycle.reducerVersion)-1.sqlite",
        ]
        let before = try FileDamage.names(in: ledger.environmentDirectory)
        try await ledger.session { session in
            let projector = try #require(session.projector)
            for name in names {
                #expect(throws: ProjectionsTests.error(.noSuchFile), "\(name)") {
                    try projector.drop([name])
                }
            }
        }
        let after = try FileDamage.names(in: ledger.environmentDirectory)
        #expect(Set(after).isSuperset(of: before.filter { $0.hasSuffix(".sqlite") }))
    }

    @Test("A file that a reader has open is kept; once it is closed, it is dropped")
    func dropWhileOpen() async throws {
        let ledger = try await rebuilt()
        let name = try #require(files(ledger).names().first)
        let path = files(ledger).path(of: name)
        try await ledger.session { session in
            let projector = try #require(session.projector)
            let reader = try ProjectionsStore(path: path)
            #expect(try await reader.subscriptionCount() == 1)
            let kept = try projector.drop([name])
            #expect(kept.dropped.isEmpty)
            #expect(kept.inUse == [name])
            #expect(reader.isInPlace)
            #expect(try await reader.subscriptionCount() == 1)
            try reader.close()
            let gone = try projector.drop([])
            #expect(gone.dropped == [name])
            #expect(gone.inUse.isEmpty)
            let nothing = try projector.drop([])
            #expect(nothing.dropped.isEmpty && nothing.inUse.isEmpty)
        }
        let left = try FileDamage.names(in: ledger.environmentDirectory)
        #expect(!left.contains { $0.hasPrefix(name) })
        #expect(try await ledger.show(chain.id)["state"]?.string == "expired")
    }
}
