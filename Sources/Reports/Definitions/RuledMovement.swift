import AppStore
import Ledger

/// Movements of recurring money in our columns and the product's, in annualised milliunits.
struct RuledMovement: Sendable {
    private let pack: DefinitionPack
    /// Includes the filters; the question of `sums` has none.
    private let question: RollForwardQuestion
    private var sums: RuledSums
    private var subscribers = Subscribers()
    private var isBeyondBound = false

    /// Whether a sum exceeds what a report can hold.
    var isTooLarge: Bool { isBeyondBound || sums.isTooLarge }

    private typealias Stage = [RuledSums.Cell: Int64]

    init(
        _ pack: DefinitionPack, _ rules: [DefinitionRule], _ figures: [ComparedFigure],
        _ question: RollForwardQuestion
    ) {
        self.pack = pack
        self.question = question
        sums = RuledSums(
            rules, figures, RollForwardQuestion(.money, instants: question.instants))
    }

    var figures: [ComparedFigure] { sums.figures }

    mutating func add(_ metrics: ChainMetrics, _ chain: ComparedChain, isAdopted: Bool) {
        let isStripe = pack == .stripe
        let theirs = isStripe ? metrics.withPastDue : metrics
        guard theirs.stretches.contains(where: \.isPaid) else { return }
        let stages =
            isStripe
            ? subscriberStages(metrics, theirs, isAdopted: isAdopted) : renewalStages(metrics)
        for (cell, amount) in stages[0] { sums.add(ours: amount, in: cell) }
        for (rule, pair) in zip(sums.rules, zip(stages, stages.dropFirst())) {
            for cell in Set(pair.0.keys).union(pair.1.keys) {
                let moved = (pair.1[cell] ?? 0) - (pair.0[cell] ?? 0)
                if moved != 0 { sums.add(moved, by: rule, in: cell) }
            }
        }
        guard isStripe else { return }
        subscribers.add(theirs, chain, question, isAdopted: isAdopted)
    }

    mutating func add(_ other: RuledMovement) {
        sums.add(other.sums)
        subscribers.add(other.subscribers)
        isBeyondBound = isBeyondBound || other.isBeyondBound
    }

    var rows: [ComparisonReport.Row] {
        var sums = sums
        for group in subscribers.groups {
            var moved = stage(group.whole.changes)
            for part in group.parts {
                moved.merge(stage(part.changes).mapValues { -$0 }) { $0.addingSaturated($1) }
            }
            for (cell, amount) in moved where amount != 0 {
                sums.add(
                    amount, by: .perSubscriber, in: cell, chainCount: Int64(group.parts.count))
            }
        }
        return sums.rows
    }

    // MARK: Stages

    private mutating func rollForward(_ metrics: ChainMetrics) -> [RollForwardRow] {
        var sum = RollForward(question)
        sum.add(metrics)
        if sum.isTooLarge { isBeyondBound = true }
        return sum.rows()
    }

    private func cell(_ row: RollForwardRow, _ figure: String) -> RuledSums.Cell? {
        question.interval(of: row.from).map { interval in
            RuledSums.Cell(interval: interval, currency: row.group.first ?? nil, figure: figure)
        }
    }

    /// The amounts of all rows per figure.
    private func stage(
        _ rows: [RollForwardRow], _ amounts: (RollForwardRow) -> [String: Int64]
    ) -> Stage {
        var stage: Stage = [:]
        for row in rows {
            for (figure, amount) in amounts(row) where amount != 0 {
                guard let cell = cell(row, figure) else { continue }
                stage[cell] = (stage[cell] ?? 0).addingSaturated(amount)
            }
        }
        return stage
    }

    private func stage(_ changes: [SubscriberMoney.Change]) -> Stage {
        var stage: Stage = [:]
        for change in changes {
            guard let interval = question.interval(of: change.at) else { continue }
            let cell = RuledSums.Cell(
                interval: interval, currency: change.currency, figure: change.figure)
            stage[cell] = (stage[cell] ?? 0).addingSaturated(change.amount)
        }
        return stage
    }

    /// For products with the figures `new`, and `churned` as ends less renewals.
    private mutating func renewalStages(_ metrics: ChainMetrics) -> [Stage] {
        let ours = rollForward(metrics)
        let theirs = rollForward(metrics.byFourWeeks)
        func new(_ row: RollForwardRow) -> Int64 { row[.gained(.new)] + row[.converted] }
        func netted(_ row: RollForwardRow) -> Int64 {
            let back: [Gain] = [.reactivated, .recovered, .reinstated]
            return row.churned - back.reduce(0) { $0 + row[.gained($1)] }
        }
        func changed(_ row: RollForwardRow) -> Int64 {
            netted(row) + row[.contraction] - row[.expansion] + row[.movedOut] - row[.movedIn]
                + row[.toFree]
        }
        return [
            stage(ours) { ["new": $0[.gained(.new)], "churned": $0.churned] },
            stage(theirs) { ["new": $0[.gained(.new)], "churned": $0.churned] },
            stage(theirs) { ["new": new($0), "churned": $0.churned] },
            stage(theirs) { ["new": new($0), "churned": netted($0)] },
            stage(theirs) { ["new": new($0), "churned": changed($0)] },
        ]
    }

    /// For products that classify every change by the money before and after it.
    private mutating func subscriberStages(
        _ metrics: ChainMetrics, _ theirs: ChainMetrics, isAdopted: Bool
    ) -> [Stage] {
        func columns(_ row: RollForwardRow) -> [String: Int64] {
            [
                "new": row[.gained(.new)], "reactivated": row[.gained(.reactivated)],
                "expansion": row[.expansion], "contraction": row[.contraction],
                "churned": row.churned, "churnedRevenue": row.churned,
            ]
        }
        let alone = SubscriberMoney(
            spans: MoneySpan.all(of: theirs, question), isAdopted: isAdopted)
        return [
            stage(rollForward(metrics), columns), stage(rollForward(theirs), columns),
            stage(alone.changes),
        ]
    }
}
