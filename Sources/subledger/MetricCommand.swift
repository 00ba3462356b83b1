import ArgumentParser
import Ledger
import Reports

struct MetricCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await perform {
            if let definitions {
                guard rates == nil, chart == nil else {
                    throw CommandFailure.definitionsAlone("--rates and --chart")
                }
                var name = try MetricName(name)
                if let refundBasis { name = try refundBasis.asked(name) }
                return try await metrics.compare(
                    common, try knowledge.limit(), name.rawValue, definitions)
            }
            var name = try MetricName(name)
            if let refundBasis { name = try refundBasis.asked(name) }
            let form = try metrics.form(common)
            let asked = name
            let table = try rates.map { try CurrencyRates(file: $0) }
            let report = try await metrics.answer(common, try knowledge.limit()) { query in
                var query = query
                query.rates = table
                return try await query.metric(asked, metrics.words)
            }
            if let chart { try CommandFailure.draw(report, to: chart) }
            try metrics.print(report, form)
        }
    }
}

extension RefundBasis: ExpressibleByArgument {}

extension RefundBasis {
    /// - Throws: A usage error where the option is given for any metric but refunds.
    fileprivate func asked(_ name: MetricName) throws(CommandFailure) -> MetricName {
        do { return try metric(name) } catch {
            throw CommandFailure(
                code: "invalidOption", message: "--refund-basis applies to metrics refunds only.",
                exit: .usage)
        }
    }
}
