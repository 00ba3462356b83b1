import AppStore
import Ledger
import LedgerStore
import Signing
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Stored holdings")
struct HoldingTests {
    /// Simulated chains whose tokens, links and claims name several customers.
    private static let lives: [(id: ChainId, facts: [Fact], life: Lifecycle)] =
        SimulatedChains.some.enumerated().map { index, chain in
            let facts = chain.facts + commands(chain.facts, index)
            return (
                chain.id, facts,
                Lifecycle(facts, environment: .production, catalogue: Catalogue())
            )
        }

    private static func commands(_ facts: [Fact], _ index: Int) -> [Fact] {
        guard let first = facts.compactMap(\.signedDate).min(), index.isMultiple(of: 2) else {
            return []
        }
        let actions: [Command.Action] = [
            .link(CustomerId("é\0\(index)")), .claim(CustomerId("eve"), policy: .share),
            .unlink(CustomerId("é\0\(index)")), .note(nil),
        ]
        return actions.enumerated().map { offset, action in
            let text = "command \(index) \(offset)"
            return Fact(
                position: 1_000_000 + Int64(index * 10 + offset),
                receivedAt: first.advanced(byMilliseconds: Int64(offset) * 40 * 86_400_000),
                trust: .operator, cause: Cause(kind: .command), signedDate: nil,
                digest: SHA256.hash(Array(text.utf8)),
                command: Command(id: text, actor: "sara", reason: "why", action: action))
        }
    }

    private static func stored(_ bytes: [UInt8]) throws -> HoldingCodec.Content {
        try bytes.withUnsafeBytes { try HoldingCodec.decode($0) }
    }

    @Test("Holdings round-trip, whole and truncated", arguments: [nil, 1, 4])
    func roundTrip(_ limit: Int?) throws {
        var count = 0
        for entry in HoldingTests.lives {
            for customer in entry.life.holders.named + [CustomerId("nobody")] {
                let holding = entry.life.holding(of: customer, chain: entry.id, limit: limit)
                count += holding.stretches.count
                #expect(
                    try HoldingTests.stored(HoldingCodec.encode(holding)) == .holding(holding))
            }
        }
        #expect(count > 30)
    }

    @Test("Grants round-trip with all their fields")
    func grants() throws {
        let grant = Grant(
            id: "g", customer: CustomerId("ann"), entitlement: "pro", actor: "sara", reason: "é",
            from: Timestamp(milliseconds: 1), until: Timestamp(milliseconds: .max),
            withdrawnAt: Timestamp(milliseconds: -5), evidence: [3, 900])
        for grants in [[], [grant], [grant, grant]] {
            #expect(try HoldingTests.stored(HoldingCodec.encode(grants)) == .grants(grants))
        }
    }

    @Test("Truncated or extended bytes are damage, not another holding")
    func damage() throws {
        let entry = try #require(HoldingTests.lives.first { !$0.life.holders.named.isEmpty })
        let holding = entry.life.holding(
            of: entry.life.holders.named[0], chain: entry.id, limit: 4)
        let bytes = HoldingCodec.encode(holding)
        for count in bytes.indices {
            #expect(throws: FactReader.Damage.self) {
                try HoldingTests.stored(Array(bytes[..<count]))
            }
        }
        #expect(throws: FactReader.Damage.self) { try HoldingTests.stored(bytes + [0]) }
        #expect(throws: FactReader.Damage.self) { try HoldingTests.stored([9]) }
    }

    @Test("A truncated holding is small, and equals the whole one from completeFrom on")
    func shortened() {
        var (bytes, rows) = (0, 0)
        for entry in HoldingTests.lives {
            for customer in entry.life.holders.named {
                let whole = entry.life.holding(of: customer, chain: entry.id)
                let short = entry.life.holding(
                    of: customer, chain: entry.id, limit: Holding.shortStretchCount)
                bytes += HoldingCodec.encode(short).count
                rows += 1
                let edges = whole.stretches.flatMap { [$0.from, $0.to].compactMap { $0 } }
                for edge in edges {
                    for offset: Int64 in [-1, 0, 1] {
                        let at = edge.advanced(byMilliseconds: offset)
                        guard at >= short.completeFrom else { continue }
                        let one = Entitlements(
                            at: at, holdings: [short], grants: [], catalogue: Catalogue())
                        let two = Entitlements(
                            at: at, holdings: [whole], grants: [], catalogue: Catalogue())
                        #expect(one == two)
                    }
                }
            }
        }
        #expect(rows > 0 && bytes / rows < 400)
    }

    @Test("Holdings built in bulk, written singly and read by customer are equal")
    func bulkAndUpdates() async throws {
        let directory = try TemporaryDirectory()
        let grants = [CustomerId("ann"), CustomerId("\0"), CustomerId("é")].map { customer in
            let command = Command(
                id: customer.rawValue, actor: "sara", reason: "why",
                action: .grant(
                    customer, entitlement: "pro", until: Timestamp(milliseconds: 9_000)))
            let fact = Fact(
                position: 2_000_000, receivedAt: Timestamp(milliseconds: 5), trust: .operator,
                cause: Cause(kind: .command), signedDate: nil,
                digest: SHA256.hash(Array(customer.rawValue.utf8)), command: command)
            return SimulatedChains.rows(ChainId(customer: customer), [fact])
        }
        let rows = (HoldingTests.lives.map { SimulatedChains.rows($0.id, $0.facts) } + grants)
            .sorted { $0.chain < $1.chain }
        let build = ProjectionsStore.Build(catalogueHash: "none")
        func file(_ name: String, _ rows: [ChainRows]) throws -> ProjectionsStore {
            let file = try ProjectionsBuild(
                path: directory.file(name), build: build)
            try file.append(EncodedRows(rows))
            try file.finish(checkpoint: .start)
            return try ProjectionsStore(path: file.path)
        }
        let bulk = try file("bulk.sqlite", rows)
        let updated = try file("updated.sqlite", [])
        try await updated.update(rows.reversed(), checkpoint: .start)
        let stored = try await SimulatedChains.stored(bulk.path)
        #expect(stored == rows)
        #expect(try await SimulatedChains.stored(updated.path) == rows)
        let customers = Set(rows.flatMap(\.holdings).map { CustomerId($0.customer) }).sorted()
        #expect(customers.count > 10)
        let asked = (customers + [CustomerId("nobody")]).map {
            ProjectionsStore.CustomerKey($0)
        }
        let one = try await bulk.customers(asked)
        let two = try await updated.customers(asked)
        for (left, right) in zip(one, two) {
            #expect(Set(left.holdings) == Set(right.holdings) && left.grants == right.grants)
        }
        #expect(one.last == ProjectionsStore.CustomerRecord())
        for customer in customers {
            #expect(
                try await bulk.chains(of: customer) == updated.chains(of: customer))
        }
        #expect(try await bulk.chains(of: CustomerId("ann")).isEmpty)
        #expect(try await bulk.customers([.init(CustomerId("ann"))])[0].grants.map(\.id) == ["ann"])
        try bulk.close()
        try updated.close()
    }
}
