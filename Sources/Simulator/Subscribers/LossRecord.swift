import AppStore

/// A loss noted while the life is written, with the changes it makes to the truth.
struct LossRecord: Sendable {
    /// One change to the truth. Marks are identified by index.
    enum Edit: Sendable {
        case meaning(Int, TruthLine.Meaning, TrueReason?)
        case from(Int, Timestamp)
        case strike(Int)
        /// Moves the start of the mark's state, but not past the next mark.
        case postpone(Int, Timestamp, TrueReason?)
        /// Attributes the mark to another period, since its own is unknown.
        case attribute(Int, period: Int)
        /// Removes everything before this period.
        case forget(before: Int)
        case unrevoke(Int)
        /// Removes the reversal of the revocation.
        case reopen(Int)
    }

    let kind: SimulatedLoss.Kind
    let dropped: Set<Int>
    let edits: [Edit]

    func truth(from line: TruthLine) -> TruthLine {
        var line = line
        for edit in edits { line.apply(edit) }
        return line
    }
}

extension LifeWriter {
    /// Notes a loss of deliveries, by ordinal, with the changes that it makes to the truth.
    mutating func lose(
        _ kind: SimulatedLoss.Kind, _ dropped: Set<Int>, _ edits: [LossRecord.Edit] = []
    ) {
        losses.append(LossRecord(kind: kind, dropped: dropped, edits: edits))
    }
}

extension TruthLine {
    mutating func apply(_ edit: LossRecord.Edit) {
        switch edit {
        case .meaning(let mark, let meaning, let reason):
            marks[mark].meaning = meaning
            marks[mark].reason = reason
        case .from(let mark, let moment): marks[mark].from = moment
        case .strike(let mark): marks[mark].isGone = true
        case .postpone(let mark, let moment, let reason):
            let limit = mark + 1 < marks.count ? marks[mark + 1].from : moment
            marks[mark].from = min(moment, limit)
            marks[mark].reason = reason
        case .attribute(let mark, let period): marks[mark].period = period
        case .forget(let period):
            for index in marks.indices where marks[index].period < period {
                marks[index].isGone = true
            }
        case .unrevoke(let period): revocations[period] = nil
        case .reopen(let period):
            guard let last = revocations[period]?.indices.last else { return }
            revocations[period]?[last].to = nil
        }
    }
}
