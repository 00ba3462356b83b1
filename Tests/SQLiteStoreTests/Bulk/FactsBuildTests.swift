import Foundation
import Ledger
import LedgerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Facts built in bulk")
struct FactsBuildTests {
    private let directory: TemporaryDirectory
    /// Where facts files are built: not beside the log.
    private let scratch: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        scratch = try TemporaryDirectory()
    }

    private func log(_ events: [NewEvent]) async throws -> EventLog {
        let log = try await EventLog.open(directory: directory.path)
        var rest = events[...]
        while !rest.isEmpty {
            _ = try await log.append(Array(rest.prefix(LogLimits.batchEventCount)))
            rest = rest.dropFirst(LogLimits.batchEventCount)
        }
        return log
    }

    private func checkpoint(_ log: EventLog, _ position: Int64) async throws -> ProjectionCursor {
        guard position > 0 else { return .start }
        let event = try #require(try await log.event(at: position)?.event)
        return ProjectionCursor(position: position, leafHash: event.leafHash)
    }

    /// Facts of the positions after `after` up to `through`, added one event at a time.
    private func add(
        _ facts: FactsStore, _ log: EventLog, after: Int64 = 0, through: Int64
    ) async throws {
        for position in (after + 1)...through {
            let logged = try #require(try await log.event(at: position))
            let decoded = FactDecoder.decode(logged)
            try await facts.add(
                decoded,
                checkpoint: ProjectionCursor(position: position, leafHash: logged.event.leafHash))
        }
    }

    private func build(_ log: EventLog) -> FactsBuild {
        FactsBuild(log: log, directory: scratch.path)
    }

    private func expectEqual(_ left: FactsStore, _ right: FactsStore) async throws {
        let (one, two) = (
            try await SimulatedChains.stored(left), try await SimulatedChains.stored(right)
        )
        #expect(one.map(\.id) == two.map(\.id))
        for (first, second) in zip(one, two) {
            #expect(first.facts == second.facts, "\(first.id)")
        }
        #expect(try await left.checkpoint() == right.checkpoint())
    }

    // MARK: Nothing

    @Test("An empty log gives a file without facts")
    func empty() async throws {
        let log = try await log([])
        let path = scratch.file("facts.sqlite")
        try await build(log).run(path: path, through: .start)
        let facts = try FactsStore(path: path)
        #expect(try await SimulatedChains.stored(facts).isEmpty)
        #expect(try await facts.checkpoint() == .start)
        await log.close()
    }

    @Test("A build without a directory for its runs fails and leaves no file")
    func noScratch() async throws {
        let log = try await log(try Sample.events(0..<3))
        let through = try await checkpoint(log, 3)
        let missing = FactsBuild(log: log, directory: scratch.file("none"))
        await #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
            try await missing.run(path: scratch.file("facts.sqlite"), through: through)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        await log.close()
    }

    @Test("A build that is ended while facts are loaded leaves no file")
    func endedWhileLoading() async throws {
        let chain = SimulatedChains.id(SimulatedChains.app, "a")
        let log = try await log(try SimulatedEvents.long(FactsBuild.reportFactCount, chain))
        let through = try await checkpoint(log, try await log.head().position)
        let wholeCount = Mutex(0)
        await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
            try await build(log).run(path: scratch.file("facts.sqlite"), through: through) {
                (done, all) throws(StoreError) in
                guard done == all else { return }
                // Decoded, then loaded.
                let count = wholeCount.withLock { count in
                    count += 1
                    return count
                }
                guard count > 1 else { return }
                throw StoreError(.closed, reason: "", remedy: "")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        await log.close()
    }

    @Test("A log that ends before the position of the build leaves no file")
    func ended() async throws {
        let log = try await log(try Sample.events(0..<3))
        await #expect(throws: StoreError(.logWentBack, reason: "", remedy: "")) {
            try await build(log).run(
                path: scratch.file("facts.sqlite"),
                through: ProjectionCursor(position: 4, leafHash: nil))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        await log.close()
    }

    // MARK: The same facts

    @Test("Facts built in bulk equal those added event by event, under every kind of id")
    func run() async throws {
        let events = try SimulatedEvents.make()
        let log = try await log(events)
        let head = try await log.head().position
        #expect(head == Int64(events.count))
        let path = scratch.file("bulk.sqlite")
        let progress = Progress()
        try await build(log).run(path: path, through: checkpoint(log, head)) { done, all in
            if done == all { progress.note(done, all) }
        }
        #expect(progress.last == [head, head])
        let (bulk, added) = (
            try FactsStore(path: path), try FactsStore(path: scratch.file("added.sqlite"))
        )
        try await add(added, log, through: head)
        try await expectEqual(bulk, added)
        let ids = try await SimulatedChains.stored(bulk).map(\.id)
        let expected = SimulatedChains.unusualIds.flatMap { text in
            [SimulatedChains.app, SimulatedChains.otherApp].map { SimulatedChains.id($0, text) }
        }
        #expect(ids == expected.sorted())
        await log.close()
    }

    @Test("A build up to a position in the middle holds no later event")
    func middle() async throws {
        let log = try await log(try SimulatedEvents.make())
        let half = try await log.head().position / 2
        let path = scratch.file("bulk.sqlite")
        try await build(log).run(path: path, through: checkpoint(log, half))
        let (bulk, added) = (
            try FactsStore(path: path), try FactsStore(path: scratch.file("added.sqlite"))
        )
        try await add(added, log, through: half)
        try await expectEqual(bulk, added)
        await log.close()
    }

    @Test("A chain longer than a page is never divided, in bulk or added")
    func longChain() async throws {
        let count = FactsStore.pageFactCount + 1
        let chain = SimulatedChains.id(SimulatedChains.app, "a")
        let other = SimulatedChains.id(SimulatedChains.otherApp, "a")
        let next = SimulatedChains.id(SimulatedChains.app, "b")
        let log = try await log(
            try SimulatedEvents.long(2, next) + SimulatedEvents.long(count, chain)
                + SimulatedEvents.long(3, other))
        let head = try await log.head().position
        let path = scratch.file("bulk.sqlite")
        try await build(log).run(path: path, through: checkpoint(log, head))
        let bulk = try FactsStore(path: path)
        let added = try FactsStore(path: scratch.file("added.sqlite"))
        var position: Int64 = 0
        while position < head {
            let page = try await log.page(after: position, through: head)
            let last = try #require(page.last).event
            try await added.add(
                page.flatMap { FactDecoder.decode($0) },
                checkpoint: ProjectionCursor(position: last.position, leafHash: last.leafHash))
            position = last.position
        }
        try await expectEqual(bulk, added)
        let first = try await bulk.page(after: nil)
        #expect(first.map(\.0) == [other, chain].sorted())
        #expect(first.first { $0.0 == chain }?.1.count == count)
        let dates = first.first { $0.0 == chain }?.1.compactMap(\.signedDate) ?? []
        #expect(dates.count == count)
        #expect(dates == dates.sorted())
        #expect(try await bulk.page(after: chain).map(\.0) == [next])
        await log.close()
    }
}
