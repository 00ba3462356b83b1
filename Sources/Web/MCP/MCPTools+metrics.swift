internal import AppStore
internal import Console
internal import Ledger
internal import Queries
internal import Reports
internal import Service

/// Reports for assistants, as `ReportRoutes` has them for HTTP.
extension MCPTools {
    /// An answer whose arguments were read.
    private typealias Making = @Sendable () async throws -> MCPAnswer

    func metrics(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let make = try read(arguments) { (parameters: inout QueryParameters) throws -> Making in
            let name = parameters.text("name") ?? MetricName.churnName
            switch name {
            case ReportRoutes.retentionName: return try retentionOffers(&parameters)
            case ReportRoutes.diffName: return try diff(&parameters)
            default: return try report(name, &parameters)
            }
        }
        return try await make()
    }

    private func report(
        _ name: String, _ parameters: inout QueryParameters
    ) throws -> Making {
        let isChurn = name == MetricName.churnName
        let scope = try parameters.periodScope()
        var asked = ReportPages.Question()
        asked.metric = dated(parameters.metric())
        asked.definitions = try parameters.choice("definitions")
        let isPaid = try parameters.flag("paid")
        guard isChurn || !isPaid else { throw Problem.invalid("paid applies to churn only.") }
        var metric = try isChurn ? MetricName.churn(isPaid: isPaid) : MetricName(name)
        if !isChurn {
            asked.rates = try parameters.rates()
            let basis: RefundBasis? = try parameters.choice("refundBasis")
            if let basis { metric = try basis.metric(metric) }
        }
        let address = page(metric.rawValue, asked.pairs, scope)
        guard let definitions = asked.definitions else {
            // A page is not asked for a table of rates.
            return making(
                .metric(metric, asked.metric, asked.rates), scope,
                page: asked.hasTable ? nil : address)
        }
        guard !isPaid, !asked.hasTable else { throw MetricsError.comparedAlone }
        return making(
            .comparison(metric.rawValue, asked.metric, definitions), scope, page: address)
    }

    /// Cells that differ between a state of knowledge and everything, or between two states.
    private func diff(_ parameters: inout QueryParameters) throws -> Making {
        let (scope, metric, limits, name, rates) = try parameters.diff()
        var asked = ReportPages.Question()
        (asked.metric, asked.rates) = (dated(metric), rates)
        // The page compares one state with everything.
        var shown = scope
        if limits.count == 1 { shown.knowledge = limits[0] }
        let hasPage = limits.count == 1 && !asked.hasTable
        return making(
            .diff(name, asked.metric, between: limits, rates), scope,
            page: hasPage
                ? page(ReportRoutes.diffName, [("metric", name)] + asked.pairs, shown) : nil)
    }

    /// - Parameter page: the report's page; nil where the console has none.
    private func making(
        _ question: ReportQuestion, _ scope: QueryScope, page: String?
    ) -> Making {
        return {
            let report = try await asked(scope) {
                try await host.report(question, scope)
            }
            if let problem = MCPLimits.problem(rowCount: report.rows.count) { throw problem }
            return MCPAnswer(texts(scope).text(report, page: page)) { report.write(to: &$0) }
        }
    }

    private func retentionOffers(_ parameters: inout QueryParameters) throws -> Making {
        let (from, to, scope) = try parameters.retentionWindow()
        return {
            let offers = try await asked(scope) {
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
            return (try CellQuestion(of: name, &parameters), try parameters.entryLimit())
        }
        let scope = question.scope
        let found = try await asked(scope) {
            try await host.cell(
                question.metric, question.cell, rates: question.rates, scope,
                after: question.after, limit: limit)
        }
        return MCPAnswer(texts(scope).text(found)) { found.write(to: &$0) }
    }

    /// The result of `make`, which computes a report.
    private func asked<Value: Sendable>(
        _ scope: QueryScope, _ make: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await host.askedReport(in: scope.environment, make)
    }

    private func page(
        _ name: String, _ query: [(String, String?)], _ scope: QueryScope
    ) -> String { texts(scope).page(["reports", name], query) }

    /// By default from the first day of the month a year ago.
    private func dated(_ parameters: MetricParameters) -> MetricParameters {
        var parameters = parameters
        parameters.from = parameters.from ?? ViewState.yearBack(host.clock())
        return parameters
    }
}
