import AppStore
import Ledger
import TestSupport
import Testing

@testable import LedgerStore
@testable import PostgresStore

@Suite("Answers to requests for retention messages")
struct RetentionAnswerTests {
    private let start = Timestamp(milliseconds: 1_770_000_000_000)

    private func record(_ id: String, _ chain: String = "1", after: Int64 = 0) -> RetentionRecord {
        RetentionRecord(
            requestId: id,
            chain: ChainId(
                bundleId: BundleId("com.example"),
                originalTransactionId: OriginalTransactionId(chain)),
            at: start.advanced(byMilliseconds: after), productId: ProductId("pro"),
            locale: "en-US", outcome: .shown, rule: "r", message: "m",
            alternateProduct: ProductId("basic"), promotionalOffer: "stay")
    }

    private func all(_ store: any OperationalState) async throws -> [RetentionRecord] {
        try await store.retentionAnswers(
            after: RetentionRecord.Place(before: Timestamp(milliseconds: 0)),
            before: Timestamp(milliseconds: .max), limit: 100)
    }

    @Test("A request keeps its first answer; answers come in order, a page at a time")
    func kept() async throws {
        try await OperationsEngine.each { store in
            let bare = RetentionRecord(
                requestId: "c", chain: record("c").chain, at: start, outcome: .unknownChain)
            try await store.keep([record("b", after: 1), record("a", after: 1), bare])
            var second = record("a", after: 1)
            second.rule = "other"
            try await store.keep([second])
            #expect(try await all(store) == [bare, record("a", after: 1), record("b", after: 1)])
            let next = try await store.retentionAnswers(
                after: RetentionRecord.Place(bare), before: start.advanced(byMilliseconds: 2),
                limit: 1)
            #expect(next == [record("a", after: 1)])
            let none = try await store.retentionAnswers(
                after: RetentionRecord.Place(bare), before: start.advanced(byMilliseconds: 1),
                limit: 1)
            #expect(none.isEmpty)
        }
    }

    @Test(
        "An answer is kept for 400 days, and not a millisecond longer",
        arguments: [-1, 0] as [Int64])
    func lifetime(excess: Int64) async throws {
        try await OperationsEngine.each { store in
            try await store.keep([record("a")])
            let later = OperationsLimits.retentionMilliseconds + excess
            try await store.keep([record("b", after: later)])
            #expect(try await all(store).count == (excess == 0 ? 1 : 2))
        }
    }

    @Test("Erasing a chain removes its answers, and no other's")
    func erased() async throws {
        try await OperationsEngine.each { store in
            try await store.keep([record("a", "1"), record("b", "2")])
            try await store.erase(chains: [record("a", "1").chain], ids: [], positions: [])
            #expect(try await all(store) == [record("b", "2")])
        }
    }

    @Test("After an erasure nothing is stored under the count of before, of any chain")
    func overtaken() async throws {
        try await OperationsEngine.each { store in
            try await store.keep([record("a", "1")])
            let count = try await store.erasureCount()
            try await store.erase(chains: [record("b", "2").chain], ids: [], positions: [])
            let late = [record("b", "2"), record("c", "3")]
            let isLate = try await !store.keep(late, erasures: count)
            #expect(isLate)
            #expect(try await all(store) == [record("a", "1")])
            let next = try await store.erasureCount()
            #expect(next == count + 1)
            let isKept = try await store.keep([record("c", "3")], erasures: next)
            #expect(isKept)
            #expect(try await all(store) == [record("a", "1"), record("c", "3")])
        }
    }

    @Test("A store that is opened again still counts its erasures")
    func counted() async throws {
        for engine in OperationsEngine.all {
            let directory = try TemporaryDirectory()
            let first = try await engine.open(directory)
            try await first.erase(chains: [], ids: ["x"], positions: [])
            await first.close()
            let second = try await engine.open(directory)
            #expect(try await second.erasureCount() == 1)
            await second.close()
        }
    }

    @Test("Both engines give the answers of one time in the same order, each on one page")
    func pages() async throws {
        // By bytes, whatever the language of the database.
        let ids = ["10", "2", "B", "a", "\u{e9}"]
        try await OperationsEngine.each { store in
            try await store.keep(ids.reversed().map { record($0) })
            var found: [String] = []
            var place = RetentionRecord.Place(before: start)
            while let next = try await store.retentionAnswers(
                after: place, before: start.advanced(byMilliseconds: 1), limit: 1
            ).first {
                found.append(next.requestId)
                place = RetentionRecord.Place(next)
            }
            #expect(found == ids)
        }
    }

    @Test("Ids, by which the oldest answers are dropped, are in order; a repetition takes none")
    func repeated() async throws {
        try await OperationsEngine.each { store in
            try await store.keep([record("a"), record("a")])
            try await store.keep([record("c"), record("a"), record("b"), record("c")])
            #expect(try await store.storedAnswers == ["1 a", "2 c", "3 b"])
        }
    }

    @Test("A million answers are kept; with one more the oldest is dropped")
    func count() async throws {
        try await OperationsEngine.each { store in
            try await store.keep([record("a")])
            try await store.skipAnswerIds(to: OperationsLimits.retentionAnswerCount)
            try await store.keep([record("b")])
            #expect(try await all(store) == [record("a"), record("b")])
            try await store.keep([record("c")])
            #expect(try await all(store) == [record("b"), record("c")])
        }
    }
}

extension OperationalState {
    /// Stores answers while nothing is erased.
    fileprivate func keep(_ answers: [RetentionRecord]) async throws {
        let isKept = try await keep(answers, erasures: erasureCount())
        #expect(isKept)
    }

    /// Has the next row take this id, as if those before it had been stored.
    fileprivate func skipAnswerIds(to next: Int64) async throws {
        let statement =
            self is PostgresOperations
            ? "ALTER TABLE @retention_answers ALTER COLUMN id RESTART WITH \(next)"
            : "UPDATE sqlite_sequence SET seq = \(next - 1) WHERE name = 'retention_answers'"
        _ = try await writeTables(.requests) { try $0.execute(statement, all: []) }
    }

    /// Ids of rows, which no protocol shows, with their requests.
    fileprivate var storedAnswers: [String] {
        get async throws {
            try await readTables { tables in
                try tables.rows(
                    "SELECT id, request FROM @retention_answers ORDER BY id", all: []
                ) { try "\($0.int64(0)) \($0.text(1) ?? "")" }
            }
        }
    }
}
