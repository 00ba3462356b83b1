internal import AppStore
import HTTPTypes
import Hummingbird
internal import Ledger
import NIOCore
internal import Queries
internal import Reports
internal import Service

/// Reports for analysts, in the response or as jobs.
extension WebService {
    func addReports(to groups: RouteGroups) {
        groups.reports.get("/v1/metrics/churn") { request, context in
            try await answer(MetricName.churnName, request, context)
        }
        groups.reports.get("/v1/metrics/diff") { request, context in
            try await answer(MetricName.diffName, request, context)
        }
        groups.reports.get("/v1/metrics/retention-offers") { request, context -> ServedAnswer in
            let (from, to, scope) = try QueryParameters.read(request) {
                try $0.retentionWindow()
            }
            return try await asked(scope.environment, context) {
                try await host.retentionOffers(from: from, to: to, scope)
            }
        }
        groups.chains.get("/v1/metrics/:name/chains") { request, context in
            let name = try PathReader.text("name", context)
            let (question, limit) = try QueryParameters.read(request) {
                (try CellQuestion(of: name, &$0), try $0.limit())
            }
            let environment = question.scope.environment
            let cell = try await asked(environment, context) {
                try await host.cell(
                    question.metric, question.cell, rates: question.rates, question.scope,
                    after: question.after, limit: limit)
            }
            return try host.answer(cell, at: cell.stamp.position, environment)
        }
        groups.reports.get("/v1/metrics/:name") { request, context in
            try await answer(try PathReader.text("name", context), request, context)
        }
        groups.jobs.post("/v1/jobs") { request, _ in
            try QueryParameters.read(request) { _ in }
            let body = try await bodies.json(request, upTo: JobBody.maximumByteCount) {
                try JobBody($0)
            }
            let (environment, make) = try making(body.name, body.query)
            return answer(
                try host.startJob(body.report, in: environment, make), to: request)
        }
        groups.jobs.get("/v1/jobs/:id") { request, context in
            try QueryParameters.read(request) { _ in }
            return answer(try host.job(try PathReader.text("id", context)), to: request)
        }
    }

    private func answer(_ job: ReportJob, to request: Request) -> Response {
        var response = host.answer(job).response(to: request)
        if job.result == nil {
            // There is no result yet, and so no position.
            response.headers[.subledgerPosition] = nil
            response.headers[.subledgerLag] = nil
        } else if let age = job.age {
            response.headers[.subledgerAge] = String(age.components.seconds)
        }
        return response
    }

    private func answer(
        _ name: String, _ request: Request, _ context: WebContext
    ) async throws -> ServedAnswer {
        let (question, scope) = try QueryParameters.read(request) { try $0.report(name) }
        return try await asked(scope.environment, context) {
            try await host.reportAnswer(question, scope)
        }
    }

    /// The result of `make`, which computes a report, unless the client gives up before its turn.
    private func asked<Value: Sendable>(
        _ environment: AppStore.Environment, _ context: WebContext,
        _ make: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await ReportClient.$current.withValue(await ReportClient(context)) {
            try await host.askedReport(in: environment, make)
        }
    }

    /// The environment and the work of a job. Throws for an invalid query before the job starts.
    private func making(
        _ name: String, _ query: String?
    ) throws -> (
        AppStore.Environment,
        @Sendable (@escaping ReportProgress.Handler) async throws -> ServedAnswer
    ) {
        guard name != MetricName.retentionName else {
            let (from, to, scope) = try QueryParameters(query).readAll {
                try $0.retentionWindow()
            }
            return (
                scope.environment,
                { _ in try await host.retentionOffers(from: from, to: to, scope) }
            )
        }
        let (question, scope) = try QueryParameters(query).readAll { try $0.report(name) }
        return (scope.environment, { try await host.reportAnswer(question, scope, progress: $0) })
    }
}

extension MetricName {
    static let diffName = "diff"
    static let retentionName = "retention-offers"
    /// Reports with routes of their own.
    static let otherNames = [churnName, retentionName, diffName]
}

extension QueryParameters {
    /// The question of a report, and where it is asked.
    ///
    /// - Parameter name: of a metric, or `diff`.
    mutating func report(_ name: String) throws -> (ReportQuestion, QueryScope) {
        switch name {
        case MetricName.churnName: try churn()
        case MetricName.diffName: try diff()
        default: try metric(named: name)
        }
    }

    private mutating func churn() throws -> (ReportQuestion, QueryScope) {
        let (scope, metric) = (try periodScope(), metric())
        let isPaid = try flag("paid")
        let definitions: DefinitionPack? = try choice("definitions")
        guard let definitions else { return (.metric(.churn(isPaid: isPaid), metric), scope) }
        guard !isPaid else { throw MetricsError.comparedAlone }
        return (.comparison(MetricName.churnName, metric, definitions), scope)
    }

    private mutating func diff() throws -> (ReportQuestion, QueryScope) {
        let (scope, metric) = (try presentScope(), metric())
        let limits = try comparedKnowledge()
        let name = text("metric") ?? MetricName.churnName
        let compared = try MetricName(compared: name, isPaid: try isPaid(name))
        return (.diff(compared, metric, between: limits, try rates()), scope)
    }

    /// Whether churn is of paid chains only. Other metrics have no parameter `paid`.
    mutating func isPaid(_ name: String) throws -> Bool {
        try name == MetricName.churnName ? flag("paid") : false
    }

    private mutating func metric(named path: String) throws -> (ReportQuestion, QueryScope) {
        let (scope, metric, rates) = (try periodScope(), metric(), try rates())
        let definitions: DefinitionPack? = try choice("definitions")
        let basis: RefundBasis? = try choice("refundBasis")
        let asked = try MetricName(path, also: MetricName.otherNames)
        let name = try basis.map { try $0.metric(asked) } ?? asked
        guard let definitions else { return (.metric(name, metric, rates), scope) }
        if case .table = rates { throw MetricsError.comparedAlone }
        return (.comparison(name.rawValue, metric, definitions), scope)
    }

    /// The parameters of `retention-offers`: from then on, until before then (nil: now), and where.
    mutating func retentionWindow() throws -> (from: Timestamp, to: Timestamp?, QueryScope) {
        let scope = try presentScope()
        guard let from = try time("from") else {
            throw Problem.invalid("from is required.", code: "invalidTime")
        }
        return (from, try time("to"), scope)
    }

    /// The parameters of a cell itself.
    fileprivate mutating func cell() -> CellParameters {
        var cell = CellParameters(column: text("column") ?? "")
        (cell.from, cell.to) = (text("from"), text("to"))
        (cell.interval, cell.timeZone) = (text("interval"), text("timeZone"))
        cell.group = MetricParameters.pairs(text("group"))
        cell.filters = MetricParameters.pairs(text("where"))
        return cell
    }
}

/// The parameters of a query for the chains behind a cell, except the page length.
struct CellQuestion {
    let scope: QueryScope
    let cell: CellParameters
    let metric: MetricName
    let rates: RateChoice
    /// The last chain of the previous page.
    let after: ChainId?

    /// - Parameter name: the metric's.
    init(of name: String, _ parameters: inout QueryParameters) throws {
        scope = try parameters.periodScope()
        cell = parameters.cell()
        metric = try MetricName(compared: name, isPaid: try parameters.isPaid(name))
        rates = try parameters.rates()
        after = try parameters.cursor { ChainId(cursor: $0) }
    }
}
