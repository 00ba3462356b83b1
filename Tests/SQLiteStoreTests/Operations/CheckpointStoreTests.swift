import AppStore
import LedgerStore
import TestSupport
import Testing

@Suite("Stored checkpoints")
struct CheckpointStoreTests {
    @Test("Checkpoints are kept in order of size, survive reopening, and gain signatures")
    func kept() async throws {
        for engine in OperationsEngine.all {
            let directory = try TemporaryDirectory()
            var all = [Int64](arrayLiteral: 0, 7, 12, .max).map { size in
                StoredCheckpoint(
                    size: size, note: "a\n\(size)\n\n\u{2014} b AAAA\n",
                    signedAt: Timestamp(milliseconds: size / 2))
            }
            var store = try await engine.open(directory)
            #expect(try await store.checkpoints(before: .max, limit: 1).isEmpty)
            for checkpoint in all.reversed() { try await store.keep(checkpoint) }
            all[1].note += "\u{2014} c BBBB\n"
            try await store.keep(all[1])
            await store.close()

            store = try await engine.open(directory)
            #expect(try await store.checkpoints(after: -1, limit: 9) == all)
            #expect(try await store.checkpoints(after: 0, limit: 2) == Array(all[1...2]))
            #expect(try await store.checkpoints(after: .max, limit: 2).isEmpty)
            #expect(try await store.checkpoints(before: .max, limit: 2) == [all[2], all[1]])
            #expect(try await store.checkpoints(before: 7, limit: 2) == [all[0]])
            await store.close()
        }
    }
}
