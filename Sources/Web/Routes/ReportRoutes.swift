import Hummingbird
internal import Reports
internal import Service

/// Reports for analysts.
struct ReportRoutes: Sendable {
    let host: LedgerHost

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/metrics/churn") { request, _ in
            var question = try QueryParameters(request)
            let scope = try question.periodScope()
            let words = question.metricsWords()
            let isPaid = try question.flag("paid")
            let definitions = try question.definitions()
            try question.requireNothingElse()
            guard let definitions else {
                let answer = try await host.churn(words, isPaid: isPaid, scope)
                return AnswerResponse.make(answer, for: request)
            }
            guard !isPaid else { throw MetricsError.comparedAlone }
            let answer = try await host.comparison(MetricName.churn, words, definitions, scope)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/metrics/diff") { request, _ in
            var question = try QueryParameters(request)
            let scope = try question.place()
            let words = question.metricsWords()
            let limits = try question.comparedKnowledge()
            let name = question.text("metric") ?? MetricName.churn
            let rates = try question.rates()
            var bounded = scope
            bounded.minPosition = try question.position("minPosition")
            try question.requireNothingElse()
            let answer = try await host.metricsDiff(
                name, words, between: limits, rates: rates, bounded)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/metrics/:name") { request, context in
            var question = try QueryParameters(request)
            let scope = try question.periodScope()
            let words = question.metricsWords()
            let (rates, definitions) = (try question.rates(), try question.definitions())
            let basis = try question.refundBasis()
            try question.requireNothingElse()
            var name = try PathReader.text("name", context)
            if let basis { name = try basis.metric(try MetricName(name)).rawValue }
            guard let definitions else {
                let answer = try await host.metric(name, words, rates: rates, scope)
                return AnswerResponse.make(answer, for: request)
            }
            guard rates == nil else { throw MetricsError.comparedAlone }
            let answer = try await host.comparison(name, words, definitions, scope)
            return AnswerResponse.make(answer, for: request)
        }
    }
}
