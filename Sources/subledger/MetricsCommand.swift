import ArgumentParser

/// `metrics NAME`, and what is done with metrics.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "What analysts count, by name.",
        subcommands: [MetricCommand.self, MetricsDiffCommand.self],
        defaultSubcommand: MetricCommand.self)
}
