import AppStore
import Faults
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Follows the link from file to file; opens the current one by its real path.
private struct CurrentProjections {
    let directory: String

    func store() async throws -> ProjectionsStore {
        try ProjectionsStore(path: try #require(DerivedFiles.projections(in: directory).current()))
    }
}

@Suite("Switching projections")
struct SwitchTests {
    private static let chain = MadeChain(id: "570000000000001", storefront: "ZZQ")
    private let chain = SwitchTests.chain

    private static let shared = SharedLedger { _ = try await $0.ingest(chain.life) }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    @Test("A released session keeps no other process from projecting, and continues to answer")
    func released() async throws {
        let place = try await taken()
        try await Gate.ledgers.pass {
            let ledger = try await EnvironmentLedger.open(
                place.configuration, environment: place.environment)
            let session = try await LedgerSession.open(ledger).released()
            let other = try await EnvironmentLedger.open(
                place.configuration, environment: place.environment)
            let projector = try await Projector.open(other)
            #expect(projector != nil)
            let snapshot = try await session.currentSnapshot()
            #expect(snapshot.position == 4)
            #expect(try await session.projections.subscriptionCount() == 1)
            await other.close()
            await session.close()
        }
    }

    /// Queries repeatedly until stopped; returns the paths it read from, in order.
    private static func read(
        _ current: CurrentProjections, until isDone: @Sendable () -> Bool
    ) async throws -> [String] {
        var paths: [String] = []
        repeat {
            let store = try await current.store()
            #expect(try await store.subscriptionCount() == 1)
            #expect(try await store.checkpoint().position == 4)
            if paths.last != store.path { paths.append(store.path) }
            await Task.yield()
        } while !isDone()
        return paths
    }

    // MARK: Readers

    @Test(
        "A reader beside rebuilds meets no error, and reads each new file as soon as it is current")
    func readers() async throws {
        let ledger = try await taken()
        let rounds = 3
        try await ledger.session { session in
            let projector = try #require(session.projector)
            let current = CurrentProjections(directory: ledger.environmentDirectory)
            let done = Mutex(false)
            let isDone: @Sendable () -> Bool = { done.withLock { $0 } }
            let first = session.projections.path
            var made = [first]
            async let one = SwitchTests.read(current, until: isDone)
            async let two = SwitchTests.read(current, until: isDone)
            for _ in 0..<rounds {
                try await projector.rebuild()
                let built = projector.projections.path
                made.append(built)
                let store = try await current.store()
                #expect(store.path == built)
                #expect(try await store.subscriptionCount() == 1)
            }
            done.withLock { $0 = true }
            for paths in [try await one, try await two] {
                // Never back to an older file.
                let places = paths.compactMap { made.firstIndex(of: $0) }
                #expect(places.count == paths.count)
                #expect(places == places.sorted())
            }
            #expect(Set(made).count == rounds + 1)
        }
    }

    @Test("A reader that holds an older file continues to read it after the switch")
    func heldStore() async throws {
        let ledger = try await taken()
        try await ledger.session { session in
            let current = CurrentProjections(directory: ledger.environmentDirectory)
            let held = try await current.store()
            let projector = try #require(session.projector)
            for _ in 0..<3 { try await projector.rebuild() }
            #expect(held.isInPlace)
            #expect(try await held.subscriptionCount() == 1)
            #expect(try await current.store().path != held.path)
        }
    }

    // MARK: Lock

    @Test("Progress notes of the lock's holder are read by waiting processes")
    func progress() throws {
        let directory = try TemporaryDirectory()
        #expect(ProjectorLock.progress(directory: directory.path) == nil)
        var lock = try ProjectorLock.take(directory: directory.path)
        #expect(lock != nil)
        #expect(try ProjectorLock.take(directory: directory.path) == nil)
        #expect(ProjectorLock.progress(directory: directory.path) == nil)
        // A longer one, then shorter ones: nothing of it is left.
        for phase in ProjectionProgress.Phase.allCases {
            for (position, head) in [(Int64.max - 1, Int64.max), (0, 0), (12, 3_456)] {
                let reported = ProjectionProgress(phase, position: position, head: head)
                lock?.note(reported)
                #expect(ProjectorLock.progress(directory: directory.path) == reported)
            }
        }
        lock = nil
        #expect(ProjectorLock.progress(directory: directory.path) == nil)
        #expect(try ProjectorLock.take(directory: directory.path) != nil)
    }

    @Test(
        "A malformed note is no progress",
        arguments: [
            "", "\n", "decode", "decode 1", "decode 1 2 3", "dream 1 2", "decode one 2",
            "decode 1 99999999999999999999", "\u{0}\u{0}\u{0}",
        ])
    func noProgress(text: String) throws {
        let directory = try TemporaryDirectory()
        _ = try directory.write(Array(text.utf8), to: "projector.lock")
        #expect(ProjectorLock.progress(directory: directory.path) == nil)
    }

    @Test("The lock of a missing directory cannot be taken")
    func noDirectory() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: StoreError.self) {
            try ProjectorLock.take(directory: directory.file("none"))
        }
    }

    // MARK: Another build

    @Test("Projections of this build, and missing ones, are not of another build")
    func sameBuild() async throws {
        let ledger = try TemporaryLedger()
        #expect(try await ledger.ledger { try await RebuildCheck.ofAnotherBuild($0) == nil })
        _ = try await ledger.ingest(chain.life)
        try await ledger.session { #expect($0.head == 4) }
        #expect(try await ledger.ledger { try await RebuildCheck.ofAnotherBuild($0) == nil })
    }

    @Test("For projections of another reducer, a check names chain and column")
    func anotherReducer() async throws {
        let ledger = try await taken()
        let path = try await ledger.session { session in
            // The row of another reducer, and the build stated by its file.
            try await session.projections.walCheckpoint()
            return session.projections.path
        }
        // The chain's own row, and its class in the sums.
        #expect(try FileDamage.replace("ZZQ", by: "ZZW", in: path) == 2)
        let reducer = Lifecycle.reducerVersion
        try LogTampering(path: path).state(reducerVersion: reducer + 1)
        let report = try await ledger.ledger { ledger in
            let check = try #require(try await RebuildCheck.ofAnotherBuild(ledger))
            // While it runs, no other process projects.
            #expect(try ProjectorLock.take(directory: ledger.directory) == nil)
            return try await check.run()
        }
        #expect(report.count == 1)
        #expect(report.differences.map(\.chain.originalTransactionId.rawValue) == [chain.id])
        #expect(report.differences.map(\.columns) == [["subscriptions.storefront"]])
        #expect(report.stored?.reducerVersion == reducer + 1)
        #expect(report.expected.reducerVersion == reducer)
        #expect(report.position == 4)
        // It changed nothing: the file is still the current one.
        #expect(DerivedFiles.projections(in: ledger.environmentDirectory).current() == path)
    }

    @Test("A check of projections of another decoder reports no facts of this one as missing")
    func anotherDecoder() async throws {
        // given
        let ledger = try await taken()
        let path = try await ledger.session { session in
            try await session.projections.walCheckpoint()
            return session.projections.path
        }
        let decoder = Fact.decoderVersion
        try LogTampering(path: path).run(
            "UPDATE meta SET value = '\(decoder + 1)' WHERE key = 'decoderVersion'")
        try FileDamage.remove(["facts-\(decoder).sqlite"], in: ledger.environmentDirectory)
        // when
        let report = try await ledger.ledger { ledger in
            let check = try #require(try await RebuildCheck.ofAnotherBuild(ledger))
            return try await check.run()
        }
        // then
        #expect(report.stored?.decoderVersion == decoder + 1)
        #expect(report.position == 4 && report.count == 0)
    }

    @Test("A check of another build does not wait for another projector: it fails")
    func lockedCheck() async throws {
        let ledger = try await taken()
        let path = try await ledger.session { session in
            try await session.projections.walCheckpoint()
            return session.projections.path
        }
        try LogTampering(path: path).state(reducerVersion: Lifecycle.reducerVersion + 1)
        try await ledger.ledger { ledger in
            let lock = try ProjectorLock.take(directory: ledger.directory)
            #expect(lock != nil)
            await #expect(throws: StoreError(.fileLocked, reason: "", remedy: "")) {
                try await RebuildCheck.ofAnotherBuild(ledger)
            }
            withExtendedLifetime(lock) {}
        }
    }
}
