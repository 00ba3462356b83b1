import ArgumentParser
import Ledger
import Reports

extension MetricsOptions {
    /// Prints a metric and its counterpart under another product's definition.
    func compare(
        _ common: SharedOptions, _ limit: AsOf, _ metric: String, _ pack: DefinitionPack
    ) async throws {
        let form = try form(common)
        let report = try await answer(common, limit) { query in
            try await query.comparison(metric, words, pack)
        }
        try print(report, form)
    }
}

extension CommandFailure {
    /// The failure for an option that a comparison of definitions does not take.
    static func definitionsAlone(_ options: String) -> CommandFailure {
        CommandFailure(
            code: "invalidOption", message: "--definitions does not go with \(options).",
            exit: .usage)
    }
}

extension DefinitionPack: ExpressibleByArgument {}
