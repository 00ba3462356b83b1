import AppStore

extension NoticeReader {
    // MARK: Contradictions

    /// Compares Apple's status with every state held within a minute of its date.
    mutating func readStatusContradictions() {
        guard let first = history.intervals.first else { return }
        for index in facts.indices {
            guard let status = facts[index].status, status.value != nil else { continue }
            let time = facts.times[index]
            guard time >= first.from else { continue }
            let from = time.advanced(byMilliseconds: -NoticeLimits.statusToleranceMilliseconds)
            let to = time.advanced(byMilliseconds: NoticeLimits.statusToleranceMilliseconds)
            let earliest = history.interval(at: from) ?? 0
            let agrees = history.intervals[earliest...].prefix { $0.from <= to }.contains {
                $0.state.appleStatus == status.rawValue
            }
            guard !agrees, !isStatusAhead(index), !isRevokedLater(index) else { continue }
            let period = history.governingPeriod(at: time).map { stretch($0) }
            add(
                .contradiction, from: time, facts: [index], about: period,
                "Apple states status \(status.rawValue), which matches no state within 60 s of it.")
        }
    }

    /// Bodies with another app's receipt; one notice for each, however many purchases it names.
    mutating func readForeignReceipts() {
        var positions: Set<Int64> = []
        for index in facts.indices
        where facts[index].hasForeignReceipt && positions.insert(facts[index].position).inserted {
            add(
                .contradiction, from: facts.times[index], facts: [index],
                "The notification contains a receipt of another app, which was ignored. Apple"
                    + " sends no such notification: its sender has the shared secret. Change it in"
                    + " App Store Connect.")
        }
    }

    /// Whether a fact's status is that of a period it states in advance: renewals are signed up to
    /// a day early.
    private func isStatusAhead(_ index: Int) -> Bool {
        guard let start = facts[index].statedTransaction?.purchaseDate,
            start > facts.times[index], let state = history.state(at: start)
        else { return false }
        return state.appleStatus == facts[index].status?.rawValue
    }

    /// Whether a refund stated after the status is dated before it; Apple did not know of it then.
    private func isRevokedLater(_ index: Int) -> Bool {
        guard let place = history.interval(at: facts.times[index]) else { return false }
        let interval = history.intervals[place]
        return interval.state == .revoked && facts.times[interval.cause] > facts.times[index]
    }

    /// Two sources that state different values for one transaction at one signedDate.
    mutating func readSnapshotContradictions() {
        let records = history.records
        for record in records.indices where records[record].statements.count > 1 {
            let statements = records[record].statements
            var start = statements.startIndex
            while start < statements.endIndex {
                let date = statements[start].signedDate
                let end =
                    statements[start...].firstIndex { $0.signedDate != date } ?? statements.endIndex
                for index in statements[start..<end].indices.dropFirst() {
                    readContradiction(
                        statements[index], with: statements[start..<index],
                        before: statements[end...].prefix(NoticeReader.comparedStatements),
                        records[record])
                }
                start = end
            }
        }
    }

    /// Stops at the first contradiction.
    private mutating func readContradiction(
        _ statement: Statement, with others: ArraySlice<Statement>,
        before later: ArraySlice<Statement>, _ record: TransactionRecord
    ) {
        guard let snapshot = facts[statement.fact].statedTransaction else { return }
        // A limit on comparisons, so that hostile repetitions cost little.
        for other in others.prefix(NoticeReader.comparedStatements) {
            guard let before = facts[other.fact].statedTransaction, before != snapshot else {
                continue
            }
            let differing = before.value.contradictions(with: snapshot.value)
            guard !differing.isEmpty else { continue }
            let settled = later.first { statement in
                guard let later = facts[statement.fact].statedTransaction else { return false }
                return later.value.settles(differing, between: before.value, and: snapshot.value)
            }
            add(
                .contradiction, from: statement.signedDate, to: settled?.signedDate,
                facts: [other.fact, statement.fact], about: stretch(of: record.transactionId),
                "Two sources state different values for transaction \(record.transactionId) at one"
                    + " signedDate: \(differing.joined(separator: ", ")).")
            return
        }
    }

    /// Maximum statements of one transaction at one signedDate with which each is compared.
    static let comparedStatements = 16

    // MARK: Single facts

    mutating func readLateDeliveries() {
        for index in facts.indices where facts[index].cause.kind == .notification {
            guard let late = facts[index].lateness, late > NoticeLimits.lateDeliveryMilliseconds
            else { continue }
            add(
                .lateDelivery, from: facts.times[index], facts: [index],
                "The notification arrived \(NoticeReader.lateness(late)) after it was signed.")
        }
    }

    /// A rounded-down duration as text: minutes below two hours, hours below two days, else days.
    private static func lateness(_ milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        let hours = minutes / 60
        if hours < 2 { return "\(minutes) minutes" }
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }

    mutating func readTokenChange() {
        let stated = facts.changesOfToken
        guard stated.count > 1 else { return }
        var tokens: Set<String> = []
        let seen = stated.filter { index in
            facts[index].statedTransaction?.appAccountToken.map {
                tokens.insert($0.lowercased()).inserted
            } ?? false
        }
        guard seen.count > 1 else { return }
        add(
            .tokenChanged, from: facts.times[seen[1]], facts: seen,
            "The appAccountToken differs within the chain: \(seen.count) tokens were stated.")
    }

    mutating func readUnfoldable() {
        // A fact without a date has no effect by definition (rule 1) and is not reported.
        for fact in facts.unusable {
            guard let flaw = fact.flaw, flaw != .undated else { continue }
            add(
                .unreadable, from: fact.signedDate ?? fact.receivedAt, positions: [fact.position],
                "This version cannot fold a genuine event (\(flaw.rawValue)); it has no effect.")
        }
    }

    /// Data of these ids was erased before: what is known begins after that.
    mutating func readErasures() {
        for fact in facts.unusable where fact.cause.kind == .erasure {
            add(
                .erasedBefore, from: fact.receivedAt, positions: [fact.position],
                "The data known of these ids by then was erased on request; what Apple sent later"
                    + " is kept apart from it.")
        }
    }

    mutating func readUnknownValues() {
        for index in facts.indices where !facts[index].unknownValues.isEmpty {
            add(
                .unknownValue, from: facts.times[index], facts: [index],
                about: stretch(of: facts[index].statedTransaction?.transactionId),
                "This version does not know the value of "
                    + facts[index].unknownValues.joined(separator: ", ")
                    + "; it is stored and has no effect.")
        }
        for index in history.periods.indices {
            guard let fact = history.after[index]?.undatedGraceFact else { continue }
            add(
                .unknownValue, from: facts.times[fact], facts: [fact],
                about: stretch(history.periods[index]),
                "A grace period was stated without gracePeriodExpiresDate, and nothing ended it"
                    + " within three days; its end is an estimate.")
        }
        readMissingDuration()
        readMissingType()
    }

    /// A receipt names a purchase that does not renew, and its type is unknown.
    private mutating func readMissingType() {
        let untyped = facts.indices.first { index in
            guard CompletedSnapshots.isPartial(facts[index]),
                let bought = facts[index].statedTransaction
            else { return false }
            return bought.expiresDate == nil && catalogue.type(of: bought) == nil
        }
        guard let untyped else { return }
        add(
            .unknownValue, from: facts.times[untyped], facts: [untyped],
            "A receipt does not state the type of product"
                + " \(facts[untyped].statedTransaction?.productId?.rawValue ?? "(none named)"), so"
                + " it has no effect: list it under products in the configuration, with a"
                + " duration if it is a non-renewing subscription, or fetch the signed transaction"
                + " with `subledger backfill`.")
    }

    /// A non-renewing purchase of unknown length is owned without end (`Lifecycle.md` §5).
    private mutating func readMissingDuration() {
        guard history.isOneTime, let period = history.periods.first,
            let best = facts[period.bestFact].statedTransaction,
            catalogue.type(of: best) == .nonRenewingSubscription
        else { return }
        if let product = best.productId, catalogue.products[product]?.duration != nil { return }
        add(
            .unknownValue, from: period.start, facts: [period.bestFact], about: stretch(period),
            "The catalogue gives no duration for this non-renewing subscription; it is owned"
                + " without end.")
    }
}

extension TransactionSnapshot {
    /// Whether this later statement settles a difference between two: it agrees with one of them.
    /// Of two ends the larger applies (`Lifecycle.md` §2 rule 4), so only a statement of that one
    /// settles it.
    func settles(
        _ names: [String], between one: TransactionSnapshot, and other: TransactionSnapshot
    ) -> Bool {
        if let left = one.expiresDate, let right = other.expiresDate, left != right {
            guard expiresDate == max(left, right) else { return false }
        }
        return [one, other].contains { earlier in
            contradictions(with: earlier).allSatisfy { $0 == "expiresDate" || !names.contains($0) }
        }
    }

    /// Wire names of the fields that both snapshots state with different values.
    func contradictions(with other: TransactionSnapshot) -> [String] {
        var names: [String] = []
        func compare<Value: Equatable>(_ name: String, _ left: Value?, _ right: Value?) {
            if let left, let right, left != right { names.append(name) }
        }
        compare("originalTransactionId", originalTransactionId, other.originalTransactionId)
        compare("webOrderLineItemId", webOrderLineItemId, other.webOrderLineItemId)
        compare("productId", productId, other.productId)
        compare("purchaseDate", purchaseDate, other.purchaseDate)
        compare("originalPurchaseDate", originalPurchaseDate, other.originalPurchaseDate)
        compare("expiresDate", expiresDate, other.expiresDate)
        // The absence of a revocation or upgrade is a statement, too (rule 3).
        if revocationDate != other.revocationDate { names.append("revocationDate") }
        if isUpgraded != other.isUpgraded { names.append("isUpgraded") }
        compare("revocationType", revocationType, other.revocationType)
        compare("revocationReason", revocationReason, other.revocationReason)
        compare("revocationPercentage", revocationPercentage, other.revocationPercentage)
        compare("transactionReason", transactionReason, other.transactionReason)
        compare(
            "appAccountToken", appAccountToken?.lowercased(), other.appAccountToken?.lowercased())
        compare("storefront", storefront, other.storefront)
        compare("price", price, other.price)
        compare("currency", currency, other.currency)
        compare("quantity", quantity, other.quantity)
        compare("type", type, other.type)
        compare("inAppOwnershipType", inAppOwnershipType, other.inAppOwnershipType)
        compare("offerType", offer?.type, other.offer?.type)
        compare("offerIdentifier", offer?.identifier, other.offer?.identifier)
        compare("offerDiscountType", offer?.discountType, other.offer?.discountType)
        return names
    }
}
