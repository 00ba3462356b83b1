import AppStore
import Ledger
import LedgerStore
import Simulator
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Changes of packed sums")
struct SumMergingTests {
    private func body(_ sums: [SummedMovement: Int64]) -> [UInt8] {
        var writer = FactWriter()
        let order = sums.sorted { SummedMovement.precedes($0.key, $1.key) }
        for (movement, chains) in order where chains != 0 {
            SumCodec.append(movement, chains: chains, to: &writer)
        }
        return writer.bytes
    }

    @Test("Changed sums equal a full recount, wherever the changes are")
    func merged() throws {
        let seed: UInt64 = 41
        var chance = SeededGenerator(seed: seed)
        let known = (0..<40).map { index in
            SummedMovement(
                before: index % 3 == 0 ? 0 : Int64.random(in: -9...9, using: &chance),
                after: Int64.random(in: -9...9, using: &chance), label: Int64(index % 24))
        }
        for _ in 0..<300 {
            func some(_ count: Int) -> [SummedMovement: Int64] {
                var sums: [SummedMovement: Int64] = [:]
                for _ in 0..<count {
                    guard let movement = known.randomElement(using: &chance) else { continue }
                    sums[movement] = Int64.random(in: -2...2, using: &chance)
                }
                return sums
            }
            let stored = some(Int.random(in: 0...30, using: &chance)).filter { $0.value != 0 }
            let changes = some(Int.random(in: 0...12, using: &chance))
            let expected = stored.merging(changes, uniquingKeysWith: +)
            #expect(
                try MonthPart.body(body(stored), changed: changes) == body(expected), "seed \(seed)"
            )
        }
    }

    @Test("Sums truncated anywhere are damage, whatever changes")
    func damaged() {
        let movement = SummedMovement(before: 5, after: 7, label: 1)
        let whole = body([movement: 3])
        for count in 1..<whole.count {
            #expect(throws: FactReader.Damage.self) {
                try MonthPart.body(Array(whole.prefix(count)), changed: [movement: 1])
            }
        }
    }

    @Test("Cached classes are read again as soon as they change")
    func classes() async throws {
        let directory = try TemporaryDirectory()
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: ProjectionsStore.Build(catalogueHash: "none"))
        try file.finish(checkpoint: .start)
        let store = try ProjectionsStore(path: file.path)
        #expect(try await store.metricClasses().count == 0)
        var counts: Set<Int> = [0]
        for rows in SimulatedChains.someRows {
            try await store.update([rows], checkpoint: .start)
            let table = try await store.metricClasses()
            // A store without a cache.
            let other = try ProjectionsStore(path: file.path)
            #expect(try await other.metricClasses() == table)
            try other.close()
            for named in rows.reported.classes {
                #expect(table[named.number].map(ClassCodec.number(of:)) == named.number)
            }
            counts.insert(table.count)
        }
        #expect(counts.count > 5)
        #expect(try await store.metricClasses() == store.metricClasses())
        try store.close()
    }
}
