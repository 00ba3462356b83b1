import AppStore

@testable import Simulator

/// Losses that are known only once the life is complete.
extension LifeWriter {
    mutating func noteStructuralLosses() {
        guard periods[0].product.type == .autoRenewableSubscription else { return }
        for index in periods.indices.dropFirst() { noteLostPeriod(index) }
        if periods.count > 1 { noteLostBeginning(1 + random.below(periods.count - 1)) }
        for note in refunds { noteLostRefund(note) }
    }

    /// A period that only one notification mentions. Without it the previous period is over at its
    /// own end, until the next one starts. Not the replacement of a renewal: without it that
    /// renewal might begin after all.
    private mutating func noteLostPeriod(_ index: Int) {
        let period = periods[index]
        let before = periods[index - 1]
        let marks = truth.marks.indices.filter { truth.marks[$0].period == index }
        guard period.deliveries.count == 1, !period.isRecovery, marks.count == 1,
            before.start <= period.start,
            let mark = marks.first, mark > 0, mark + 1 < truth.marks.count
        else { return }
        let next = truth.marks[mark + 1].from
        let edits: [LossRecord.Edit]
        switch truth.marks[mark - 1].meaning {
        case .state(.expired):
            // A later renewal info would be read as the reason why the previous period ended.
            let isStatedLater = statements.contains {
                $0.at >= period.start && $0.at < next && !period.deliveries.contains($0.ordinal)
            }
            guard hasExpired(before) || !isStatedLater else { return }
            edits = [.strike(mark)]
        case .period where next <= before.end: edits = [.strike(mark)]
        case .period:
            // Deliveries signed ahead with the next period describe that one.
            let ahead = index + 1 < periods.count ? periods[index + 1].deliveries : []
            let reason = statements.last {
                $0.at < next && !period.deliveries.contains($0.ordinal)
                    && !ahead.contains($0.ordinal)
            }?.reason
            edits = [
                .meaning(mark, .state(.expired), reason), .attribute(mark, period: index - 1),
                .from(mark, before.end),
            ]
        case .state: return
        }
        lose(period.reason == .renewal ? .renewal : .purchase, Set(period.deliveries), edits)
    }

    /// Whether EXPIRED was sent about the period.
    private func hasExpired(_ period: SimulatedPeriod) -> Bool {
        period.deliveries.contains { ordinal in
            guard case .notification(let notification, _, _) = deliveries[ordinal].evidence else {
                return false
            }
            return notification.notificationType?.value == .expired
        }
    }

    /// The loss of everything before a later period.
    private mutating func noteLostBeginning(_ index: Int) {
        let period = periods[index]
        guard let mark = truth.marks.firstIndex(where: { $0.period == index }),
            truth.marks[mark].from == period.start, let stated = period.stated.min()
        else { return }
        let dropped = periods[..<index].flatMap(\.deliveries)
        var edits: [LossRecord.Edit] = [.forget(before: index)]
        if traits.statesReason, period.reason == .renewal, stated < period.start {
            edits.append(.from(mark, stated))
        }
        lose(.beginning, Set(dropped), edits)
    }

    /// The loss of a refund, or of its reversal, after which the transaction was not stated again.
    private mutating func noteLostRefund(_ note: RefundRecord) {
        let newest = periods[note.period].deliveries.max()
        let hasOne = truth.revocations[note.period]?.count == 1
        guard hasOne else { return }
        if newest == note.refund {
            lose(.refund, [note.refund], [.unrevoke(note.period)])
        } else if let reversal = note.reversal, newest == reversal {
            lose(.refundReversed, [reversal], [.reopen(note.period)])
        }
    }
}
