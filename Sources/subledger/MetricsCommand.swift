import ArgumentParser
import Ledger
import Reports

/// `metrics NAME`, and comparisons of metrics.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Reports for analysts, by name.",
        subcommands: [
            MetricsReportCommand.self, MetricsDiffCommand.self, MetricsChainsCommand.self,
            MetricsExplainCommand.self, RetentionOffersCommand.self,
        ],
        defaultSubcommand: MetricsReportCommand.self)
}

struct MetricsReportCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "One metric by name, per interval.",
        discussion: "Metrics: "
            + MetricName.allCases.map(\.rawValue).joined(separator: ", ")
            + ". Nothing after now, or after --known-at, is counted.")

    @Argument(help: "The metric's name.", completion: .list(MetricName.allCases.map(\.rawValue)))
    var name: String

    @Option(
        help: ArgumentHelp(
            "Convert amounts by this table (YAML: currency: USD, rates: {EUR: 1.0834}, or days:"
                + " {2026-01-02: {EUR: 1.0834}}), or by none; default: the configured one.",
            valueName: "FILE|none"),
        completion: .file())
    var rates: String?

    @Option(
        help: ArgumentHelp(
            "Also as another product defines it.",
            valueName: "revenuecat|adapty|stripe|appstoreconnect"))
    var definitions: DefinitionPack?

    @Option(
        help: ArgumentHelp(
            "Refunds by their own day (default), or by the day of the purchase.",
            valueName: "refund|purchase"))
    var refundBasis: RefundBasis?

    @Option(
        help: ArgumentHelp("Also draw a chart: lines over time.", valueName: "out.svg"),
        completion: .file())
    var chart: String?

    @OptionGroup var knowledge: AsOfOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        guard definitions == nil || rates == nil && chart == nil else {
            throw CommandFailure.invalidOption(
                "--definitions does not go with --rates and --chart.")
        }
        guard name != MetricName.churnName else {
            throw CommandFailure(
                "unknownMetric", "There is no metric “churn”; use `subledger churn`.", .usage)
        }
        var metric = try MetricName(name)
        if let refundBasis { metric = try refundBasis.applied(to: metric) }
        return try await metrics.output(
            settings, common, try knowledge.limit(), chart: chart,
            of: definitions == nil ? metric : nil, rates: rates
        ) { [metric] query in
            if let definitions {
                return try await query.comparison(metric.rawValue, metrics.parameters, definitions)
            }
            return try await query.metric(metric, metrics.parameters)
        }
    }
}

extension RefundBasis: ExpressibleByArgument {}

extension RefundBasis {
    /// - Throws: A usage error where the option is given for any metric but refunds.
    fileprivate func applied(to name: MetricName) throws(CommandFailure) -> MetricName {
        do { return try metric(name) } catch {
            throw CommandFailure.invalidOption("--refund-basis applies to metrics refunds only.")
        }
    }
}

extension MetricName {
    /// - Throws: A usage error where `--paid` is given for any metric but churn.
    init(compared name: String, paid: Bool) throws {
        guard !paid || name == MetricName.churnName else {
            throw CommandFailure.invalidOption("--paid applies to churn only.")
        }
        try self.init(compared: name, isPaid: paid)
    }
}

struct MetricsDiffCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Cells of a report that differ between two states of knowledge, and why.",
        discussion: """
            The events listed for a cell are those that changed their chain's contribution to it, \
            each compared with the events before it in the log. Intervals end at the earlier of \
            both times and of now.
            """)

    @Argument(help: "churn (default), or a metric's name.", completion: .metrics)
    var name: String = "churn"

    @Option(help: "Events received by this time; twice, or once to compare with everything.")
    var knownAt: [String] = []

    @Option(
        help: "Events up to this log position; twice or once, likewise.",
        transform: PlainNumber.read)
    var knownPosition: [Int64] = []

    @Option(
        help: ArgumentHelp(
            "Convert amounts by this table (YAML: currency: USD, rates: {EUR: 1.0834}, or days:"
                + " {2026-01-02: {EUR: 1.0834}}), or by none; default: the configured one.",
            valueName: "FILE|none"),
        completion: .file())
    var rates: String?

    @Flag(help: "Of churn: only chains in a paid period.")
    var paid = false

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let metric = try MetricName(compared: name, paid: paid)
        let (before, after) = try limits()
        return try await metrics.output(
            settings, common, after, of: metric, rates: rates
        ) { query in
            try await query.diff(metric, metrics.parameters, from: before)
        }
    }

    /// Both limits, the earlier one first.
    private func limits() throws(CommandFailure) -> (before: AsOf, after: AsOf) {
        let times = try knownAt.map { text throws(CommandFailure) in
            AsOf.knownAt(try MomentOptions.time(text, "--known-at"))
        }
        let positions = try knownPosition.map(AsOfOptions.limit(through:))
        guard times.isEmpty || positions.isEmpty,
            let limits = AsOf.compared(times + positions)
        else {
            throw CommandFailure.invalidOption(
                "Give --known-at twice, or --known-position twice; once compares with everything.")
        }
        return limits
    }
}
