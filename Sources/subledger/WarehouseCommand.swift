import ArgumentParser
import Intake
import Projection
import Queries
import Reports
import Service

struct WarehouseCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "warehouse",
        abstract: "Append-only lines for a warehouse: how each event changed the ledger's answers.",
        discussion: """
            A written line never changes: a correction is a further line, at a later \
            position. Resume with --after and the last position you have, and --rules with \
            the value of that column. After a run that did not end with exit code 0, delete the \
            lines of the greatest position P (and a line without its end), and resume with \
            --after P-1; where P is 1, or no line is whole, begin the file again.
            """)

    @Argument(help: "facts, transitions or daily.")
    var subject: WarehouseSubject

    @Option(
        help: """
            ndjson, csv, or csv-raw: unescaped, so a spreadsheet may run formulas; csv has a \
            header only from position 0.
            """)
    var format: Export.Format = .ndjson

    @Option(help: "Only changes by events after this position.", transform: PlainNumber.read)
    var after: Int64 = 0

    @Option(help: "Only changes by events up to this position.", transform: PlainNumber.read)
    var through: Int64?

    @Option(help: "Stop unless the lines still follow these rules (column rules).")
    var rules: String?

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try common.requireFormat(format)
        guard after >= 0, through.map({ $0 >= after }) ?? true else {
            throw CommandFailure.invalidOption(
                "--after takes a position of 0 or more; --through must not precede it.")
        }
        try await settings.withSession { session in
            try session.require(after)
            let zone = settings.configuration.reportTimeZone
            guard
                var export = WarehouseExport(snapshot: session.snapshot, reportTimeZone: zone)
            else { throw MetricsError.unknownTimeZone(zone) }
            export.bundleId = settings.bundleId
            export.after = after
            if let through { export.through = through }
            if let rules, rules != export.rules(subject) {
                throw CommandFailure(
                    "rulesChanged",
                    "The lines you have follow other rules (\(rules)) than lines now do"
                        + " (\(export.rules(subject))): catalogue, time zone, columns, reducer or"
                        + " decoder changed. Export again from position 0 into an empty table.",
                    .negative)
            }
            try await export.run(subject, format: format) { try Terminal.out($0) }
        }
        return .printed()
    }
}

extension WarehouseSubject: ExpressibleByArgument {}
