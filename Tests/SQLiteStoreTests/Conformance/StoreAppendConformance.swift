import AppStore
import Ledger
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore

/// The guarantees of every engine for appends (`LedgerLog`).
@Suite("Any log: appending")
struct StoreAppendConformance {
    @Test(
        "Positions follow input order from 1, contiguous over batches", arguments: StoreEngine.all)
    func contiguity(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let first = try await store.append(Sample.events(0..<3))
            #expect(first == [1, 2, 3].map { .appended(position: $0) })
            #expect(try await store.append([]) == [])
            let second = try await store.append(Sample.events(3..<5))
            #expect(second == [4, 5].map { .appended(position: $0) })
            let rows = try await store.allEvents()
            #expect(rows.map(\.position) == [1, 2, 3, 4, 5])
            #expect(
                rows.map { $0.attributes.notificationUUID?.rawValue } == (0..<5).map { "n\($0)" })
        }
    }

    @Test("Equal claims are stored once, however they were signed", arguments: StoreEngine.all)
    func duplicates(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let event = try Sample.event("n")
            let again = [
                event, try Sample.event("n", signature: 2),
                try Sample.event("n", header: Sample.otherHeader),
                try Sample.event("n", reversed: true), try Sample.event("n", at: 77, claimed: true),
            ]
            let same = [AppendResult](repeating: .duplicate(of: 1), count: again.count)
            #expect(try await store.append([event] + again) == [.appended(position: 1)] + same)
            let head = try await store.head()
            #expect(try await store.append(again) == same)
            #expect(try await store.head() == head)
        }
    }

    @Test("Other claims under one identity are conflicts, each once", arguments: StoreEngine.all)
    func conflicts(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let events = try [1, 2, 3].map { try Sample.event("n", price: $0) }
            #expect(
                try await store.append([events[0], events[1], events[0], events[1]]) == [
                    .appended(position: 1), .conflict(position: 2), .duplicate(of: 1),
                    .duplicate(of: 2),
                ])
            #expect(
                try await store.append([
                    events[2], try Sample.event("n", price: 2, signature: 7, reversed: true),
                ]) == [.conflict(position: 3), .duplicate(of: 2)])
            let rows = try await store.allEvents()
            #expect(rows.map(\.isConflict) == [false, true, true])
            #expect(rows.map(\.identity) == [nil, events[0].key, events[0].key])
            #expect(
                rows.map(\.key)
                    == [
                        events[0].key,
                        EventKey.conflict(
                            identity: events[0].key, payloadHash: events[1].evidence.payloadHash),
                        EventKey.conflict(
                            identity: events[0].key, payloadHash: events[2].evidence.payloadHash),
                    ])
        }
    }

    @Test("One identity of two kinds is two events", arguments: StoreEngine.all)
    func kinds(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let token = Evidence.jws(Array(Sample.token(Sample.transaction("t")).utf8))
            let events = try [EventKind.transaction, .appTransaction].map {
                try Sample.event("t", kind: $0, evidence: token)
            }
            #expect(
                try await store.append(events)
                    == [.appended(position: 1), .appended(position: 2)])
        }
    }

    @Test("Unclaimed arrival times never decrease", arguments: StoreEngine.all)
    func times(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            _ = try await store.append([try Sample.event("a", at: 9_999, claimed: true)])
            #expect(try await store.head().newestReceivedAt == nil)
            _ = try await store.append([
                try Sample.event("b", at: 1_000), try Sample.event("c", at: 900),
                try Sample.event("d", at: 50, claimed: true), try Sample.event("e", at: 1_001),
            ])
            _ = try await store.append([try Sample.event("f", at: .min)])
            let rows = try await store.allEvents()
            #expect(
                rows.map(\.receivedAt.milliseconds) == [9_999, 1_000, 1_000, 50, 1_001, 1_001])
            #expect(
                rows.map(\.receivedAtClaimed) == [true, false, false, true, false, false])
            #expect(try await store.head().newestReceivedAt == Timestamp(milliseconds: 1_001))
        }
    }

    @Test(
        "A batch is admitted at its bounds, and refused past them", arguments: StoreEngine.all
    )
    func bounds(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let many = try (0...LogLimits.batchEventCount).map { try Sample.command("c\($0)", [1]) }
            await #expect(throws: StoreError(.batchTooLarge, reason: "", remedy: "")) {
                try await store.append(many)
            }
            let half = [UInt8](repeating: 7, count: LogLimits.batchByteCount / 2)
            let large = [try Sample.command("a", half), try Sample.command("b", half)]
            await #expect(throws: StoreError(.batchTooLarge, reason: "", remedy: "")) {
                try await store.append(large + [try Sample.command("c", [1])])
            }
            #expect(try await store.head().position == 0)
            #expect(try await store.append(large).map(\.position) == [1, 2])
            let results = try await store.append(Array(many.dropLast()))
            #expect(results.map(\.position) == (3..<Int64(many.count) + 2).map { $0 })
        }
    }

    @Test("Answered events are there after reopening", arguments: StoreEngine.all)
    func durability(engine: StoreEngine) async throws {
        let place = try TemporaryDirectory()
        let first = try await engine.open(place)
        _ = try await first.append(Sample.events(0..<20))
        _ = try await first.append([try Sample.event("n3", price: 5)])
        let head = try await first.head()
        let rows = try await first.allEvents()
        await first.close()
        let second = try await engine.open(place)
        #expect(try await second.head() == head)
        #expect(try await second.allEvents() == rows)
        #expect(
            try await second.append([
                try Sample.event("n3", price: 5), try Sample.event("n3"), try Sample.event("x"),
                try Sample.event("n3", price: 6),
            ]) == [
                .duplicate(of: 21), .duplicate(of: 4), .appended(position: 22),
                .conflict(position: 23),
            ])
        await second.close()
    }

    @Test("A closed store refuses every call", arguments: StoreEngine.all)
    func closed(engine: StoreEngine) async throws {
        let place = try TemporaryDirectory()
        let open = try await engine.open(place)
        let events = try Sample.events(0..<1)
        _ = try await open.append(events)
        await open.close()
        let closed = StoreError(.closed, reason: "", remedy: "")
        await #expect(throws: closed) { try await open.append(events) }
        await #expect(throws: closed) { try await open.head() }
        await #expect(throws: closed) { try await open.event(at: 1) }
        await #expect(throws: closed) { try await open.checkpoint() }
        await #expect(throws: closed) {
            try await open.events(after: 0, through: .max, limit: 1)
        }
        await #expect(throws: closed) {
            try await open.page(after: 0, through: .max, limit: 1)
        }
    }

    @Test("A pair is compared by both payloads and its status", arguments: StoreEngine.all)
    func pairs(engine: StoreEngine) async throws {
        func pair(_ price: Int, _ status: Int64?, _ signature: UInt8) throws -> NewEvent {
            let transaction = Sample.token(
                Sample.transaction("t", price: price), signature: signature)
            let renewal = Sample.token(Sample.renewal("t"), signature: signature)
            return try Sample.event(
                "t", kind: .renewalPair,
                evidence: .pair(
                    transaction: Array(transaction.utf8), renewal: Array(renewal.utf8),
                    status: status))
        }
        let results = try await append(
            [
                try pair(1, 1, 1), try pair(1, 1, 2), try pair(1, nil, 1), try pair(2, 1, 1),
                try pair(1, nil, 3),
            ], to: engine)
        #expect(
            results == [
                .appended(position: 1), .duplicate(of: 1), .conflict(position: 2),
                .conflict(position: 3), .duplicate(of: 2),
            ])
    }

    @Test(
        "Commands compare as JSON if they are JSON, otherwise as bytes", arguments: StoreEngine.all)
    func commands(engine: StoreEngine) async throws {
        let results = try await append(
            [
                try Sample.command("c", Array(#"{"a":1,"b":2}"#.utf8)),
                try Sample.command("c", Array(#"{ "b":2, "a":1 }"#.utf8)),
                try Sample.command("c", Array(#"{"a":1}"#.utf8)),
                try Sample.command("d", [0xFF]), try Sample.command("d", [0xFE]),
                try Sample.command("d", [0xFF]),
            ], to: engine)
        #expect(
            results == [
                .appended(position: 1), .duplicate(of: 1), .conflict(position: 2),
                .appended(position: 3), .conflict(position: 4), .duplicate(of: 3),
            ])
    }

    private func append(
        _ events: [NewEvent], to engine: StoreEngine
    ) async throws -> [AppendResult] {
        var results: [AppendResult] = []
        try await engine.withLog { log in
            results = try await log.append(events)
            #expect(try await log.verify().isSound)
        }
        return results
    }
}
