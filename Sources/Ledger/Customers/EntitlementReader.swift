import AppStore

/// Combines the verdicts of every chain and grant of a customer at one moment.
struct EntitlementReader {
    let at: Timestamp
    let catalogue: Catalogue
    private(set) var overall = Standing.new
    private(set) var products: [ProductId: Standing] = [:]
    private(set) var groups: [Identifier<GroupTag>: Standing] = [:]
    private var candidates: [Identifier<EntitlementTag>: Candidate] = [:]

    enum EntitlementTag: Sendable {}
    enum GroupTag: Sendable {}

    /// One source's verdict, in the order in which they are cited.
    private struct Candidate {
        let verdict: Verdict

        /// Whether this candidate is cited rather than another: active first; then the later end;
        /// then the larger originalTransactionId.
        func isCited(before other: Candidate) -> Bool {
            if verdict.active != other.verdict.active { return verdict.active }
            let (mine, theirs) =
                verdict.active
                ? (verdict.until, other.verdict.until)
                : (verdict.endedAt, other.verdict.endedAt)
            if mine != theirs {
                guard let mine else { return true }
                return theirs.map { mine > $0 } ?? false
            }
            return Candidate.isLarger(verdict, other.verdict)
        }

        /// Compares ids as numbers: by length, then by bytes.
        private static func isLarger(_ left: Verdict, _ right: Verdict) -> Bool {
            guard let one = left.originalTransactionId else {
                // Of two grants, the later.
                guard right.originalTransactionId == nil else { return false }
                return (left.evidence.first ?? 0) > (right.evidence.first ?? 0)
            }
            guard let two = right.originalTransactionId else { return true }
            let (oneCount, twoCount) = (one.rawValue.utf8.count, two.rawValue.utf8.count)
            if oneCount != twoCount { return oneCount > twoCount }
            if one != two { return one > two }
            // The same id in two apps: the later in the log.
            return (left.evidence.last ?? 0) > (right.evidence.last ?? 0)
        }
    }

    init(at: Timestamp, catalogue: Catalogue) {
        self.at = at
        self.catalogue = catalogue
    }

    var verdicts: [Verdict] {
        candidates.sorted { $0.key < $1.key }.map(\.value.verdict)
    }

    // MARK: Chains

    mutating func read(_ holding: Holding) {
        var seen: Set<ProductId?> = []
        for stretch in holding.stretches.reversed() where stretch.from <= at {
            guard seen.insert(stretch.productId).inserted else { continue }
            read(stretch, of: holding)
        }
    }

    /// Reads the last stretch of one product that has begun.
    private mutating func read(_ stretch: HoldingInterval, of holding: Holding) {
        let leeway = leeway(stretch, holding.overdue)
        let basis =
            stretch.contains(at) && holding.meetsMinimumTrust
            ? Verdict.Basis(stretch.state) ?? (leeway == nil ? nil : .leeway) : nil
        let isActive = basis != nil
        note(isActive)
        guard let productId = stretch.productId else { return }
        let product = catalogue.products[productId]
        EntitlementReader.raise(&products[productId], isActive)
        if let group = product?.group ?? stretch.group?.rawValue {
            EntitlementReader.raise(&groups[Identifier(group)], isActive)
        }
        let isOver = !stretch.contains(at)
        var evidence = stretch.evidence
        if isOver { evidence += stretch.endEvidence }
        if basis == .leeway { evidence += leeway?.evidence ?? [] }
        for name in entitlements(of: productId) {
            let until = isOver ? stretch.to : until(name, stretch, of: holding)
            add(
                Verdict(
                    entitlement: name, active: isActive, basis: basis, state: stretch.state,
                    productId: productId, since: stretch.since,
                    until: basis == .leeway ? leeway?.until : until,
                    endedAt: isActive ? nil : endedAt(stretch, isOver: isOver),
                    originalTransactionId: holding.originalTransactionId,
                    trust: isOver ? min(stretch.trust, stretch.endTrust) : stretch.trust,
                    evidence: evidence.ascending()))
        }
    }

    private func entitlements(of product: ProductId) -> [String] {
        catalogue.products[product]?.entitlements ?? [product.rawValue]
    }

    /// The end of the unbroken time in a stretch's state, or, if earlier, the beginning of a
    /// product that does not give the entitlement.
    private func until(
        _ name: String, _ stretch: HoldingInterval, of holding: Holding
    ) -> Timestamp? {
        let other = holding.stretches.first { next in
            guard next.from > stretch.from, let product = next.productId,
                product != stretch.productId
            else { return false }
            return !entitlements(of: product).contains(name)
        }
        return earlier(stretch.until, other?.from)
    }

    private func endedAt(_ stretch: HoldingInterval, isOver: Bool) -> Timestamp {
        stretch.state.isEntitled && isOver ? stretch.to ?? at : stretch.accessEnded
    }

    /// `[E, E + leeway)` while a renewal is overdue and the chain is expired since E.
    private func leeway(
        _ stretch: HoldingInterval, _ overdue: Holding.Overdue?
    ) -> (until: Timestamp, evidence: [Int64])? {
        guard let overdue, stretch.state == .expired,
            let until = overdue.leewayEnd(at: at, catalogue.leewayMilliseconds)
        else { return nil }
        return (min(until, stretch.to ?? until), overdue.evidence)
    }

    // MARK: Grants

    mutating func read(_ grant: Grant) {
        guard grant.from <= at else { return }
        let isActive = at < grant.end
        note(isActive)
        let verdict = Verdict(
            entitlement: grant.entitlement, active: isActive, basis: isActive ? .grant : nil,
            state: nil, productId: nil, since: grant.from,
            until: max(grant.from, grant.end),
            endedAt: isActive ? nil : max(grant.from, grant.end),
            originalTransactionId: nil, trust: .operator, evidence: grant.evidence)
        add(verdict)
    }

    // MARK: Gathering

    private mutating func note(_ isActive: Bool) {
        if isActive { overall = .active } else if overall == .new { overall = .inactive }
    }

    private static func raise(_ standing: inout Standing?, _ isActive: Bool) {
        if isActive { standing = .active } else if standing == nil { standing = .inactive }
    }

    private mutating func add(_ verdict: Verdict) {
        let candidate = Candidate(verdict: verdict)
        let name = Identifier<EntitlementTag>(verdict.entitlement)
        if let known = candidates[name], !candidate.isCited(before: known) { return }
        candidates[name] = candidate
    }
}
