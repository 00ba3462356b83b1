import AppStore
import ArgumentParser
import Intake
import Ledger
import Queries
import Reports
import Service

struct MetricsChainsCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "chains",
        abstract: "The chains that one cell of a report counts, and the events that decided them.",
        discussion: """
            A cell is one interval, group and column of churn or another metric. The amounts of \
            its chains add up to its figure; those of recurring money are of a year, of which \
            mrr is a twelfth.
            """)

    @Argument(help: "churn (default), or a metric's name.", completion: .metrics)
    var name: String = MetricName.churnName

    @Option(help: "The column, as in --json: churned.billing, activeEnd, gross, …")
    var column: String

    @Option(help: "The beginning of the interval: a day of the report zone, or a time.")
    var from: String

    @Option(help: "Its end, exclusive (default: one --interval later).")
    var to: String?

    @Option(
        help: "hour, day, week, month or quarter (default: month).",
        completion: .values(of: ReportInterval.self))
    var interval: String?

    @Option(
        help: ArgumentHelp(
            "The value of a dimension in the cell's row; one for each dimension, of money also"
                + " currency=USD.", valueName: "dimension=value"))
    var group: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("As of the report; repeatable.", valueName: "dimension=value"))
    var filters: [String] = []

    @Option(help: "An IANA time zone (default: the configured report zone).")
    var timeZone: String?

    @Option(
        help: ArgumentHelp(
            "As of the report; the configured table converts the row of its currency.",
            valueName: "FILE|none"),
        completion: .file())
    var rates: String?

    @Flag(help: "Of churn: only chains in a paid period.")
    var paid = false

    @OptionGroup var knowledge: AsOfOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let metric = try MetricName(compared: name, paid: paid)
        let limit = try knowledge.limit()
        var parameters = CellParameters(column: column)
        (parameters.from, parameters.to) = (from, to)
        (parameters.interval, parameters.timeZone) = (interval, timeZone)
        (parameters.group, parameters.filters) = (group, filters)
        let table = try RateChoice(option: rates).table(for: metric, parameters) {
            try settings.configuration.rates()
        }
        let cell = try await settings.withMetrics(by: limit, table) { [parameters] query in
            try await query.cell(metric, parameters, limit: .max)
        }
        return Output(
            json: { cell.write(to: &$0) }, text: (cell.lines() + cell.stamp.lines).printableText)
    }
}
