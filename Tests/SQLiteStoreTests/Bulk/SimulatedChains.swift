import AppStore
import Ledger
import Signing
import Simulator

@testable import SQLiteStore

/// Chains with the facts of simulated lives, under ids of every kind.
enum SimulatedChains {
    typealias Chain = (id: ChainId, facts: [Fact])

    static let app = BundleId("com.example.app")
    static let otherApp = BundleId("com.example.another")

    /// Ids that sort, end or compare in unusual ways; the empty one is first.
    static let unusualIds = [
        "", "\0", "a", "a\0", "a\0b", "a\u{1}", "caf\u{E9}", "cafe\u{301}", "中文", "🙂", "9 9",
        "'; --",
    ]

    /// The chains of most tests, which change none of them, and their rows.
    static let some = make(30)
    static let someRows = some.map { rows($0.id, $0.facts) }

    /// Chains in chain order: `count` lives under their own ids, and lives under `unusualIds`, each
    /// of those in two apps. Positions are distinct, and no chain's are consecutive.
    static func make(_ count: UInt64) -> [Chain] {
        let world = SubscriberWorld()
        var chains: [(ChainId, [Delivery])] = (1...count).map { seed in
            let life = world.life(seed: seed)
            return (id(app, life.originalTransactionId.rawValue), life.deliveries)
        }
        for (index, text) in unusualIds.enumerated() {
            let seed = 100_000 + 2 * UInt64(index)
            // The app that is second in name order appears first.
            chains.append((id(app, text), world.life(seed: seed).deliveries))
            chains.append((id(otherApp, text), world.life(seed: seed + 1).deliveries))
        }
        let stride = Int64(chains.count)
        return chains.enumerated().map { offset, chain in
            let facts = chain.1.enumerated().map { index, delivery in
                fact(delivery, at: Int64(index) * stride + Int64(offset) + 1)
            }
            return (chain.0, facts)
        }.sorted { $0.id < $1.id }
    }

    static func id(_ app: BundleId, _ text: String) -> ChainId {
        ChainId(bundleId: app, originalTransactionId: OriginalTransactionId(text))
    }

    static func fact(_ delivery: Delivery, at position: Int64) -> Fact {
        let origin = FactOrigin(
            position: position, receivedAt: delivery.receivedAt, trust: .signed,
            digest: SHA256.hash(Array("\(position)".utf8)))
        return switch delivery.evidence {
        case .notification(let notification, let transaction, let renewal):
            Fact(
                notification: notification, transaction: transaction, renewal: renewal,
                origin: origin)
        case .transaction(let transaction): Fact(transaction: transaction, origin: origin)
        case .pair(let transaction, let renewal, let status):
            Fact(pair: transaction, renewal: renewal, status: status, origin: origin)
        }
    }

    /// Facts of one chain that differ only in their dates and positions, from the latest date on.
    static func long(_ count: Int, _ chain: ChainId) -> [ChainFact] {
        let life = SubscriberWorld().life(seed: 1)
        var transaction = life.deliveries.lazy.compactMap(\.transaction).first ?? .init()
        return (0..<count).map { index in
            transaction.signedDate = Timestamp(milliseconds: 1_700_000_000_000 - Int64(index))
            let delivery = Delivery(
                ordinal: index, receivedAt: Timestamp(milliseconds: 1_700_000_000_000),
                evidence: .transaction(transaction))
            return ChainFact(chain: chain, fact: fact(delivery, at: Int64(index) + 1))
        }
    }

    static func rows(_ id: ChainId, _ facts: some Sequence<Fact>) -> ChainRows {
        ChainRows(
            id, facts: Array(facts), environment: .production, catalogue: Catalogue())
    }

    /// Every chain of a projections file, read as by a check.
    static func stored(_ path: String) async throws -> [ChainRows] {
        let stored = try StoredChains(path: path)
        defer { stored.close() }
        var (all, after): ([ChainRows], ChainId?) = ([], nil)
        while true {
            let page = try await stored.page(after: after)
            guard let last = page.last else { return all }
            all += page
            after = last.chain
        }
    }

    /// Every chain of a facts file, read page by page.
    static func stored(_ facts: FactsStore) async throws -> [Chain] {
        var (all, after): ([Chain], ChainId?) = ([], nil)
        while true {
            let page = try await facts.page(after: after)
            guard let last = page.last else { return all }
            all += page.map { (id: $0.0, facts: $0.1) }
            after = last.0
        }
    }
}

extension EncodedRows {
    /// The rows in the order given.
    init(_ chains: [ChainRows], firstSubscription: Int64 = 1) {
        self.init(firstSubscription: firstSubscription)
        for rows in chains { append(rows) }
    }
}
