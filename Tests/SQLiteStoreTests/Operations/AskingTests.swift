import AppStore
import Ledger
import Signing
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Stored queries to Apple")
struct AskingTests {
    private let one = SHA256.hash(Array("one".utf8))
    private let start = Timestamp(milliseconds: 1_770_000_000_000)

    @Test("A list is stored and removed together with its failures")
    func run() async throws {
        try await OperationsEngine.each { store in
            #expect(try await store.backfill(one) == nil)
            var run = BackfillRun(startedAt: start)
            run.settled = 3
            run.done = 1
            run.requests = 9
            run.appended = 4
            run.duplicates = 5
            run.conflicts = 6
            run.log = ProjectionCursor(position: 7, leafHash: one)
            let troubles = [
                BackfillRun.Trouble(ordinal: 0, id: "7", code: nil, message: "unknown"),
                BackfillRun.Trouble(ordinal: 2, id: "9", code: "x", message: "y"),
            ]
            try await store.keep(run, of: one, troubles: [troubles[1]], solved: nil, at: start)
            try await store.keep(run, of: one, troubles: [troubles[0]], solved: nil, at: start)
            let found = try #require(try await store.backfill(one))
            #expect(found.run == run)
            #expect(found.troubles == troubles)
            try await store.keep(run, of: one, troubles: [], solved: 0, at: start)
            #expect(try await store.backfill(one)?.troubles == [troubles[1]])
            try await store.forgetBackfill(one)
            #expect(try await store.backfill(one) == nil)
            try await store.keep(run, of: one, troubles: [], solved: nil, at: start)
            #expect(try await store.backfill(one)?.troubles == [])
        }
    }

    @Test("Unfinished lists are bounded; beyond it the least recently touched is dropped")
    func bound() async throws {
        try await OperationsEngine.each { store in
            let lists = (0...OperationsLimits.backfillRunCount).map {
                SHA256.hash(Array("\($0)".utf8))
            }
            for (index, list) in lists.enumerated() {
                let at = start.advanced(byMilliseconds: Int64(index))
                let run = BackfillRun(startedAt: start)
                try await store.keep(run, of: list, troubles: [], solved: nil, at: at)
                #expect(try await store.backfill(lists[0]) != nil || index == lists.count - 1)
            }
            #expect(try await store.backfill(lists[0]) == nil)
            #expect(try await store.backfill(lists[1]) != nil)
        }
    }

    @Test("A place is keyed by app, id and endpoint, and can be removed")
    func places() async throws {
        try await OperationsEngine.each { store in
            let key = HistoryPlace.Key(bundleId: BundleId("a"), id: "1", endpoint: "e")
            let others = [
                HistoryPlace.Key(bundleId: BundleId("b"), id: "1", endpoint: "e"),
                HistoryPlace.Key(bundleId: BundleId("a"), id: "2", endpoint: "e"),
                HistoryPlace.Key(bundleId: BundleId("a"), id: "1", endpoint: "f"),
            ]
            let place = HistoryPlace(
                revision: "r", log: ProjectionCursor(position: 5, leafHash: one))
            try await store.keep(place, of: key)
            #expect(try await store.place(key) == place)
            for other in others { #expect(try await store.place(other) == nil) }
            let later = HistoryPlace(revision: "s", log: .start)
            try await store.keep(later, of: key)
            #expect(try await store.place(key) == later)
            try await store.keep(nil, of: key)
            #expect(try await store.place(key) == nil)
        }
    }

    @Test("A look-up is stored while notices are left")
    func lookups() async throws {
        try await OperationsEngine.each { store in
            let chain = ChainId(
                bundleId: BundleId("a"), originalTransactionId: OriginalTransactionId("1"))
            let lookup = ChainLookup(
                requestedAt: start, times: 2, notices: ["missingPeriod", "renewalOverdue"])
            try await store.keep(lookup, of: chain)
            #expect(try await store.lookups() == [chain: lookup])
            let bare = ChainLookup(requestedAt: start, times: 0, notices: [])
            try await store.keep(bare, of: chain)
            #expect(try await store.lookups() == [chain: bare])
            try await store.keep(nil, of: chain)
            #expect(try await store.lookups().isEmpty)
        }
    }
}
