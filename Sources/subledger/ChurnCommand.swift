import ArgumentParser
import LedgerService

struct ChurnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn",
        abstract: "Who was active, who came, who left and why, interval by interval.",
        discussion: """
            Every row balances: start + new + appeared + reactivated + recovered + reinstated + moved \
            in − moved out − churned = end. Nothing is told of what comes after now, or --known-at.
            """)

    @Flag(help: "Only chains in a paid period: from and into trials are columns of their own.")
    var paid = false

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let form = try metrics.form(common)
            let knowledge = try metrics.knowledge.limit()
            let session = try await settings.openSession()
            let progress = ProgressLine()
            let query = MetricsQuery(
                session.query, reportTimeZone: settings.configuration.reportTimeZone,
                now: Console.now, knowledge: knowledge, bundleId: settings.bundleId
            ) { done, all in progress.show("folded \(done) of \(all) facts") }
            let report = try await query.churn(metrics.words, isPaid: paid)
            progress.end()
            switch form {
            case .json: try Console.out { report.write(to: &$0) }
            case .table(let form): try Console.out(report.table(form))
            }
            await session.close()
        }
    }
}
