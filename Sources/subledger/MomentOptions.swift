import AppStore
import ArgumentParser
import LedgerService

/// When, and on what knowledge, a question is asked (`lifecycle.md` §1).
struct MomentOptions: ParsableArguments {
    @Option(help: "The moment asked about: RFC 3339 or epoch milliseconds (default: now).")
    var at: String?

    @Option(help: "Use only events received by this time.")
    var knownAt: String?

    @Option(help: "Use only events up to this log position.")
    var knownPosition: Int64?

    func moment() throws(CommandFailure) -> Moment {
        if knownAt != nil, knownPosition != nil {
            throw CommandFailure(
                code: "invalidOption",
                message: "Give --known-at or --known-position, not both.", exit: .usage)
        }
        var knowledge = KnowledgeLimit.everything
        if let knownAt { knowledge = .knownAt(try time(knownAt, "--known-at")) }
        if let knownPosition { knowledge = .knownPosition(knownPosition) }
        let at: Timestamp? = if let at { try time(at, "--at") } else { nil }
        return Moment(at: at, now: Console.now, knowledge: knowledge)
    }

    private func time(_ text: String, _ option: String) throws(CommandFailure) -> Timestamp {
        guard let time = Timestamp(userInput: text) else {
            throw CommandFailure(
                code: "invalidTime",
                message: "\(option) takes RFC 3339 (2026-01-31T23:59:59.000Z) or epoch"
                    + " milliseconds.", exit: .usage)
        }
        return time
    }
}
