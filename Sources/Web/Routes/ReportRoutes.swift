import Hummingbird
internal import Reports
internal import Service

/// Reports for analysts.
struct ReportRoutes: Sendable {
    let host: LedgerHost

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/metrics/churn") { request, _ in
            let (scope, metric, isPaid, definitions) = try QueryParameters.read(request) {
                (
                    try $0.periodScope(), $0.metric(), try $0.flag("paid"),
                    try $0.choice("definitions") as DefinitionPack?
                )
            }
            guard let definitions else {
                return try await host.metric(.churn(isPaid: isPaid), metric, scope)
            }
            guard !isPaid else { throw MetricsError.comparedAlone }
            return try await host.comparison(MetricName.churnName, metric, definitions, scope)
        }
        groups.read.get("/v1/metrics/diff") { request, _ in
            let (scope, metric, limits, name, rates) = try QueryParameters.read(request) {
                var scope = try $0.place()
                let metric = $0.metric()
                let limits = try $0.comparedKnowledge()
                let name = $0.text("metric") ?? MetricName.churnName
                let rates = try $0.rates()
                scope.minPosition = try $0.position("minPosition")
                return (scope, metric, limits, name, rates)
            }
            return try await host.metricsDiff(name, metric, between: limits, rates: rates, scope)
        }
        groups.read.get("/v1/metrics/:name") { request, context in
            let (scope, metric, rates, definitions, basis) = try QueryParameters.read(request) {
                (
                    try $0.periodScope(), $0.metric(), try $0.rates(),
                    try $0.choice("definitions") as DefinitionPack?,
                    try $0.choice("refundBasis") as RefundBasis?
                )
            }
            var name = try PathReader.text("name", context)
            if let basis { name = try basis.metric(try MetricName(name)).rawValue }
            guard let definitions else {
                return try await host.metric(try MetricName(name), metric, rates: rates, scope)
            }
            guard rates == nil else { throw MetricsError.comparedAlone }
            return try await host.comparison(name, metric, definitions, scope)
        }
    }
}
