import AppStore
import TestSupport
import Testing

@testable import LedgerStore

@Suite("Quarantine")
struct QuarantineTests {
    private func item(
        _ standing: QuarantineStanding, _ bytes: [UInt8], bundleId: String? = nil,
        code: String = "untrustedRoot", at milliseconds: Int64 = 1
    ) -> NewQuarantineItem {
        NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: milliseconds), standing: standing, code: code,
            part: "outer", message: "Why.", bundleId: bundleId.map(BundleId.init),
            environment: "Sandbox", bytes: bytes, input: "file:1")
    }

    private func bytes(_ number: Int) -> [UInt8] { Array("item \(number)".utf8) }

    @Test("An item round-trips unchanged", arguments: OperationsEngine.all)
    func roundTrip(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let result = try await store.quarantine(
            item(.unverifiable, [1, 2, 3], bundleId: "com.example", at: 42))
        #expect(result == .kept(id: 1))
        let kept = try #require(try await store.quarantineItem(1))
        #expect(kept.bytes == [1, 2, 3])
        #expect(kept.byteCount == 3)
        #expect(kept.standing == .unverifiable)
        #expect(kept.code == "untrustedRoot")
        #expect(kept.part == "outer")
        #expect(kept.message == "Why.")
        #expect(kept.bundleId == BundleId("com.example"))
        #expect(kept.environment == "Sandbox")
        #expect(kept.input == "file:1")
        #expect(kept.receivedAt == Timestamp(milliseconds: 42))
        #expect(kept.attempts == 1)
        #expect(try await store.quarantineItem(2) == nil)
        await store.close()
    }

    @Test("Newest first, a page ends where the next begins", arguments: OperationsEngine.all)
    func newestFirst(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        #expect(try await store.quarantined(before: nil, limit: 2).isEmpty)
        for number in 1...3 { _ = try await store.quarantine(item(.unverifiable, bytes(number))) }
        #expect(try await store.quarantined(before: nil, limit: 2).map(\.id) == [3, 2])
        #expect(try await store.quarantined(before: 2, limit: 2).map(\.id) == [1])
        #expect(try await store.quarantined(before: 1, limit: 2).isEmpty)
        #expect(try await store.quarantined(before: nil, limit: 2).allSatisfy(\.bytes.isEmpty))
        await store.close()
    }

    @Test(
        "Totals count every standing, and forget what was removed",
        arguments: OperationsEngine.all)
    func totals(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let none = QuarantineStanding.allCases.map {
            QuarantineTotal(standing: $0, itemCount: 0, byteCount: 0)
        }
        #expect(try await store.quarantineTotals() == none)
        _ = try await store.quarantine(item(.unverifiable, [1, 2, 3]))
        _ = try await store.quarantine(item(.genuineForeign, [4], bundleId: "a"))
        let totals = try await store.quarantineTotals()
        #expect(totals.map(\.itemCount) == [0, 1, 1, 0])
        #expect(totals.map(\.byteCount) == [0, 1, 3, 0])
        #expect(try await store.removeFromQuarantine(1))
        #expect(try await store.quarantineTotals().map(\.itemCount) == [0, 1, 0, 0])
        await store.close()
    }

    @Test(
        "The same bytes twice are one row with a count and the latest reason",
        arguments: OperationsEngine.all)
    func repeated(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        _ = try await store.quarantine(item(.unverifiable, [1], code: "a", at: 5))
        let again = try await store.quarantine(item(.genuineConfigured, [1], code: "b", at: 9))
        #expect(again == .repeated(id: 1))
        let items = try await store.quarantined()
        #expect(items.count == 1)
        #expect(items[0].attempts == 2)
        #expect(items[0].code == "b")
        #expect(items[0].standing == .genuineConfigured)
        #expect(items[0].receivedAt == Timestamp(milliseconds: 5))
        #expect(items[0].latestAt == Timestamp(milliseconds: 9))
        #expect(items[0].bytes.isEmpty)
        await store.close()
    }

    @Test("A removed item is gone, and its id is not reused", arguments: OperationsEngine.all)
    func removal(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        _ = try await store.quarantine(item(.unverifiable, [1]))
        #expect(try await store.removeFromQuarantine(1))
        #expect(!(try await store.removeFromQuarantine(1)))
        #expect(try await store.quarantine(item(.unverifiable, [1])) == .kept(id: 2))
        await store.close()
    }

    @Test("Lists are paged by id, oldest first", arguments: OperationsEngine.all)
    func paging(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        for number in 0..<7 { _ = try await store.quarantine(item(.unverifiable, bytes(number))) }
        #expect(try await store.quarantined(after: 0, limit: 3).map(\.id) == [1, 2, 3])
        #expect(try await store.quarantined(after: 3, limit: 3).map(\.id) == [4, 5, 6])
        #expect(try await store.quarantined(after: 6, limit: 3).map(\.id) == [7])
        #expect(try await store.quarantined(after: 7).isEmpty)
        await store.close()
    }

    @Test(
        "An unverifiable input is kept whole at its bound and truncated past it",
        arguments: OperationsEngine.all)
    func copyBound(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let bound = QuarantineLimits.unverifiableCopyByteCount
        let large = [UInt8](repeating: 7, count: bound + 1)
        _ = try await store.quarantine(item(.unverifiable, Array(large.prefix(bound))))
        _ = try await store.quarantine(item(.unverifiable, large))
        _ = try await store.quarantine(item(.genuineConfigured, large + [8]))
        #expect(try await store.quarantineItem(1)?.bytes.count == bound)
        let cut = try #require(try await store.quarantineItem(2))
        #expect(cut.bytes.count == bound)
        #expect(cut.byteCount == Int64(bound + 1))
        #expect(try await store.quarantineItem(3)?.bytes.count == bound + 2)
        await store.close()
    }

    // The engines share the rules: ten thousand rows, or 64 MiB, go into one of them, in soak into
    // each.
    @Test(
        "Unverifiable inputs are bounded in number, the oldest dropped first",
        arguments: Soak.isOn ? OperationsEngine.all : [.sqlite])
    func unverifiableCount(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let bound = QuarantineLimits.unverifiableCount
        let items = (0...bound).map { item(.unverifiable, bytes($0)) }
        _ = try await store.quarantine(Array(items.dropLast()))
        #expect(try await store.quarantined(after: 0, limit: 1).map(\.id) == [1])
        _ = try await store.quarantine(try #require(items.last))
        #expect(try await store.quarantined(after: 0, limit: 1).map(\.id) == [2])
        #expect(try await store.quarantineItem(Int64(bound + 1)) != nil)
        // One item beyond a page shows that there is another page.
        let limit = QuarantineLimits.pageCount + 1
        let more = try await store.quarantined(before: nil, limit: limit)
        #expect(more.count == limit)
        await store.close()
    }

    @Test(
        "Unverifiable inputs are bounded in bytes, the oldest dropped first",
        arguments: Soak.isOn ? OperationsEngine.all : [.sqlite])
    func unverifiableBytes(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let each = QuarantineLimits.unverifiableCopyByteCount
        let count = QuarantineLimits.unverifiableByteCount / each
        for number in 0..<count {
            var bytes = [UInt8](repeating: 1, count: each)
            bytes.replaceSubrange(0..<2, with: [UInt8(number & 255), UInt8(number >> 8)])
            _ = try await store.quarantine(item(.unverifiable, bytes))
        }
        #expect(try await store.quarantined(after: 0, limit: 1).map(\.id) == [1])
        _ = try await store.quarantine(item(.unverifiable, [1]))
        #expect(try await store.quarantined(after: 0, limit: 1).map(\.id) == [2])
        await store.close()
    }

    @Test(
        "Genuine inputs of an app not configured are kept to their bound, then refused",
        arguments: OperationsEngine.all)
    func foreignPerBundle(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let count = QuarantineLimits.foreignCountPerBundle
        let kept = try await store.quarantine(
            (0..<count).map { item(.genuineForeign, bytes($0), bundleId: "a") })
        let expected: [QuarantineResult] = (0..<count).map { .kept(id: Int64($0 + 1)) }
        #expect(kept == expected)
        #expect(
            try await store.quarantine(item(.genuineForeign, [1], bundleId: "a")) == .refused)
        // Known bytes are counted, another app has its own bound, a configured one has none.
        let known = try await store.quarantine(item(.genuineForeign, bytes(0), bundleId: "a"))
        #expect(known == .repeated(id: 1))
        let others = [
            item(.genuineForeign, [2], bundleId: "b"), item(.genuineConfigured, [3], bundleId: "a"),
            item(.genuineForeign, [4], bundleId: nil),
        ]
        for item in others {
            let result = try await store.quarantine(item)
            #expect(result != .refused)
        }
        await store.close()
    }

    @Test(
        "Genuine inputs of all apps not configured share a bound", arguments: OperationsEngine.all)
    func foreignTogether(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let bound = QuarantineLimits.foreignCount
        let items = (0...bound).map { item(.genuineForeign, bytes($0), bundleId: "b\($0 / 50)") }
        let results = try await store.quarantine(items)
        #expect(results.dropLast().allSatisfy { $0 != .refused })
        #expect(results.last == .refused)
        // The space is freed.
        #expect(try await store.removeFromQuarantine(1))
        #expect(try await store.quarantine(items[bound]) == .kept(id: Int64(bound + 1)))
        await store.close()
    }

    @Test(
        "Of inputs that await a secret one past the bound is refused, or gets another standing",
        arguments: OperationsEngine.all)
    func awaitingSecretCount(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let bound = QuarantineLimits.awaitingSecretCount
        let items = (0...bound).map { item(.awaitingSecret, bytes($0), bundleId: "a") }
        let results = try await store.quarantine(items)
        #expect(results.dropLast().allSatisfy { $0 != .refused })
        #expect(results.last == .refused)
        #expect(try await store.quarantined(after: 0, limit: 1).map(\.id) == [1])
        // Others have separate bounds, and known bytes are counted.
        let other = try await store.quarantine(item(.unverifiable, [1]))
        #expect(other != .refused)
        #expect(try await store.quarantine(items[0]) == .repeated(id: 1))
        // Another standing, if it has one, until there is room.
        var last = items[bound]
        last.otherwise = .unverifiable
        let id = Int64(bound + 2)
        #expect(try await store.quarantine(last) == .kept(id: id))
        #expect(try await store.quarantineItem(id)?.standing == .unverifiable)
        #expect(try await store.quarantineItem(id - 2)?.standing == .awaitingSecret)
        #expect(try await store.removeFromQuarantine(1))
        #expect(try await store.quarantine(last) == .repeated(id: id))
        #expect(try await store.quarantineItem(id)?.standing == .awaitingSecret)
        #expect(try await store.removeFromQuarantine(2))
        let again = try await store.quarantine(item(.awaitingSecret, [2], bundleId: "a"))
        #expect(again == .kept(id: id + 1))
        await store.close()
    }

    @Test(
        "Inputs awaiting a secret are bounded in bytes, at the bound and one past it",
        arguments: Soak.isOn ? OperationsEngine.all : [.sqlite])
    func awaitingSecretBytes(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let each = 4 * 1_024 * 1_024
        let count = QuarantineLimits.awaitingSecretByteCount / each
        for number in 0..<count {
            let bytes = [UInt8](repeating: UInt8(number), count: each)
            let kept = try await store.quarantine(item(.awaitingSecret, bytes, bundleId: "a"))
            #expect(kept == .kept(id: Int64(number + 1)))
        }
        #expect(try await store.quarantineItem(1)?.bytes.count == each)
        #expect(
            try await store.quarantine(item(.awaitingSecret, [1], bundleId: "a")) == .refused)
        await store.close()
    }

    @Test(
        "An input found to be genuine no longer counts as unverifiable",
        arguments: OperationsEngine.all)
    func promotion(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        _ = try await store.quarantine(item(.unverifiable, [1]))
        _ = try await store.quarantine(item(.genuineForeign, [1], bundleId: "a"))
        _ = try await store.quarantine(
            (1..<QuarantineLimits.foreignCountPerBundle).map {
                item(.genuineForeign, bytes($0), bundleId: "a")
            })
        _ = try await store.quarantine(item(.unverifiable, [9]))
        let refused = try await store.quarantine(item(.genuineForeign, [9], bundleId: "a"))
        #expect(refused == .refused)
        #expect(try await store.quarantineItem(1)?.standing == .genuineForeign)
        await store.close()
    }

    @Test(
        "The contents persist after closing, and a closed store refuses calls",
        arguments: OperationsEngine.all)
    func closing(engine: OperationsEngine) async throws {
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        _ = try await store.quarantine(item(.unverifiable, [1]))
        await store.close()
        let closed = StoreError(.closed, reason: "", remedy: "")
        await #expect(throws: closed) { try await store.quarantined() }
        await #expect(throws: closed) { try await store.removeFromQuarantine(1) }
        let again = try await engine.open(directory)
        #expect(try await again.quarantined().count == 1)
        await again.close()
    }
}
