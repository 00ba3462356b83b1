import ArgumentParser

/// `metrics NAME`, and comparisons of metrics.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Reports for analysts, by name.",
        subcommands: [MetricsReportCommand.self, MetricsDiffCommand.self],
        defaultSubcommand: MetricsReportCommand.self)
}
