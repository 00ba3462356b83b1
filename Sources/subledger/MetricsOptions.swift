import ArgumentParser
import Intake
import Ledger
import Projection
import Queries
import Reports
import Service

/// Options of every metric (`contract.md`, `churn`).
struct MetricsOptions: ParsableArguments {
    @Option(help: "The first day, in the report zone (2026-01-31), or a time; inclusive.")
    var from: String

    @Option(help: "The day or time before which it ends (default: now).")
    var to: String?

    @Option(help: "hour, day, week (from Monday), month or quarter (default: month).")
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

    @Option(help: "text, csv, csv-raw or json (default: text).")
    var format: String?

    @Flag(help: "Text with all columns, not only those that fit 120 characters.")
    var wide = false

    var words: MetricParameters {
        var words = MetricParameters()
        (words.from, words.to, words.interval, words.timeZone) = (from, to, interval, timeZone)
        words.by = MetricParameters.list(by)
        words.filters = filters
        return words
    }

    enum Form {
        case json
        case table(TextTable.Form)
    }

    func form(_ common: SharedOptions) throws(CommandFailure) -> Form {
        guard let format else { return common.json ? .json : .table(.text) }
        if format == "json" { return .json }
        guard let form = TextTable.Form(rawValue: format), !common.json else {
            throw CommandFailure(
                code: "invalidOption",
                message: "--format takes text, csv, csv-raw or json, and --json is only --format"
                    + " json.",
                exit: .usage)
        }
        return .table(form)
    }

    /// Opens the ledger, catches up and runs the query, with progress on standard error.
    func answer<Answer>(
        _ common: SharedOptions, _ limit: AsOf,
        _ ask: (MetricsQuery) async throws -> Answer
    ) async throws -> Answer {
        let settings = try Settings(common)
        let session = try await settings.openSession()
        let progress = ProgressLine()
        let query = MetricsQuery(
            session.query, reportTimeZone: settings.configuration.reportTimeZone,
            now: Console.now, knowledge: limit, bundleId: settings.bundleId
        ) { done, all in progress.show("folded \(done) of \(all) facts") }
        let answer = try await ask(query)
        progress.end()
        await session.close()
        return answer
    }

    /// Prints a report. CSV has no room for stamp and remarks, so they go to standard error.
    func print(_ report: Report, _ form: Form) throws {
        switch form {
        case .json: try Console.out { report.write(to: &$0) }
        case .table(.text):
            let text = report.table(.text, isWide: wide)
            try Console.out(String(decoding: text, as: UTF8.self))
        case .table(let form):
            for line in report.stamp.lines { Console.note(line) }
            try Console.out(report.table(form))
        }
    }
}
