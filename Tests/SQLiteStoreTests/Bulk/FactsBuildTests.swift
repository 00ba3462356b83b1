import Foundation
import Ledger
import LedgerTestSupport
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

    /// Loads facts as a build does once it has decoded them.
    private func load(
        _ facts: [ChainFact], _ path: String, checkpoint: ProjectionCursor,
        report: FactsBuild.Report = { _, _ in }
    ) throws {
        let apps = AppNumbers()
        var buffer = RunBuffer()
        for fact in facts {
            FactRecord.append(fact, app: apps.number(fact.chain.bundleId), to: &buffer)
        }
        try FactsBuild.load(
            [try RunFile.write(sorted: buffer, directory: scratch.path)], apps,
            directory: scratch.path, path: path, checkpoint: checkpoint, report: report)
    }

    @Test("A build that is ended while facts are loaded leaves no file")
    func endedWhileLoading() throws {
        let chain = SimulatedChains.id(SimulatedChains.app, "a")
        let ended = StoreError(.closed, reason: "", remedy: "")
        #expect(throws: ended) {
            try load(
                SimulatedChains.long(FactsBuild.reportFactCount, chain),
                scratch.file("facts.sqlite"), checkpoint: .start
            ) { (_, _) throws(StoreError) in throw ended }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
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

    @Test("Built up to any position, facts equal those added singly, under every kind of id")
    func run() async throws {
        let events = try SimulatedEvents.make()
        let log = try await log(events)
        let head = try await log.head().position
        #expect(head == Int64(events.count))
        let added = try FactsStore(path: scratch.file("added.sqlite"))
        let half = scratch.file("half.sqlite")
        try await build(log).run(path: half, through: checkpoint(log, head / 2))
        try await add(added, log, through: head / 2)
        try await expectEqual(try FactsStore(path: half), added)
        let path = scratch.file("bulk.sqlite")
        let progress = Progress()
        try await build(log).run(path: path, through: checkpoint(log, head)) { done, all in
            if done == all { progress.note(done, all) }
        }
        #expect(progress.last == [head, head])
        let bulk = try FactsStore(path: path)
        try await add(added, log, after: head / 2, through: head)
        try await expectEqual(bulk, added)
        let ids = try await SimulatedChains.stored(bulk).map(\.id)
        let expected = SimulatedChains.unusualIds.flatMap { text in
            [SimulatedChains.app, SimulatedChains.otherApp].map { SimulatedChains.id($0, text) }
        }
        #expect(ids == expected.sorted())
        await log.close()
    }

    @Test("A chain longer than a page is never divided, in bulk or added")
    func longChain() async throws {
        let count = FactsStore.pageFactCount + 1
        let chain = SimulatedChains.id(SimulatedChains.app, "a")
        let other = SimulatedChains.id(SimulatedChains.otherApp, "a")
        let next = SimulatedChains.id(SimulatedChains.app, "b")
        let facts =
            SimulatedChains.long(2, next) + SimulatedChains.long(count, chain)
            + SimulatedChains.long(3, other)
        let checkpoint = ProjectionCursor(position: Int64(count), leafHash: nil)
        let path = scratch.file("bulk.sqlite")
        try load(facts, path, checkpoint: checkpoint)
        let bulk = try FactsStore(path: path)
        let added = try FactsStore(path: scratch.file("added.sqlite"))
        for start in stride(from: 0, to: facts.count, by: 1_000) {
            let part = facts[start..<min(start + 1_000, facts.count)]
            try await added.add(Array(part), checkpoint: checkpoint)
        }
        try await expectEqual(bulk, added)
        let first = try await bulk.page(after: nil)
        #expect(first.map(\.0) == [other, chain].sorted())
        #expect(first.first { $0.0 == chain }?.1.count == count)
        let dates = first.first { $0.0 == chain }?.1.compactMap(\.signedDate) ?? []
        #expect(dates.count == count)
        #expect(dates == dates.sorted())
        #expect(try await bulk.page(after: chain).map(\.0) == [next])
    }
}
