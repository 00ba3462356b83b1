import ArgumentParser
import Console
import Foundation
import Reports

struct ChurnCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn",
        abstract: "Active, new and churned subscriptions per interval, with reasons.",
        discussion: """
            Every row balances: start + new + appeared + reactivated + recovered + reinstated + \
            moved in − moved out − churned = end. Nothing after now, or after --known-at, is \
            counted.
            """)

    @Flag(
        help: "Only chains in a paid period; changes from and to trials get columns of their own.")
    var paid = false

    @Option(
        help: ArgumentHelp(
            "Also draw a chart: bars by reason, and the rate.", valueName: "out.svg"),
        completion: .file())
    var chart: String?

    @Option(
        help: ArgumentHelp(
            "Also as another product defines it; --by reason uses its reasons.",
            valueName: "revenuecat|adapty|stripe|appstoreconnect"))
    var definitions: DefinitionPack?

    @OptionGroup var knowledge: AsOfOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        guard definitions == nil || !paid && chart == nil else {
            throw CommandFailure.invalidOption(
                "--definitions does not go with --paid and --chart.")
        }
        return try await metrics.output(
            settings, common, try knowledge.limit(), chart: chart
        ) { query in
            if let definitions {
                return try await query.comparison("churn", metrics.parameters, definitions)
            }
            return try await query.churn(metrics.parameters, isPaid: paid)
        }
    }
}

extension CommandFailure {
    /// Draws a report's chart into a file.
    static func draw(_ report: Report, to path: String) throws(CommandFailure) {
        let svg: String
        do throws(ChartError) { svg = try ReportChart(report).svg } catch {
            throw CommandFailure(error.code, error.message, .usage)
        }
        // Not as a new file in its place: it may be a device.
        do { try Data(svg.utf8).write(to: URL(filePath: path)) } catch {
            throw CommandFailure(
                "ioError", "The chart cannot be written to \(path); check the path.", .io)
        }
    }
}
