import AppStore
import ArgumentParser
import Intake
import Ledger
import Projection
import Queries
import Reports
import Service

/// Options of every metric (`Contract.md`, `churn`).
struct MetricsOptions: ParsableArguments {
    @Option(help: "The first day, in the report zone (2026-01-31), or a time; inclusive.")
    var from: String

    @Option(help: "The day or time before which it ends (default: now).")
    var to: String?

    @Option(
        help: "hour, day, week (from Monday), month or quarter (default: month).",
        completion: .values(of: ReportInterval.self))
    var interval: String?

    @Option(
        help: ArgumentHelp(
            "Break down by these dimensions, comma-separated.", valueName: "product,country,…"))
    var by: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only this value of a dimension; repeatable, and values of one dimension are"
                + " alternatives.", valueName: "dimension=value"))
    var filters: [String] = []

    @Option(help: "An IANA time zone (default: the configured report zone).")
    var timeZone: String?

    @Option(help: "text, csv, csv-raw or json (default: text).", completion: .values(of: Form.self))
    var format: String?

    @Flag(help: "Text with all columns, not only those that fit 120 characters.")
    var wide = false

    var parameters: MetricParameters {
        var parameters = MetricParameters()
        (parameters.from, parameters.to, parameters.interval, parameters.timeZone) = (
            from, to, interval, timeZone
        )
        parameters.by = MetricParameters.list(by)
        parameters.filters = filters
        return parameters
    }

    /// The output format. Raw values are the contract's.
    enum Form: String, CaseIterable {
        case text
        case csv
        /// Raw text, for machines: a spreadsheet may execute it as formulas.
        case rawCSV = "csv-raw"
        case json
    }

    func form(_ common: SharedOptions) throws(CommandFailure) -> Form {
        guard let format else { return common.json ? .json : .text }
        guard let form = Form(rawValue: format), form == .json || !common.json else {
            throw CommandFailure.invalidOption(
                "--format takes text, csv, csv-raw or json, and --json is only --format json.")
        }
        return form
    }

    /// Prints the report of `compute`, with progress on standard error, and draws its chart. CSV
    /// has no room for stamp and remarks, so they go to standard error.
    ///
    /// - Parameter metric: what is converted, if it is money; nil: nothing is.
    func output(
        _ settings: Settings, _ common: SharedOptions, _ limit: AsOf, chart: String? = nil,
        of metric: MetricName? = nil, rates: String? = nil,
        _ compute: (MetricsQuery) async throws -> Report
    ) async throws -> Output {
        let form = try form(common)
        let choice = try RateChoice(option: rates)
        let table = try metric.flatMap {
            try choice.table(for: $0, parameters) { try settings.configuration.rates() }
        }
        let report = try await settings.withMetrics(by: limit, table, compute)
        if let chart { try CommandFailure.draw(report, to: chart) }
        switch form {
        case .json: try Terminal.out { report.write(to: &$0) }
        case .text: try Terminal.out(report.text(isWide: wide))
        case .csv, .rawCSV:
            for line in report.stamp.lines { Terminal.note(line) }
            try Terminal.out(report.csv(isRaw: form == .rawCSV))
        }
        return .printed()
    }
}

extension Settings {
    /// Runs `body` with a query of metrics, with progress on standard error.
    func withMetrics<Value>(
        by knowledge: AsOf, _ rates: CurrencyRates? = nil,
        _ body: (MetricsQuery) async throws -> Value
    ) async throws -> Value {
        try await withSession { session in
            let progress = ProgressLine()
            var query = MetricsQuery(
                session.snapshot, reportTimeZone: configuration.reportTimeZone, now: Terminal.now,
                knowledge: knowledge, bundleId: bundleId
            ) { done, all in progress.show("read \(done) of \(all.named("event", "events"))") }
            query.rates = rates
            let value = try await body(query)
            progress.end()
            return value
        }
    }
}

extension DefinitionPack: ExpressibleByArgument {}
