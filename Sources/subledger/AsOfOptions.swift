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
        case (nil, let position?): return .knownPosition(position)
        case (nil, nil): return .everything
        }
    }
}
