import ArgumentParser
import LedgerService

struct MetricsDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "The cells of a report that differ between two states of knowledge, and why.",
        discussion: """
            The events listed for a cell are those of the chains that moved it which only one of the \
            two states knows. Compared up to the earlier of both times and of now.
            """)

    @Argument(help: "churn (default), or a metric's name.")
    var name: String = "churn"

    @Option(help: "Events received by this time; twice, or once for everything beside it.")
    var knownAt: [String] = []

    @Option(help: "Events up to this log position; likewise.")
    var knownPosition: [Int64] = []

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let metric = try ComparedMetric(name)
            let form = try metrics.form(common)
            let (before, after) = try limits()
            let diff = try await metrics.answer(common, after) { query in
                try await query.diff(metric, metrics.words, from: before)
            }
            switch form {
            case .json: try Console.out { diff.write(to: &$0) }
            case .table(let form): try Console.out(diff.table(form))
            }
        }
    }

    /// The earlier one first.
    private func limits() throws(CommandFailure) -> (before: KnowledgeLimit, after: KnowledgeLimit)
    {
        switch (knownAt.count, knownPosition.count) {
        case (1...2, 0):
            var times: [KnowledgeLimit] = []
            for text in knownAt {
                times.append(.knownAt(try MomentOptions.time(text, "--known-at")))
            }
            return KnowledgeLimit.ordered(times)
        case (0, 1...2):
            return KnowledgeLimit.ordered(knownPosition.map { .knownPosition($0) })
        default:
            throw CommandFailure(
                code: "invalidOption",
                message: "Give --known-at twice, or --known-position twice; once compares with"
                    + " everything.", exit: .usage)
        }
    }
}

extension KnowledgeLimit {
    /// One or two of a kind; one is compared with everything.
    fileprivate static func ordered(
        _ limits: [KnowledgeLimit]
    ) -> (before: KnowledgeLimit, after: KnowledgeLimit) {
        guard limits.count == 2 else { return (limits[0], .everything) }
        switch (limits[0], limits[1]) {
        case (.knownAt(let one), .knownAt(let two)) where two < one: return (limits[1], limits[0])
        case (.knownPosition(let one), .knownPosition(let two)) where two < one:
            return (limits[1], limits[0])
        default: return (limits[0], limits[1])
        }
    }
}
