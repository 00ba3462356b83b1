import AppStore

/// The truth about one life: the times of its states, and the transactions that Apple's books hold
/// as revoked. Never derived from notifications.
struct TruthLine: Sendable {
    /// What starts at a mark.
    enum Meaning: Hashable, Sendable {
        /// A paid or free period, with the transactionReason Apple states, if any.
        case period(TransactionReason?)
        case state(TrueState)
    }

    struct Mark: Sendable {
        var meaning: Meaning
        var from: Timestamp
        var period: Int
        var reason: TrueReason?
        /// Removed by an edit.
        var isGone = false
    }

    struct Revocation: Sendable {
        var from: Timestamp
        var to: Timestamp?
        let reason: TrueReason

        func contains(_ moment: Timestamp) -> Bool {
            from <= moment && (to.map { moment < $0 } ?? true)
        }
    }

    var marks: [Mark] = []
    var revocations: [Int: [Revocation]] = [:]

    /// Adds a mark; returns its index.
    @discardableResult
    mutating func begin(
        _ meaning: Meaning, at moment: Timestamp, period: Int, reason: TrueReason? = nil
    ) -> Int {
        marks.append(Mark(meaning: meaning, from: moment, period: period, reason: reason))
        return marks.count - 1
    }

    mutating func revoke(_ period: Int, from moment: Timestamp, reason: TrueReason) {
        revocations[period, default: []].append(
            Revocation(from: moment, to: nil, reason: reason))
    }

    /// Apple corrects the date of the current revocation.
    mutating func redate(_ period: Int, to moment: Timestamp) {
        guard let last = revocations[period]?.indices.last else { return }
        revocations[period]?[last].from = moment
    }

    mutating func reinstate(_ period: Int, at moment: Timestamp) {
        guard let last = revocations[period]?.indices.last else { return }
        revocations[period]?[last].to = moment
    }
}

extension TruthLine {
    /// The truth as intervals: each mark's state lasts until the next, except where its transaction
    /// is revoked. `Lifecycle.md` §2 rule 7 determines the state of a period.
    func intervals(_ identities: [(ProductId, TransactionId)]) -> [TrueInterval] {
        var result: [TrueInterval] = []
        let marks = marks.filter { !$0.isGone }
        for index in marks.indices {
            let mark = marks[index]
            let end = index + 1 < marks.count ? marks[index + 1].from : nil
            if let end, end <= mark.from { continue }
            let state = state(mark.meaning, after: result.last?.state)
            let spans = revocations[mark.period] ?? []
            var cursor = mark.from
            while end.map({ cursor < $0 }) ?? true {
                let standing = spans.first { $0.contains(cursor) }
                let change =
                    standing == nil
                    ? spans.map(\.from).filter { $0 > cursor }.min() : standing?.to
                let until = [change, end].compactMap { $0 }.min()
                append(
                    TrueInterval(
                        state: standing == nil ? state : .revoked, from: cursor, to: until,
                        productId: identities[mark.period].0,
                        transactionId: identities[mark.period].1,
                        reason: standing.map(\.reason) ?? mark.reason, period: mark.period),
                    to: &result)
                guard let until else { break }
                cursor = until
            }
        }
        return result
    }

    private func state(_ meaning: Meaning, after previous: TrueState?) -> TrueState {
        switch meaning {
        case .state(let state): return state
        case .period(.renewal): return .renewing
        case .period:
            switch previous {
            case .subscribed, .renewing, .grace, .billingRetry: return .renewing
            default: return .subscribed
            }
        }
    }

    private func append(_ interval: TrueInterval, to result: inout [TrueInterval]) {
        if let last = result.last, last.state == interval.state, last.period == interval.period,
            last.to == interval.from
        {
            result[result.count - 1].to = interval.to
            return
        }
        result.append(interval)
    }
}
