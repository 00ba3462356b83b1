internal import AppStore
internal import Console
internal import Ledger
internal import Queries
internal import Reports
internal import Service

/// Reports for assistants, as `WebService` has them for HTTP.
extension MCPServer {
    /// An answer whose arguments were read.
    private typealias Making = @Sendable () async throws -> MCPAnswer

    func metrics(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let isRetention = arguments?["name"]?.string == MetricName.retentionName
        let from = isRetention ? [] : [(name: "from", value: usualFrom(arguments))]
        let make = try read(arguments, usually: from) {
            (parameters: inout QueryParameters) throws -> Making in
            let name = parameters.text("name") ?? MetricName.churnName
            try requireUnchanged(name, &parameters)
            if isRetention { return try retentionOffers(&parameters) }
            if name == MetricName.churnName, case .table = try parameters.rates() {
                throw Problem.invalid("rates applies to amounts, and churn has none.")
            }
            let (question, scope) = try parameters.report(name)
            return making(question, scope)
        }
        return try await make()
    }

    /// Where reports begin unless the arguments say so, as in the console: a year before now, or
    /// before the earliest time of `knownAt`.
    private func usualFrom(_ arguments: JSONValue?) -> String {
        let stated = arguments?["knownAt"]
        let text = stated?.string ?? stated?.int64.map { String($0) }
        let known = MetricParameters.list(text).compactMap { Timestamp(userInput: $0) }
        return ViewState.yearBack(known.reduce(host.clock()) { min($0, $1) })
    }

    /// Accepts `paid` for a metric without this parameter where it states what holds anyway:
    /// clients fill in defaults.
    private func requireUnchanged(_ name: String, _ parameters: inout QueryParameters) throws {
        let metric =
            name == MetricName.diffName
            ? parameters.text("metric") ?? MetricName.churnName : name
        guard metric != MetricName.churnName, try parameters.flag("paid") else { return }
        throw Problem.invalid("paid applies to churn only.")
    }

    private func making(_ question: ReportQuestion, _ scope: QueryScope) -> Making {
        return {
            let report = try await host.askedReport(in: scope.environment) {
                try await host.report(question, scope)
            }
            if let problem = MCPLimits.problem(rowCount: report.rows.count) { throw problem }
            let lines = texts(scope).text(report, page: page(question, scope))
            return MCPAnswer(lines) { report.write(to: &$0) }
        }
    }

    /// The report's page; nil where the console has none.
    private func page(_ question: ReportQuestion, _ scope: QueryScope) -> String? {
        guard let pairs = ReportParameters(question)?.pairs else { return nil }
        var shown = scope
        switch question {
        case .metric(let name, _, _):
            return texts(shown).page(["reports", name.rawValue], pairs)
        case .comparison(let name, _, _): return texts(shown).page(["reports", name], pairs)
        case .diff(let name, _, let limits, _):
            // The page compares one state with everything.
            guard limits.count == 1 else { return nil }
            shown.knowledge = limits[0]
            return texts(shown).page(
                ["reports", MetricName.diffName], [("metric", name.rawValue)] + pairs)
        }
    }

    private func retentionOffers(_ parameters: inout QueryParameters) throws -> Making {
        let (from, to, scope) = try parameters.retentionWindow()
        return {
            let offers = try await host.askedReport(in: scope.environment) {
                try await host.retentionOffersReport(from: from, to: to, scope)
            }
            if let problem = MCPLimits.problem(rowCount: offers.rows.count) { throw problem }
            return MCPAnswer(texts(scope).text(offers)) { offers.write(to: &$0) }
        }
    }

    func chains(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let (question, limit) = try read(arguments) {
            (parameters: inout QueryParameters) throws -> (CellQuestion, Int) in
            let name = parameters.text("name") ?? MetricName.churnName
            try requireUnchanged(name, &parameters)
            return (try CellQuestion(of: name, &parameters), try parameters.entryLimit())
        }
        let scope = question.scope
        let found = try await host.askedReport(in: scope.environment) {
            try await host.cell(
                question.metric, question.cell, rates: question.rates, scope,
                after: question.after, limit: limit)
        }
        return MCPAnswer(texts(scope).text(found)) { found.write(to: &$0) }
    }
}
