import AppStore

/// A figure of a roll-forward's row. Each is a sum over chains.
public enum RollForwardFigure: Hashable, Sendable {
    case activeStart
    case activeEnd
    /// Paid chains at the end whose price or period is unknown.
    case unpricedEnd
    case column(RollForwardColumn)
    /// All churn, over every reason.
    case churned

    /// Whether a column is part of the figure.
    func includes(_ column: RollForwardColumn) -> Bool {
        switch (self, column) {
        case (.column(let own), _): own == column
        case (.churned, .churned): true
        case (.activeStart, _), (.activeEnd, _), (.unpricedEnd, _), (.churned, _): false
        }
    }
}

/// What one chain adds to a figure, and the event that decided it.
public struct CellPart: Hashable, Sendable {
    public let amount: Int64
    /// Position of the event that proves the movement, or the stretch that is active.
    public let cause: Int64

    public init(amount: Int64, cause: Int64) {
        self.amount = amount
        self.cause = cause
    }
}

extension ChainMetrics {
    /// What the chain adds to one figure of the first interval of a query; their sum over all
    /// chains is the figure (`RollForward.rows`).
    ///
    /// - `key`: the group's row.
    public func parts(
        of figure: RollForwardFigure, in key: [String?], _ question: RollForwardQuery
    ) -> [CellPart] {
        guard question.instants.count > 1, question.admits(key) else { return [] }
        let (start, end) = (question.instants[0], question.instants[1])
        switch figure {
        case .activeStart: return active(before: start, in: key, question)
        case .activeEnd: return active(before: end, in: key, question)
        case .unpricedEnd:
            return stretches(before: end, in: key, question).filter {
                question.measure == .money && $0.annualised == nil
            }.map { CellPart(amount: 1, cause: $0.cause) }
        case .column, .churned:
            return stretches.indices.flatMap { index -> [CellPart] in
                let stretch = stretches[index]
                guard start <= stretch.from, stretch.from < end else { return [] }
                return changes(at: index, question).filter { change in
                    change.amount != 0 && change.key == key && figure.includes(change.column)
                }.map { CellPart(amount: $0.amount, cause: stretch.cause) }
            }
        }
    }

    private func active(
        before instant: Timestamp, in key: [String?], _ question: RollForwardQuery
    ) -> [CellPart] {
        stretches(before: instant, in: key, question)
            .map { CellPart(amount: question.amount($0.annualised), cause: $0.cause) }
            .filter { $0.amount != 0 }
    }

    /// A stretch `[from, to)` is active just before every instant in `(from, to]`.
    private func stretches(
        before instant: Timestamp, in key: [String?], _ question: RollForwardQuery
    ) -> [CountedStretch] {
        stretches.filter { stretch in
            stretch.from < instant && (stretch.to.map { instant <= $0 } ?? true)
                && stretch.state.isEntitled && question.counts(stretch.values)
                && question.key(stretch.values, reason: nil) == key
        }
    }
}
