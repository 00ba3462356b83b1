import AppStore

@testable import Simulator

/// Lost evidence, and the ledger's answer without it: `Lifecycle.md` still determines the answer,
/// though it may differ from what happened.
struct SimulatedLoss: Hashable, Sendable {
    let kind: LossRecord.Kind
    /// Ordinals of the lost deliveries.
    let dropped: Set<Int>
    /// The intervals that follow from the rest.
    let truth: [TrueInterval]
}

extension SubscriberLife {
    /// Losses with a determined answer, and that answer.
    var losses: [SimulatedLoss] {
        var writer = written
        writer.noteStructuralLosses()
        return writer.losses.map { note in
            var line = written.truth
            for edit in note.edits { line.apply(edit) }
            return SimulatedLoss(
                kind: note.kind, dropped: note.dropped, truth: line.intervals(written.identities))
        }
    }
}

extension TruthLine {
    fileprivate mutating func apply(_ edit: LossRecord.Edit) {
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
