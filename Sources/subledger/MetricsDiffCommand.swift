import ArgumentParser
import Ledger
import Reports

struct MetricsDiffCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Cells of a report that differ between two states of knowledge, and why.",
        discussion: """
            The events listed for a cell are those that changed their chain's contribution to it, \
            each compared with the events before it in the log. Intervals end at the earlier of \
            both times and of now.
            """)

    @Argument(help: "churn (default), or a metric's name.")
    var name: String = "churn"

    @Option(help: "Events received by this time; twice, or once to compare with everything.")
    var knownAt: [String] = []

    @Option(
        help: "Events up to this log position; twice or once, likewise.",
        transform: PlainNumber.read)
    var knownPosition: [Int64] = []

    @Option(
        help: ArgumentHelp(
            "Convert amounts by this table (YAML: currency: USD, rates: {EUR: 1.0834}).",
            valueName: "FILE"))
    var rates: String?

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let metric = try MetricName(compared: name)
        let (before, after) = try limits()
        return try await metrics.output(settings, common, after, rates: rates) { query in
            try await query.diff(metric, metrics.parameters, from: before)
        }
    }

    /// Both limits, the earlier one first.
    private func limits() throws(CommandFailure) -> (before: AsOf, after: AsOf) {
        var times: [AsOf] = []
        for text in knownAt { times.append(.knownAt(try MomentOptions.time(text, "--known-at"))) }
        let positions = knownPosition.map { AsOf.knownPosition($0) }
        guard times.isEmpty || positions.isEmpty,
            let limits = AsOf.compared(times + positions)
        else {
            throw CommandFailure.invalidOption(
                "Give --known-at twice, or --known-position twice; once compares with everything.")
        }
        return limits
    }
}
