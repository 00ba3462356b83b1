import ArgumentParser
import Ledger

/// The knowledge limit of a query (`Lifecycle.md` §1).
struct AsOfOptions: ParsableArguments {
    @Option(help: "Use only events received by this time.")
    var knownAt: String?

    @Option(help: "Use only events up to this log position.", transform: PlainNumber.read)
    var knownPosition: Int64?

    func limit() throws(CommandFailure) -> AsOf {
        switch (knownAt, knownPosition) {
        case (.some, .some):
            throw CommandFailure.invalidOption("Give --known-at or --known-position, not both.")
        case (let text?, nil): return .knownAt(try MomentOptions.time(text, "--known-at"))
        case (nil, let position?): return try AsOfOptions.limit(through: position)
        case (nil, nil): return .everything
        }
    }

    /// Position 0 is before the first event.
    static func limit(through position: Int64) throws(CommandFailure) -> AsOf {
        guard position >= 0 else {
            throw CommandFailure.invalidOption("--known-position takes a position of 0 or more.")
        }
        return .knownPosition(position)
    }
}
