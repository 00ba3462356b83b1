import Hummingbird
internal import Reports
internal import Service

/// Reports for analysts.
struct ReportRoutes: Sendable {
    let host: LedgerHost

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/metrics/churn") { request, _ in
            var parameters = try QueryParameters(request)
            let scope = try parameters.periodScope()
            let metric = parameters.metric()
            let isPaid = try parameters.flag("paid")
            let definitions: DefinitionPack? = try parameters.choice("definitions")
            try parameters.requireNothingElse()
            guard let definitions else {
                let answer = try await host.metric(.churn(isPaid: isPaid), metric, scope)
                return AnswerResponse.make(answer, for: request)
            }
            guard !isPaid else { throw MetricsError.comparedAlone }
            let answer = try await host.comparison(MetricName.churnName, metric, definitions, scope)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/metrics/diff") { request, _ in
            var parameters = try QueryParameters(request)
            let scope = try parameters.place()
            let metric = parameters.metric()
            let limits = try parameters.comparedKnowledge()
            let name = parameters.text("metric") ?? MetricName.churnName
            let rates = try parameters.rates()
            var bounded = scope
            bounded.minPosition = try parameters.position("minPosition")
            try parameters.requireNothingElse()
            let answer = try await host.metricsDiff(
                name, metric, between: limits, rates: rates, bounded)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/metrics/:name") { request, context in
            var parameters = try QueryParameters(request)
            let scope = try parameters.periodScope()
            let metric = parameters.metric()
            let rates = try parameters.rates()
            let definitions: DefinitionPack? = try parameters.choice("definitions")
            let basis: RefundBasis? = try parameters.choice("refundBasis")
            try parameters.requireNothingElse()
            var name = try PathReader.text("name", context)
            if let basis { name = try basis.metric(try MetricName(name)).rawValue }
            guard let definitions else {
                let answer = try await host.metric(
                    try MetricName(name), metric, rates: rates, scope)
                return AnswerResponse.make(answer, for: request)
            }
            guard rates == nil else { throw MetricsError.comparedAlone }
            let answer = try await host.comparison(name, metric, definitions, scope)
            return AnswerResponse.make(answer, for: request)
        }
    }
}
