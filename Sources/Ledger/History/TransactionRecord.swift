import AppStore

/// One snapshot of a transaction and the fact that carries it. Holds numbers only, so that copying
/// and sorting do no reference counting; ids stay in the facts.
struct Statement: Sendable {
    /// Index into the chain's ordered facts.
    let fact: Int
    let trust: Trust
    /// The snapshot's own date, else its fact's.
    let signedDate: Timestamp
    let revocationDate: Timestamp?
    let expiresDate: Timestamp?
    let digest: Digest

    /// A fact's statement about its transaction; nil if it has none.
    init?(_ fact: Int, in facts: OrderedFacts) {
        guard let snapshot = facts[fact].statedTransaction else { return nil }
        self.fact = fact
        trust = facts[fact].trust
        signedDate = snapshot.signedDate ?? facts.times[fact]
        revocationDate = snapshot.revocationDate
        expiresDate = snapshot.expiresDate
        digest = facts[fact].digest
    }

    /// The revocationDate, unless the transaction was upgraded: its successor ends it.
    func revocation(_ facts: OrderedFacts) -> Timestamp? {
        let isUpgraded = facts[fact].statedTransaction?.isUpgraded ?? false
        return isUpgraded ? nil : revocationDate
    }

    /// Orders worse first: the last of a transaction's statements is its best (`Lifecycle.md` §2
    /// rule 2).
    static func isWorse(_ left: Statement, _ right: Statement) -> Bool {
        if left.trust != right.trust { return left.trust < right.trust }
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        let (leftRevoked, rightRevoked) = (left.revocationDate != nil, right.revocationDate != nil)
        if leftRevoked != rightRevoked { return rightRevoked }
        let leftEnd = left.expiresDate?.milliseconds ?? .min
        let rightEnd = right.expiresDate?.milliseconds ?? .min
        if leftEnd != rightEnd { return leftEnd < rightEnd }
        if left.digest != right.digest { return left.digest < right.digest }
        return left.fact < right.fact
    }
}

/// The combined statements about one transaction, of the highest rank that states it.
struct TransactionRecord: Sendable {
    let transactionId: TransactionId
    /// Worst to best.
    let statements: ArraySlice<Statement>
    private(set) var spans: [RevocationSpan]
    /// When it was first stated, and by which fact.
    let firstStated: Timestamp
    let firstFact: Int
    /// The latest end ever stated, including renewal dates of RENEWAL_EXTENDED: an extension is
    /// never reversed (rule 4). Nil if none is stated.
    let statedEnd: Timestamp?
    /// The fact that first stated that end.
    let endFact: Int
    /// The latest end that a RENEWAL_EXTENDED states; nil if there is none.
    let extendedEnd: Timestamp?
    /// The first fact, of any rank, that reports the transaction as renewed: DID_RENEW.
    let renewalFact: Int?

    var best: Statement { statements[statements.endIndex - 1] }
    var bestFact: Int { best.fact }

    /// Groups the usable transaction snapshots of a chain by transactionId, in byte order of the
    /// ids.
    static func records(of facts: OrderedFacts) -> [TransactionRecord] {
        let (statements, ids) = ordered(facts)
        var records: [TransactionRecord] = []
        records.reserveCapacity(statements.count)
        var start = 0
        while start < statements.count {
            let id = ids[statements[start].fact]
            var end = start + 1
            while end < statements.count, ids[statements[end].fact] == id { end += 1 }
            let renewal = renewalFact(statements[start..<end], facts)
            let trusted = statements[end - 1].trust
            while statements[start].trust != trusted { start += 1 }
            if let id {
                records.append(
                    TransactionRecord(id, statements[start..<end], facts, renewalFact: renewal))
            }
            start = end
        }
        return records
    }

    private static func renewalFact(
        _ statements: ArraySlice<Statement>, _ facts: OrderedFacts
    ) -> Int? {
        statements.lazy.map(\.fact).filter {
            facts[$0].cause.notificationType?.value == .didRenew
        }.min()
    }

    /// All statements, by transactionId, then worst to best; and every fact's transactionId.
    private static func ordered(
        _ facts: OrderedFacts
    ) -> (statements: [Statement], ids: [TransactionId?]) {
        let ids = facts.facts.map { $0.statedTransaction?.transactionId }
        var statements: [Statement] = []
        statements.reserveCapacity(ids.count)
        for index in facts.indices {
            if let statement = Statement(index, in: facts) { statements.append(statement) }
        }
        func precedes(_ left: Statement, _ right: Statement) -> Bool {
            if let one = ids[left.fact], let two = ids[right.fact], one != two { return one < two }
            return Statement.isWorse(left, right)
        }
        statements.sort(by: precedes)
        return (statements, ids)
    }

    /// From the statements of one transaction, worst to best.
    private init(
        _ id: TransactionId, _ statements: ArraySlice<Statement>, _ facts: OrderedFacts,
        renewalFact: Int?
    ) {
        self.statements = statements
        self.renewalFact = renewalFact
        transactionId = id
        spans = TransactionRecord.spans(statements, facts)
        var first = statements[statements.startIndex]
        var end: Timestamp?
        var extendedEnd: Timestamp?
        var endFact = first.fact
        for statement in statements {
            if (statement.signedDate, statement.fact) < (first.signedDate, first.fact) {
                first = statement
            }
            var stated = statement.expiresDate
            if let date = TransactionRecord.extendedEnd(statement, facts) {
                extendedEnd = max(extendedEnd ?? date, date)
                stated = max(stated ?? date, date)
            }
            guard let stated else { continue }
            if end == nil || stated > end! || (stated == end! && statement.fact < endFact) {
                end = stated
                endFact = statement.fact
            }
        }
        firstStated = first.signedDate
        firstFact = first.fact
        statedEnd = end
        self.endFact = endFact
        self.extendedEnd = extendedEnd
    }

    /// The renewal date of a RENEWAL_EXTENDED; nil for every other fact.
    private static func extendedEnd(_ statement: Statement, _ facts: OrderedFacts) -> Timestamp? {
        let fact = facts[statement.fact]
        guard fact.cause.notificationType?.value == .renewalExtended else { return nil }
        return fact.statedRenewal?.renewalDate
    }

    /// Walks the snapshots from worst to best: a revocationDate opens a span, its absence closes
    /// it, another date replaces it. An upgraded transaction is not revoked; its successor ends it.
    private static func spans(
        _ statements: ArraySlice<Statement>, _ facts: OrderedFacts
    ) -> [RevocationSpan] {
        guard statements.contains(where: { $0.revocationDate != nil }) else { return [] }
        var closed: [RevocationSpan] = []
        var open: RevocationSpan?
        for statement in statements {
            if let date = statement.revocation(facts) {
                if open?.from == date {
                    open?.lastStated = statement.signedDate
                    continue
                }
                let why = reason(date, statements, facts)
                open = RevocationSpan(
                    from: date, to: nil, opener: statement.fact, lastStated: statement.signedDate,
                    closer: nil, reason: why.reason, reasonFact: why.fact)
            } else if var span = open {
                span.to = statement.signedDate
                span.closer = statement.fact
                if span.from < statement.signedDate { closed.append(span) }
                open = nil
            }
        }
        if let open { closed.append(open) }
        return closed
    }

    // MARK: Copies

    func purchaseDate(_ facts: OrderedFacts) -> Timestamp {
        facts[bestFact].statedTransaction?.purchaseDate ?? Timestamp(milliseconds: .min)
    }

    /// The end of a subscription's transaction by its best snapshot, or a later one that a
    /// RENEWAL_EXTENDED states. Ends of other snapshots do not decide what overlaps (rule 2).
    func end(_ facts: OrderedFacts) -> Timestamp? {
        guard let best = facts[bestFact].statedTransaction, best.isAutoRenewable,
            let end = best.expiresDate
        else { return nil }
        return max(end, extendedEnd ?? end)
    }

    /// Whether it is a copy that was restored at or after the end of its period: its purchaseDate
    /// is that of the restore.
    func isLate(_ facts: OrderedFacts) -> Bool {
        end(facts).map { $0 <= purchaseDate(facts) } ?? false
    }

    /// The purchaseDate; of a late copy, just before the end.
    func bought(_ facts: OrderedFacts) -> Timestamp {
        guard isLate(facts), let end = end(facts) else { return purchaseDate(facts) }
        return end.advanced(byMilliseconds: -AfterPeriodRule.receiptPrecisionMilliseconds)
    }

    /// The copies of each purchase, in order: one that is bought while another is revoked begins
    /// the next, since access was given anew (rule 2).
    ///
    /// - Parameter records: with their revocations joined.
    static func purchases(
        _ copies: ArraySlice<Int>, _ records: [TransactionRecord], _ facts: OrderedFacts
    ) -> [ArraySlice<Int>] {
        guard copies.contains(where: { !records[$0].spans.isEmpty }) else {
            return copies.isEmpty ? [] : [copies]
        }
        let dated = copies.map { (date: records[$0].boughtBy(facts), copy: $0) }
            .sorted { ($0.date, $0.copy) < ($1.date, $1.copy) }
        let order = dated.map(\.copy)
        var purchases: [ArraySlice<Int>] = []
        var (first, place) = (0, 0)
        while place < order.count {
            let date = dated[place].date
            let next = dated[place...].firstIndex { $0.date > date } ?? order.count
            let isNew =
                order[place..<next].contains { records[$0].givesAccess(facts) }
                && order[first..<place].contains { records[$0].isRevoked(at: date, facts) }
            if isNew {
                purchases.append(order[first..<place])
                first = place
            }
            place = next
        }
        purchases.append(order[first...])
        return purchases
    }

    /// When its purchase must have been made at the latest: a copy may be dated after its
    /// revocation.
    private func boughtBy(_ facts: OrderedFacts) -> Timestamp {
        let bought = bought(facts)
        return spans.map(\.from).min().map { min($0, bought) } ?? bought
    }

    /// Whether access began with it, unless it repeats a purchase: a copy restored after the end of
    /// its period gives none, nor does one that was revoked by its own date.
    private func givesAccess(_ facts: OrderedFacts) -> Bool {
        let date = purchaseDate(facts)
        let isRevoked = statements.contains { $0.revocationDate.map { $0 <= date } ?? false }
        return !isRevoked && !isLate(facts)
    }

    /// Whether it was revoked at a later purchase: as it is known now, or was stated then.
    private func isRevoked(at date: Timestamp, _ facts: OrderedFacts) -> Bool {
        guard !spans.isEmpty else { return false }
        if spans.contains(where: { $0.from < date && $0.to.map { $0 > date } ?? true }) {
            return true
        }
        guard let known = statements.last(where: { $0.signedDate <= date }),
            let from = known.revocation(facts), from < date
        else { return false }
        // Unless the statement of another copy had reversed it by then.
        return !spans.contains { span in
            span.from == from && span.to.map { known.signedDate < $0 && $0 <= date } ?? false
        }
    }

    /// Orders the copies of a purchase, worse first: one that only receipts state before one that a
    /// signed transaction states, and of those one without an appAccountToken first (rule 2).
    static func isWorse(
        _ left: TransactionRecord, _ right: TransactionRecord, _ facts: OrderedFacts
    ) -> Bool {
        let (one, two) = (left.completeness(facts), right.completeness(facts))
        return one == two ? Statement.isWorse(left.best, right.best) : one < two
    }

    private func completeness(_ facts: OrderedFacts) -> Int {
        let isSigned = statements.contains { !CompletedSnapshots.isPartial(facts[$0.fact]) }
        if isSigned { return 2 }
        return facts[bestFact].statedTransaction?.appAccountToken == nil ? 0 : 1
    }

    /// Of the revocations of a purchase's copies in one second, keeps those that signed
    /// transactions state; if none does, that of the best copy. The reversal of one ends all
    /// (rule 3).
    static func joinRevocations(
        of copies: some Collection<Int>, _ all: inout [TransactionRecord], _ facts: OrderedFacts
    ) {
        let revoked = copies.filter { !all[$0].spans.isEmpty }
            .sorted { isWorse(all[$0], all[$1], facts) }
        guard revoked.count > 1 else { return }
        let signed = revoked.map { index in
            Set(
                all[index].statements.filter { !CompletedSnapshots.isPartial(facts[$0.fact]) }
                    .compactMap(\.revocationDate))
        }
        // For each second: the best copy with a signed revocation, else the best copy.
        var kept: [Int64: Int] = [:]
        for isSigned in [false, true] {
            for (index, dates) in zip(revoked, signed) {
                for span in all[index].spans where dates.contains(span.from) == isSigned {
                    kept[span.from.wholeSeconds] = index
                }
            }
        }
        for (index, dates) in zip(revoked, signed) {
            all[index].spans.removeAll { span in
                !dates.contains(span.from) && kept[span.from.wholeSeconds] != index
            }
        }
        endRevocations(of: revoked, &all)
    }

    /// Ends each revocation with the first reversal, after its last statement, of any copy's
    /// revocation in the same second.
    private static func endRevocations(of copies: [Int], _ all: inout [TransactionRecord]) {
        var reversals: [Int64: [(time: Timestamp, fact: Int)]] = [:]
        for index in copies {
            for span in all[index].spans {
                guard let time = span.to, let fact = span.closer else { continue }
                reversals[span.from.wholeSeconds, default: []].append((time, fact))
            }
        }
        reversals = reversals.mapValues { found in
            found.sorted { ($0.time, $0.fact) < ($1.time, $1.fact) }
        }
        for index in copies where !reversals.isEmpty {
            for place in all[index].spans.indices {
                let span = all[index].spans[place]
                let known = reversals[span.from.wholeSeconds] ?? []
                let after = max(span.from, span.lastStated)
                let next = known.indices.partitioningIndex { known[$0].time > after }
                guard next < known.count else { continue }
                // One reversal has one fact, also where two copies state it in one millisecond.
                if let time = span.to, let fact = span.closer,
                    (time, fact) <= (known[next].time, known[next].fact)
                {
                    continue
                }
                all[index].spans[place].to = known[next].time
                all[index].spans[place].closer = known[next].fact
            }
        }
    }

    /// Why access ended on a revocationDate, and the fact that states it unless it is a refund.
    private static func reason(
        _ date: Timestamp, _ statements: ArraySlice<Statement>, _ facts: OrderedFacts
    ) -> (reason: EndReason, fact: Int?) {
        let revoking = statements.filter { $0.revocationDate == date }.map(\.fact)
        let assigned = revoking.first { fact in
            facts[fact].statedTransaction?.inAppOwnershipType?.value == .assigned
                || facts[fact].statedTransaction?.revocationType?.value == .assignmentRevoke
        }
        if let assigned { return (.other, assigned) }
        let shared = revoking.first { fact in
            facts[fact].cause.notificationType?.value == .revoke
                || facts[fact].statedTransaction?.revocationType?.value == .familyRevoke
                || facts[fact].statedTransaction?.inAppOwnershipType?.value == .familyShared
        }
        guard let shared else { return (.refund, nil) }
        return (.familyRevoke, shared)
    }
}
