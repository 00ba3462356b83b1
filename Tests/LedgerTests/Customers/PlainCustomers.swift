import AppStore
import Ledger

/// A plain implementation of `Lifecycle.md` §6: one moment at a time, from the answers of single
/// chains. The reference for the real implementation.
struct PlainCustomers {
    let lives: [(facts: [Fact], life: Lifecycle)]
    let catalogue: Catalogue
    /// Of each chain, in order: when commands changed who holds it, and who did from then on.
    private let changes: [[(Timestamp, [String])]]

    init(_ chains: [[Fact]], _ catalogue: Catalogue) {
        lives = chains.map {
            ($0, Lifecycle($0, environment: .production, catalogue: catalogue))
        }
        self.catalogue = catalogue
        changes = lives.map { PlainCustomers.changes($0.facts, $0.life) }
    }

    /// Every moment at which something is stated or changes, and its neighbours.
    var moments: [Timestamp] {
        var moments: Set<Timestamp> = []
        for (facts, life) in lives {
            let starts = life.intervals.map(\.from) + facts.map(\.receivedAt)
            for start in starts + life.intervals.compactMap(\.to) {
                for offset in [
                    -1, 0, catalogue.leewayMilliseconds - 1,
                    catalogue.leewayMilliseconds,
                ] {
                    moments.insert(start.advanced(byMilliseconds: offset))
                }
            }
        }
        return moments.sorted()
    }

    // MARK: Holders

    /// By what a customer holds a chain.
    private enum Word {
        case token, link, claim
    }

    private static func changes(_ facts: [Fact], _ life: Lifecycle) -> [(Timestamp, [String])] {
        var ids: Set<String> = []
        let commands = facts.filter { $0.command != nil }
            .sorted { $0.position < $1.position }
            .filter { ids.insert($0.command?.id ?? "").inserted }
            .sorted { ($0.receivedAt, $0.position) < ($1.receivedAt, $1.position) }
        var linked: [(String, Word)] = []
        var changes: [(Timestamp, [String])] = []
        for fact in commands {
            let before = linked.map(\.0)
            let named = life.answer(at: fact.receivedAt, now: fact.receivedAt)?.appAccountToken
            let present = linked.isEmpty ? named.map { [($0, Word.token)] } ?? [] : linked
            switch fact.command?.action {
            case .link(let customer):
                linked = [(customer.rawValue, .link)]
                changes.append((fact.receivedAt, linked.map(\.0)))
                continue
            case .unlink(let customer):
                linked.removeAll { $0.0 == customer.rawValue && $0.1 != .token }
                // No link or claim is left: the token applies again.
                if linked.allSatisfy({ $0.1 == .token }) { linked = [] }
            case .claim(let customer, let policy):
                let name = customer.rawValue
                if present.contains(where: { $0.0 == name }) { continue }
                if present.isEmpty {
                    linked = [(name, .claim)]
                } else if policy == .share {
                    linked = present + [(name, .claim)]
                } else if policy == .transfer,
                    present.allSatisfy({ $0.1 == .claim && $0.0 != named })
                {
                    linked = [(name, .claim)]
                }
            default: continue
            }
            if linked.map(\.0) != before { changes.append((fact.receivedAt, linked.map(\.0))) }
        }
        return changes
    }

    // MARK: Entitlement

    /// What matters of a chain's answer at a moment.
    struct ChainPicture {
        let holders: Set<String>
        let isAnswered: Bool
        let product: String?
        /// Whether it gives access to its holders.
        let isActive: Bool
    }

    func answer(of index: Int, at time: Timestamp) -> ChainPicture {
        let answer = lives[index].life.answer(at: time, now: time)
        let present = changes[index].last { $0.0 <= time }?.1 ?? changes[index].first?.1 ?? []
        let isGiven = answer.map { gives($0, at: time) } ?? false
        return ChainPicture(
            holders: present.isEmpty
                ? Set([answer?.appAccountToken].compactMap { $0 }) : Set(present),
            isAnswered: answer != nil, product: answer?.productId?.rawValue,
            isActive: isGiven && isConfirmed(lives[index].facts))
    }

    struct Picture: Equatable {
        var standing = Standing.new
        var active: Set<String> = []
        var products: [String: Standing] = [:]
    }

    /// The picture of a customer at every moment, from the answers of every chain at each in order.
    func pictures(of customer: String, _ moments: [[ChainPicture]]) -> [Picture] {
        // Without what is active: all that was held before.
        var past = Picture()
        return moments.map { chains in
            var picture = past
            for chain in chains where chain.holders.contains(customer) {
                guard let product = chain.product else { continue }
                (past.standing, past.products[product]) = (.inactive, .inactive)
                if picture.products[product] != .active {
                    picture.products[product] = chain.isActive ? .active : .inactive
                }
                if picture.standing != .active {
                    picture.standing = chain.isActive ? .active : .inactive
                }
                guard chain.isActive else { continue }
                let known = catalogue.products[ProductId(product)]?.entitlements
                picture.active.formUnion(known ?? [product])
            }
            return picture
        }
    }

    /// Whether any usable fact has the catalogue's minimum trust.
    private func isConfirmed(_ facts: [Fact]) -> Bool {
        facts.contains { fact in
            guard fact.flaw == nil, fact.signedDate != nil else { return false }
            return switch (catalogue.minimumTrust, fact.trust) {
            case (_, .signed), (_, .xcode), (.transport, .transport), (.secret, .transport),
                (.secret, .secret):
                true
            default: false
            }
        }
    }

    private func gives(_ answer: ChainAnswer, at time: Timestamp) -> Bool {
        if answer.state.isEntitled { return true }
        let overdue = answer.notices.first { $0.code == .renewalOverdue }
        guard answer.state == .expired, let overdue else { return false }
        return time < overdue.from.advanced(byMilliseconds: catalogue.leewayMilliseconds)
    }
}
