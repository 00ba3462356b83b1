import AppStore
import Ledger
import LedgerTestSupport
import Signing
import Testing

@testable import LedgerStore

/// The guarantees of every engine for reads (`LedgerLog`).
@Suite("Any log: reading")
struct StoreReadConformance {
    @Test("An empty store has no events and the root of nothing", arguments: StoreEngine.all)
    func empty(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let head = try await store.head()
            #expect(head == LogHead(position: 0, root: SHA256.hash([]), newestReceivedAt: nil))
            for position: Int64 in [.min, -1, 0, 1, .max] {
                #expect(try await store.event(at: position) == nil)
                #expect(
                    try await store.events(after: position, through: .max, limit: 10).isEmpty)
                #expect(try await store.page(after: position, through: .max, limit: 10).isEmpty)
            }
        }
    }

    static let shapes: [EventAttributes] = [
        EventAttributes(
            kind: .command, source: .operator, trust: .operator, bundleId: BundleId("")),
        EventAttributes(
            kind: .notification, source: .webhook, trust: .signed,
            bundleId: BundleId("com.example"), chain: OriginalTransactionId("2000000000000001"),
            notificationType: "SUBSCRIBED", subtype: "INITIAL_BUY",
            notificationUUID: NotificationUUID("002e14d5-51f5-4503-b5a8-c3a1af68eb20"),
            signedAt: Timestamp(milliseconds: 1_700_000_000_000),
            rootFingerprint: SHA256.hash([1])),
        EventAttributes(
            kind: .sweep, source: .history, trust: .transport, bundleId: BundleId("süß.例"),
            chain: OriginalTransactionId(""), notificationType: "", subtype: "'\";--\n\t",
            notificationUUID: NotificationUUID("🧾"), signedAt: Timestamp(milliseconds: .max)),
        EventAttributes(
            kind: .receipt, source: .import, trust: .secret, bundleId: BundleId("b"),
            signedAt: Timestamp(milliseconds: .min),
            rootFingerprint: Digest(words: (0, .max, 0, .max))),
    ]

    @Test("A row round-trips unchanged", arguments: StoreEngine.all, shapes)
    func attributes(engine: StoreEngine, attributes: EventAttributes) async throws {
        try await engine.withLog { store in
            let given = NewEvent(
                key: EventKey.make(attributes.kind, ["x"]), attributes: attributes,
                receivedAt: Timestamp(milliseconds: -1),
                evidence: try Sample.packer.pack(.verbatim([0, 255])))
            #expect(try await store.append([given]) == [.appended(position: 1)])
            let row = try #require(try await store.event(at: 1)).event
            #expect(row.position == 1)
            #expect(row.key == given.key)
            #expect(row.attributes == attributes)
            #expect(row.receivedAt == given.receivedAt)
            #expect(!row.receivedAtClaimed && !row.isConflict && row.identity == nil)
            #expect(row.payloadHash == given.evidence.payloadHash)
            #expect(row.evidenceHash == given.evidence.evidenceHash)
            #expect(row.leafHash == row.computedLeafHash())
            #expect(try await store.allEvents() == [row])
        }
    }

    /// Events with every kind, source and trust that has a code.
    static func everyCode() throws -> [NewEvent] {
        let (kinds, sources, trusts) = (
            EventKind.allCases, EventSource.allCases, Trust.allCases
        )
        return try (0..<max(kinds.count, sources.count, trusts.count)).map { number in
            let kind = kinds[number % kinds.count]
            return NewEvent(
                key: EventKey.make(kind, ["\(number)"]),
                attributes: EventAttributes(
                    kind: kind, source: sources[number % sources.count],
                    trust: trusts[number % trusts.count], bundleId: BundleId("b")),
                receivedAt: Timestamp(milliseconds: 0),
                evidence: try Sample.packer.pack(.verbatim([])))
        }
    }

    @Test("Every kind, source and trust with a code round-trips", arguments: StoreEngine.all)
    func vocabulary(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let events = try StoreReadConformance.everyCode()
            _ = try await store.append(events)
            #expect(try await store.allEvents().map(\.attributes) == events.map(\.attributes))
        }
    }

    @Test("Any evidence is reproduced byte for byte", arguments: StoreEngine.all)
    func evidence(engine: StoreEngine) async throws {
        let token = Array(Sample.token(Sample.transaction("t")).utf8)
        let all: [Evidence] = [
            .jws(token), .jws(Array(Sample.token(Sample.notification("n")).utf8)),
            .jws(Array("no token".utf8)), .verbatim([]), .verbatim(Array(0...255)),
            .pair(transaction: token, renewal: token, status: nil),
            .pair(transaction: token, renewal: token, status: .min),
            .verbatim([UInt8](repeating: 0xFF, count: 1_000_000)),
        ]
        try await engine.withLog { store in
            let events = try all.enumerated().map { index, evidence in
                try Sample.event("e\(index)", kind: .command, evidence: evidence)
            }
            _ = try await store.append(events)
            let page = try await store.page(after: 0, through: .max, limit: .max)
            #expect(page.count == all.count)
            for (logged, evidence) in zip(page, all) {
                #expect(try logged.evidence?.originalBytes() == evidence.bytes())
                let alone = try await store.event(at: logged.event.position)
                #expect(alone?.event == logged.event)
                #expect(try alone?.evidence?.originalBytes() == evidence.bytes())
            }
        }
    }

    @Test(
        "The head's root equals that of the tree over the rows, at every size",
        arguments: StoreEngine.all)
    func tree(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            var leaves: [Digest] = []
            for number in 0..<20 {
                _ = try await store.append([try Sample.event("n\(number)")])
                let row = try #require(try await store.event(at: Int64(number) + 1)).event
                #expect(row.leafHash == row.computedLeafHash())
                leaves.append(row.leafHash)
                let head = try await store.head()
                #expect(head.position == Int64(leaves.count))
                #expect(head.root == LogTreeTests.root(leaves[...]))
            }
        }
    }

    @Test("A page holds the requested rows in order, from any place", arguments: StoreEngine.all)
    func paging(engine: StoreEngine) async throws {
        let places: [Int64] = [.min, 0, 1, 9, 10, .max]
        try await engine.withLog { store in
            _ = try await store.append(Sample.events(0..<10))
            for after in places {
                for through in places {
                    for limit in [.min, 1, 3, 10, .max] {
                        let wanted = (1...10).filter { $0 > after && $0 <= through }
                            .prefix(max(1, limit))
                        let rows = try await store.events(
                            after: after, through: through, limit: limit)
                        #expect(rows.map(\.position) == Array(wanted))
                        let page = try await store.page(
                            after: after, through: through, limit: limit)
                        #expect(page.map(\.event) == rows)
                    }
                }
            }
        }
    }

    @Test("A page holds at most as many rows as its bound", arguments: StoreEngine.all)
    func pageBound(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let all = try (0...LogLimits.pageEventCount).map { try Sample.command("c\($0)", [1]) }
            for start in stride(from: 0, to: all.count, by: LogLimits.batchEventCount) {
                let end = min(start + LogLimits.batchEventCount, all.count)
                _ = try await store.append(Array(all[start..<end]))
            }
            for limit in [LogLimits.pageEventCount, LogLimits.pageEventCount + 1, .max] {
                let rows = try await store.events(after: 0, through: .max, limit: limit)
                #expect(rows.count == LogLimits.pageEventCount)
                let page = try await store.page(after: 0, through: .max, limit: limit)
                #expect(page.count == LogLimits.pageEventCount)
            }
            #expect(try await store.allEvents().count == all.count)
        }
    }

    @Test("A page of large evidence may end early, but is never empty", arguments: StoreEngine.all)
    func pageBytes(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let large = [UInt8](repeating: 1, count: LogLimits.evidenceByteCount)
            for number in 0..<3 {
                _ = try await store.append([try Sample.command("c\(number)", large)])
            }
            var positions: [Int64] = []
            while true {
                let page = try await store.page(
                    after: positions.last ?? 0, through: .max, limit: .max)
                if page.isEmpty { break }
                let bytes = page.dropLast().reduce(0) {
                    $0 + ($1.evidence?.storedByteCount ?? 0)
                }
                #expect(bytes < LogLimits.pageByteCount)
                positions += page.map(\.event.position)
            }
            #expect(positions == [1, 2, 3])
        }
    }
}
