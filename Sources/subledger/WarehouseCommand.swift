import ArgumentParser
import Intake
import Projection
import Queries
import Reports
import Service

struct WarehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warehouse",
        abstract: "Append-only lines for a warehouse: what each event made the ledger say.",
        discussion: """
            A line once written never changes: what is said no longer is a line of its own, with a \
            later position. Resume with --after and the last position of what you have, and --rules with \
            what those lines say in that column.
            """)

    @Argument(help: "facts, transitions or daily.")
    var subject: WarehouseSubject

    @Option(
        help: """
            ndjson, csv, or csv-raw: texts as they are, which a spreadsheet may run; a csv has its \
            header only from position 0.
            """)
    var format: Export.Format = .ndjson

    @Option(help: "Only what events after this position changed.", transform: PlainNumber.read)
    var after: Int64 = 0

    @Option(help: "Only what events up to this position changed.", transform: PlainNumber.read)
    var through: Int64?

    @Option(help: "Refuse to go on unless the lines still follow these rules (their column).")
    var rules: String?

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            guard after >= 0, through.map({ $0 >= after }) ?? true else {
                throw CommandFailure(
                    code: "invalidOption",
                    message: "--after is a position from 0 on, and --through none before it.",
                    exit: .usage)
            }
            let settings = try Settings(common)
            let session = try await settings.openSession()
            try session.require(after)
            let zone = settings.configuration.reportTimeZone
            guard
                var export = WarehouseExport(
                    ledger: session.ledger, query: session.query, reportTimeZone: zone)
            else { throw MetricsError.unknownTimeZone(zone) }
            export.bundleId = settings.bundleId
            export.after = after
            if let through { export.through = through }
            if let rules, rules != export.rules(subject) {
                throw CommandFailure(
                    code: "rulesChanged",
                    message: "The lines you have follow other rules (\(rules)) than lines now do"
                        + " (\(export.rules(subject))): catalogue, time zone, columns or reducer"
                        + " changed. Export anew from position 0 into an empty table.",
                    exit: .negative)
            }
            try await export.run(subject, format: format) { try Console.out($0) }
            await session.close()
        }
    }
}

extension WarehouseSubject: ExpressibleByArgument {}
