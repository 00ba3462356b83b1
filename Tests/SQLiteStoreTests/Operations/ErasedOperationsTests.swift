import AppStore
import Ledger
import Signing
import Testing

@testable import LedgerStore

@Suite("Erasure from operational state")
struct ErasedOperationsTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let list = SHA256.hash(Array("list".utf8))
    private static let mine = chain("500000000000001")
    private static let other = chain("540000000000001")

    private static func chain(_ id: String) -> ChainId {
        ChainId(
            bundleId: BundleId("com.example"), originalTransactionId: OriginalTransactionId(id))
    }

    /// State about a chain, under an index of its own.
    private func fill(
        _ store: any OperationalState, _ chain: ChainId, _ index: Int64
    ) async throws {
        let id = chain.originalTransactionId.rawValue
        try await store.keep(
            ChainLookup(requestedAt: Self.start, times: 1, notices: ["x"]), of: chain)
        let place = HistoryPlace(
            revision: "r", log: ProjectionCursor(position: 5, leafHash: Self.list))
        try await store.keep(
            place,
            of: HistoryPlace.Key(bundleId: chain.bundleId, id: id, endpoint: "refundHistory"))
        let trouble = BackfillRun.Trouble(
            ordinal: Int(index), id: id, code: nil, message: "unknown")
        try await store.keep(
            BackfillRun(startedAt: Self.start), of: Self.list, troubles: [trouble], solved: nil,
            at: Self.start)
        _ = try await store.take(
            uploadKey: "key-\(index)", request: Self.list, at: Self.start)
        // Of a receipt, which has no one event.
        _ = try await store.take(
            uploadKey: "receipt-\(id)/1", request: Self.list, at: Self.start)
        _ = try await store.keep(
            UploadRecord(
                result: "appended", eventPosition: index, claim: nil, at: Self.start,
                position: index),
            uploadKey: "key-\(index)")
        let row = try await store.begin(WebhookEndpointRow(name: "crm", cursor: .beginning))
        let change = WaitingChange(
            place: ChangePlace(position: index), chain: chain, attempts: 1, firstAt: Self.start,
            nextAt: Self.start)
        try await store.keep(row, waiting: [change], done: [])
        try await store.keepClock(
            end: ProjectionCursor(position: index, leafHash: Self.list),
            at: Self.start.advanced(byMilliseconds: index), rules: Self.list, chains: [chain])
        let report = StoredReport(
            bundleId: chain.bundleId, endedAt: Self.start, isFlawed: false,
            json: "{\"undelivered\":[\"\(id)\"]}", text: id)
        _ = try await store.beginRecovery(
            "r-\(index)", at: Self.start, start: index, log: .start, slices: [], keptFor: 1_000)
        try await store.endRecovery("r-\(index)", keeping: report)
    }

    /// What is kept about a chain, by name.
    private func kept(
        _ store: any OperationalState, _ chain: ChainId, _ index: Int64
    ) async throws -> Set<String> {
        let id = chain.originalTransactionId.rawValue
        var kept: Set<String> = []
        if try await store.lookups()[chain] != nil { kept.insert("lookup") }
        let key = HistoryPlace.Key(bundleId: chain.bundleId, id: id, endpoint: "refundHistory")
        if try await store.place(key) != nil { kept.insert("place") }
        let troubles = try await store.backfill(Self.list)?.troubles ?? []
        if troubles.contains(where: { $0.id == id }) { kept.insert("trouble") }
        let waiting = try await store.waiting(for: "crm", parked: false, limit: 10)
        if waiting.contains(where: { $0.chain == chain }) { kept.insert("waiting") }
        if try await store.clockReadings(of: [chain])[chain]?.isEmpty == false {
            kept.insert("reading")
        }
        for entry in try await store.recoveryReports() {
            let report = try await store.recoveryReport(entry.id)
            if report?.text == id { kept.insert("report") }
        }
        let taken = try await store.take(
            uploadKey: "key-\(index)", request: Self.list, at: Self.start)
        if case .answered = taken { kept.insert("upload") }
        let receipt = try await store.take(
            uploadKey: "receipt-\(id)/1", request: Self.list, at: Self.start)
        if receipt == .open { kept.insert("receipt") }
        return kept
    }

    @Test("Everything about the chain goes, and everything else stays")
    func erased() async throws {
        let all: Set = [
            "lookup", "place", "trouble", "waiting", "reading", "report", "upload", "receipt",
        ]
        try await OperationsEngine.each { store in
            try await fill(store, Self.mine, 1)
            try await fill(store, Self.other, 2)
            #expect(try await kept(store, Self.mine, 1) == all)
            let id = Self.mine.originalTransactionId.rawValue
            for _ in 0..<2 {
                try await store.erase(chains: [Self.mine], ids: [id], positions: [1])
                try await store.purge()
            }
            #expect(try await kept(store, Self.mine, 1).isEmpty)
            #expect(try await kept(store, Self.other, 2) == all)
        }
    }

    @Test("A report names an id as JSON writes it", arguments: ["ann", #"an"n\"#, "ä/n"])
    func reports(_ id: String) async throws {
        try await OperationsEngine.each { store in
            for name in [id, "\(id)-2"] {
                var json = JSONWriter()
                json.object { $0.member("customer", name) }
                _ = try await store.beginRecovery(
                    name, at: Self.start, start: 1, log: .start, slices: [], keptFor: 1_000)
                try await store.endRecovery(
                    name,
                    keeping: StoredReport(
                        bundleId: Self.mine.bundleId, endedAt: Self.start, isFlawed: false,
                        json: String(decoding: json.bytes, as: UTF8.self), text: name))
            }
            try await store.erase(chains: [], ids: [id], positions: [])
            let left = try await store.recoveryReports()
            #expect(left.count == 1)
            let report = try await store.recoveryReport(try #require(left.first).id)
            #expect(report?.text == "\(id)-2")
        }
    }

    @Test("A key that contains an id goes, unless the id is too short to mean anything")
    func keys() async throws {
        let bound = OperationsLimits.containedByteCount
        let id = String("123456789".prefix(bound))
        let short = String(id.dropLast())
        try await OperationsEngine.each { store in
            func state(_ key: String) async throws -> UploadKey {
                try await store.take(uploadKey: key, request: Self.list, at: Self.start)
            }
            for key in ["k-\(id)-x", "k-\(short)-x", short] {
                #expect(try await state(key) == .new)
            }
            try await store.erase(chains: [], ids: [short], positions: [])
            #expect(try await state("k-\(short)-x") == .open)
            #expect(try await state(short) == .new)
            #expect(try await state("k-\(id)-x") == .open)
            try await store.erase(chains: [], ids: [id], positions: [])
            #expect(try await state("k-\(id)-x") == .new)
        }
    }
}
