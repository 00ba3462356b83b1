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

    @OptionGroup var knowledge: KnowledgeOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let form = try metrics.form(common)
            let report = try await metrics.answer(common, try knowledge.limit()) { query in
                try await query.churn(metrics.words, isPaid: paid)
            }
            switch form {
            case .json: try Console.out { report.write(to: &$0) }
            case .table(let form): try Console.out(report.table(form))
            }
        }
    }
}
