import AppStore

extension Period {
    /// Order of rule 4: `purchaseDate`, upgraded ones first, then transactionId by length, then
    /// bytes.
    static func precedes(_ left: Period, _ right: Period) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        return isSmaller(left.transactionId, right.transactionId)
    }

    /// Order of ids: by length, then bytes. Apple's are numbers.
    static func isSmaller(_ left: TransactionId, _ right: TransactionId) -> Bool {
        let (length, other) = (left.rawValue.utf8.count, right.rawValue.utf8.count)
        return length == other ? left < right : length < other
    }

    /// Rule 4's order, in which a renewal that was replaced before it began is just before its
    /// replacement and counts from there, so that it governs nothing.
    static func order(
        _ periods: inout [Period], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) {
        periods.sort(by: precedes)
        for index in periods.indices.dropFirst() {
            var replaced = periods[index]
            let earliest = replaced.start.advanced(byMilliseconds: -replaced.leadMilliseconds)
            let running = periods.indices[..<index].reversed()
                .prefix { periods[$0].start >= earliest }
                .filter { replaced.begins(during: periods[$0], facts) }
            guard !running.isEmpty else { continue }
            let trust = facts[replaced.bestFact].trust
            let governing = periods[..<index].last {
                !$0.isReplaced && facts[$0.bestFact].trust >= trust
            }
            let isRevoked = governing?.isRevoked(at: replaced.start) ?? false
            guard let limit = replaced.replacementLimit(isRevoked, records, facts),
                let place = running.last(where: { limit < periods[$0].start })
            else { continue }
            replaced.isReplaced = true
            replaced.countsFrom = periods[place].countsFrom
            periods.remove(at: index)
            periods.insert(replaced, at: place)
        }
    }

    /// Whether this is a renewal that would begin while a purchase runs, which may replace it.
    /// Payloads before 2023-06 do not name a renewal.
    private func begins(during other: Period, _ facts: OrderedFacts) -> Bool {
        !other.isReplaced && other.start < start && start < other.end
            && facts[other.bestFact].trust >= facts[bestFact].trust
            && facts.transactionReason(bestFact) != .purchase
    }

    /// A purchase that runs at this renewal's start replaced it if it began after this time.
    /// `.min`: each did, as this was revoked or upgraded before its start or, unless `isRevoked`,
    /// is a RENEWAL upgraded later and never stated as begun. `firstStated`: this was otherwise
    /// never stated as begun. Nil: none did.
    ///
    /// - Parameter isRevoked: whether the purchase that governs when this one would begin is
    ///   revoked then.
    private func replacementLimit(
        _ isRevoked: Bool, _ all: [TransactionRecord], _ facts: OrderedFacts
    ) -> Timestamp? {
        func isUpgraded(_ statement: Statement) -> Bool {
            facts[statement.fact].statedTransaction?.isUpgraded ?? false
        }
        let any = Timestamp(milliseconds: .min)
        let stated = records.flatMap { all[$0].statements }
        let isOver = stated.contains { statement in
            statement.revocationDate.map { $0 < start } ?? false
                || isUpgraded(statement) && statement.signedDate < start
        }
        guard !isOver else { return any }
        // Only a status, or a notification of other things than money, states that it began; any
        // unrevoked snapshot does where the purchase before it is revoked by then.
        let hasBegun = stated.contains { statement in
            guard statement.signedDate >= start, !isUpgraded(statement) else { return false }
            if isRevoked, statement.revocationDate == nil { return true }
            let fact = facts[statement.fact]
            guard let type = fact.cause.notificationType else { return fact.status != nil }
            return !TrustRanks.ofAnyPurchase.contains(type.value)
        }
        guard !hasBegun else { return nil }
        let isPassedOver =
            !isRevoked && facts.transactionReason(bestFact) == .renewal
            && stated.contains(where: isUpgraded)
        return isPassedOver ? any : firstStated
    }
}
