import ArgumentParser
import Ledger
import Reports

struct MetricsReportCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "One metric by name, per interval.",
        discussion: "Metrics: "
            + MetricName.allCases.map(\.rawValue).joined(separator: ", ")
            + ". Nothing after now, or after --known-at, is counted.")

    @Argument(help: "The metric's name.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Convert amounts by this table (YAML: currency: USD, rates: {EUR: 1.0834}).",
            valueName: "FILE"))
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

    @Option(help: ArgumentHelp("Also draw a chart: lines over time.", valueName: "out.svg"))
    var chart: String?

    @OptionGroup var knowledge: AsOfOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        guard definitions == nil || rates == nil && chart == nil else {
            throw CommandFailure.invalidOption(
                "--definitions does not go with --rates and --chart.")
        }
        var metric = try MetricName(name)
        if let refundBasis { metric = try refundBasis.applied(to: metric) }
        return try await metrics.output(
            settings, common, try knowledge.limit(), chart: chart, rates: rates
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
