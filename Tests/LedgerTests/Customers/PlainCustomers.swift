import AppStore
import Ledger

/// A plain implementation of `Lifecycle.md` §6: recomputes everything at every moment, from the
/// answers of single chains, without caching. The reference for the real implementation.
struct PlainCustomers {
    let lives: [(facts: [Fact], life: Lifecycle)]
    let catalogue: Catalogue

    init(_ chains: [[Fact]], _ catalogue: Catalogue) {
        lives = chains.map {
            ($0, Lifecycle($0, environment: .production, catalogue: catalogue))
        }
        self.catalogue = catalogue
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

    func holders(_ index: Int, at time: Timestamp) -> Set<String> {
        let (facts, life) = lives[index]
        func token(_ time: Timestamp) -> String? {
            life.answer(at: time, now: time)?.appAccountToken
        }
        var ids: Set<String> = []
        let commands = facts.filter { $0.command != nil }
            .sorted { $0.position < $1.position }
            .filter { ids.insert($0.command?.id ?? "").inserted }
            .sorted { ($0.receivedAt, $0.position) < ($1.receivedAt, $1.position) }
        // The customer, and whether by a claim.
        var linked: [(String, Bool)] = []
        var changes: [(Timestamp, [String])] = []
        for fact in commands {
            let before = linked.map(\.0)
            let named = token(fact.receivedAt)
            let present = linked.isEmpty ? named.map { [($0, false)] } ?? [] : linked
            switch fact.command?.action {
            case .link(let customer):
                linked = [(customer.rawValue, false)]
                changes.append((fact.receivedAt, linked.map(\.0)))
                continue
            case .unlink(let customer): linked.removeAll { $0.0 == customer.rawValue }
            case .claim(let customer, let policy):
                let name = customer.rawValue
                if present.contains(where: { $0.0 == name }) { continue }
                if present.isEmpty {
                    linked = [(name, true)]
                } else if policy == .share {
                    linked = present + [(name, true)]
                } else if policy == .transfer, present.allSatisfy({ $0.1 && $0.0 != named }) {
                    linked = [(name, true)]
                }
            default: continue
            }
            if linked.map(\.0) != before { changes.append((fact.receivedAt, linked.map(\.0))) }
        }
        let present = changes.last { $0.0 <= time }?.1 ?? changes.first?.1 ?? []
        return present.isEmpty ? Set([token(time)].compactMap { $0 }) : Set(present)
    }

    // MARK: Entitlement

    struct Picture: Equatable {
        var standing = Standing.new
        var active: Set<String> = []
        var products: [String: Standing] = [:]
    }

    func picture(of customer: String, at time: Timestamp, _ moments: [Timestamp]) -> Picture {
        var picture = Picture()
        for index in lives.indices {
            for moment in moments where moment <= time {
                guard holders(index, at: moment).contains(customer),
                    let answer = lives[index].life.answer(at: moment, now: moment),
                    let product = answer.productId?.rawValue
                else { continue }
                let isActive =
                    moment == time && isConfirmed(lives[index].facts) && gives(answer, at: time)
                if picture.products[product] != .active {
                    picture.products[product] = isActive ? .active : .inactive
                }
                if picture.standing != .active {
                    picture.standing = isActive ? .active : .inactive
                }
                guard isActive else { continue }
                let known = catalogue.products[ProductId(product)]?.entitlements
                picture.active.formUnion(known ?? [product])
            }
        }
        return picture
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
