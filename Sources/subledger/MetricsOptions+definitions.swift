import ArgumentParser
import Ledger
import Reports

extension MetricsOptions {
    /// Prints a metric under another product's definition beside ours.
    func compare(
        _ common: SharedOptions, _ limit: KnowledgeLimit, _ metric: String, _ pack: DefinitionPack
    ) async throws {
        let form = try form(common)
        let report = try await answer(common, limit) { query in
            try await query.comparison(metric, words, pack)
        }
        switch form {
        case .json: try Console.out { report.write(to: &$0) }
        case .table(let form): try print(form, report.stamp, report.table)
        }
    }
}

extension CommandFailure {
    /// An option that a comparison of definitions does not take.
    static func definitionsAlone(_ options: String) -> CommandFailure {
        CommandFailure(
            code: "invalidOption", message: "--definitions is asked without \(options).",
            exit: .usage)
    }
}

extension DefinitionPack: ExpressibleByArgument {}
