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

    @Test("Writers that read the same checkpoint keep the signatures of each other")
    func concurrent() async throws {
        try await OperationsEngine.each { store in
            func checkpoint(_ root: String, _ keys: [String]) -> StoredCheckpoint {
                let lines = keys.map { "\u{2014} \($0) AAAAAAA=\n" }.joined()
                return StoredCheckpoint(
                    size: 3, note: "a\n3\n\(root)\n\n\(lines)", signedAt: Timestamp(milliseconds: 3)
                )
            }
            // Two found none of this size and sign; meanwhile a witness signs for the first one.
            let signed = checkpoint("r", ["a"])
            #expect(try await store.keep(signed) == signed)
            try await store.keep(checkpoint("r", ["a", "w"]))
            #expect(try await store.keep(signed) == checkpoint("r", ["a", "w"]))
            // Two add the signature of a witness each to what they read.
            try await store.keep(checkpoint("r", ["a", "w", "v"]))
            let all = checkpoint("r", ["a", "w", "x", "v"])
            #expect(try await store.keep(checkpoint("r", ["a", "w", "x"])) == all)
            #expect(try await store.checkpoints(after: -1, limit: 9) == [all])
            // Signatures of another statement are not taken over.
            let other = checkpoint("other", ["a"])
            #expect(try await store.keep(other) == other)
            #expect(try await store.checkpoints(after: -1, limit: 9) == [other])
        }
    }

    @Test("Checkpoints from elsewhere add their signatures, and never replace what is kept")
    func adopted() async throws {
        try await OperationsEngine.each { store in
            func checkpoint(_ size: Int64, _ root: String, _ keys: [String]) -> StoredCheckpoint {
                let lines = keys.map { "\u{2014} \($0) AAAAAAA=\n" }.joined()
                return StoredCheckpoint(
                    size: size, note: "a\n\(size)\n\(root)\n\n\(lines)",
                    signedAt: Timestamp(milliseconds: size))
            }
            let kept = [checkpoint(3, "r", ["a", "w"]), checkpoint(5, "r", ["a"])]
            for checkpoint in kept { try await store.keep(checkpoint) }
            let refused = try await store.adopt([
                checkpoint(2, "r", ["a"]), checkpoint(3, "r", ["a", "v"]),
                checkpoint(5, "other", ["a", "w"]), checkpoint(9, "r", ["a"]),
            ])
            #expect(refused == 1)
            let all = [
                checkpoint(2, "r", ["a"]), checkpoint(3, "r", ["a", "w", "v"]), kept[1],
                checkpoint(9, "r", ["a"]),
            ]
            #expect(try await store.checkpoints(after: -1, limit: 9) == all)
            #expect(try await store.adopt(all) == 0)
            #expect(try await store.checkpoints(after: -1, limit: 9) == all)
            #expect(try await store.adopt([]) == 0)
            // What would make the note unreadable is left out.
            var other = kept[1]
            other.note += "\u{2014} v AAAAAA==\n\u{2014} v+w AAAAAAA=\nv\n"
            let many = (0..<2 * StoredCheckpoint.signatureCount).map { "k\($0)" }
            #expect(try await store.adopt([other, checkpoint(9, "r", many)]) == 0)
            let left = try await store.checkpoints(after: 3, limit: 9)
            #expect(left.first == kept[1])
            let lines = left.last?.note.split(separator: "\n") ?? []
            #expect(
                lines.count { $0.hasPrefix("\u{2014} ") } == StoredCheckpoint.signatureCount)
        }
    }
}
