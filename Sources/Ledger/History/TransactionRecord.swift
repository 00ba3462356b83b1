import AppStore

/// One snapshot of a transaction, and the fact that carries it.
struct Statement: Sendable {
    /// Index into the chain's ordered facts.
    let fact: Int
    let transactionId: TransactionId
    let trust: Trust
    /// The snapshot's own date, else its fact's.
    let signedDate: Timestamp
    let revocationDate: Timestamp?
    let expiresDate: Timestamp?
    let digest: Digest

    /// Worse first: the last of a transaction's statements is its best (`lifecycle.md` §2 rule 2).
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

/// A stretch of valid time in which a transaction is revoked (`lifecycle.md` §2 rule 3).
struct RevocationSpan: Sendable {
    let from: Timestamp
    /// Nil while the revocation stands.
    var to: Timestamp?
    /// The fact that stated the revocation.
    let opener: Int
    /// The fact that took it back.
    var closer: Int?
    let transactionId: TransactionId
    /// A family copy was taken away: by FAMILY_REVOKE, or by a REVOKE that states this date. Before
    /// 2025-12 no payload says so, only the notification that carries it.
    let isFamilyRevoke: Bool

    func contains(_ time: Timestamp) -> Bool {
        from <= time && (to.map { time < $0 } ?? true)
    }
}

/// All that is known of one transaction, from the most trusted rank that states it.
struct TransactionRecord: Sendable {
    let transactionId: TransactionId
    /// Worst to best.
    let statements: [Statement]
    let spans: [RevocationSpan]
    /// When, and by which fact, it was first stated.
    let firstStated: Timestamp
    let firstFact: Int
    /// The largest end ever stated, RENEWAL_EXTENDED renewal dates included: an extension is never
    /// taken back (rule 4). Nil when nothing states one.
    let statedEnd: Timestamp?
    /// The fact that first stated that end.
    let endFact: Int

    var best: Statement { statements[statements.count - 1] }

    /// Groups the usable transaction snapshots of a chain by transactionId, in byte order of the
    /// ids.
    static func records(of facts: OrderedFacts) -> [TransactionRecord] {
        var statements: [Statement] = []
        statements.reserveCapacity(facts.facts.count)
        for index in facts.indices {
            guard let snapshot = facts[index].statedTransaction else { continue }
            statements.append(
                Statement(
                    fact: index, transactionId: snapshot.transactionId, trust: facts[index].trust,
                    signedDate: snapshot.signedDate ?? facts.times[index],
                    revocationDate: snapshot.revocationDate, expiresDate: snapshot.expiresDate,
                    digest: facts[index].digest))
        }
        statements.sort { left, right in
            if left.transactionId != right.transactionId {
                return left.transactionId < right.transactionId
            }
            return Statement.isWorse(left, right)
        }
        var records: [TransactionRecord] = []
        var start = 0
        while start < statements.count {
            var end = start + 1
            while end < statements.count,
                statements[end].transactionId == statements[start].transactionId
            { end += 1 }
            let trusted = statements[end - 1].trust
            while statements[start].trust != trusted { start += 1 }
            records.append(TransactionRecord(Array(statements[start..<end]), facts))
            start = end
        }
        return records
    }

    /// From the statements of one transaction, or of several that are one purchase
    /// (`lifecycle.md` §5), worst to best.
    init(_ statements: [Statement], _ facts: OrderedFacts) {
        self.statements = statements
        transactionId = statements[0].transactionId
        spans = TransactionRecord.spans(statements, facts)
        var first = statements[0]
        var end: Timestamp?
        var endFact = statements[0].fact
        for statement in statements {
            if (statement.signedDate, statement.fact) < (first.signedDate, first.fact) {
                first = statement
            }
            let stated = TransactionRecord.statedEnd(statement, facts)
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
    }

    private static func statedEnd(_ statement: Statement, _ facts: OrderedFacts) -> Timestamp? {
        let fact = facts[statement.fact]
        guard fact.cause.notificationType?.value == .renewalExtended,
            let extended = fact.statedRenewal?.renewalDate
        else { return statement.expiresDate }
        return statement.expiresDate.map { max($0, extended) } ?? extended
    }

    /// Walks the snapshots, worst to best: a revocation opens, its absence closes, another date
    /// replaces. An upgraded transaction is not revoked: its successor ends it.
    private static func spans(
        _ statements: [Statement], _ facts: OrderedFacts
    ) -> [RevocationSpan] {
        var closed: [RevocationSpan] = []
        var open: RevocationSpan?
        for statement in statements {
            let isUpgraded = facts[statement.fact].statedTransaction?.isUpgraded ?? false
            if let date = statement.revocationDate, !isUpgraded {
                if open?.from == date { continue }
                open = RevocationSpan(
                    from: date, to: nil, opener: statement.fact, closer: nil,
                    transactionId: statement.transactionId,
                    isFamilyRevoke: isFamilyRevoke(date, statements, facts))
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

    private static func isFamilyRevoke(
        _ date: Timestamp, _ statements: [Statement], _ facts: OrderedFacts
    ) -> Bool {
        statements.contains { statement in
            guard statement.revocationDate == date else { return false }
            let fact = facts[statement.fact]
            return fact.cause.notificationType?.value == .revoke
                || fact.statedTransaction?.revocationType?.value == .familyRevoke
        }
    }
}
