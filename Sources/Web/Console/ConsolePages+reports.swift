internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import LedgerStore
internal import Queries
internal import Reports
internal import Service

extension ConsolePages {
    func addReports(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.home)/reports") { request, context in
            let frame = try self.frame(["reports"], request, context).ofPeriod
            try frame.requireReports()
            return response(ReportsPage.page(frame))
        }
        group.get("\(ConsoleRoutes.home)/reports/diff", use: diff)
        group.get(
            "\(ConsoleRoutes.home)/reports/\(RetentionOffersPage.name)", use: retentionOffers)
        group.get("\(ConsoleRoutes.home)/reports/:name/cell", use: cell)
        group.get("\(ConsoleRoutes.home)/reports/:name", use: report)
    }

    private func report(_ request: Request, _ context: WebContext) async throws -> Response {
        let name = try PathReader.text("name", context)
        let (frame, question, file) = try QueryParameters.read(request, isForm: true) {
            var frame = try self.frame(["reports", name], &$0, context).ofPeriod
            let question = try ReportParameters(&$0, from: frame.usualFrom, of: name)
            frame.kept = question.pairs
            frame.place = [("row", try $0.position("row").map(String.init))]
            return (frame, question, try $0.choice("format") as ReportPage.File?)
        }
        try frame.requireReports()
        let (path, query) = (request.uri.path, request.uri.query.map { "?\($0)" } ?? "")
        // The addresses of its cells are relative.
        guard !path.hasSuffix("/") else { return .seeOther("\(path.dropLast())\(query)") }
        let scope = scope(frame)
        let metric = try MetricName(compared: name, isPaid: question.isPaid)
        let asked: ReportQuestion
        if let pack = question.definitions {
            guard !question.isPaid else { throw MetricsError.comparedAlone }
            asked = .comparison(name, question.metric, pack)
        } else {
            asked = .metric(metric, question.metric, question.rates)
        }
        let key = frame.state.url(frame.path, frame.kept)
        guard file == nil else {
            let title = question.isPaid ? "\(name)-paid" : name
            let key = "\(key) csv"
            let made = try await host.pageAnswer(key) {
                try ConsolePages.csv(try await host.report(asked, scope, progress: $0), title)
            }
            return made ?? waiting(frame, key)
        }
        let made = try await host.pageAnswer(key) {
            try await host.report(asked, scope, progress: $0)
        }
        guard let report = made else { return waiting(frame, key) }
        return response(ReportPage(frame, report, name: name).page)
    }

    /// The whole table as a file, amounts in milliunits as of the command.
    private static func csv(_ report: Report, _ name: String) throws -> Response {
        let bytes = report.csv()
        let limit = LedgerHost.maximumReportByteCount
        guard bytes.count <= limit else { throw MetricsError.tooManyBytes(limit: limit) }
        let file = "\(name)-at-\(report.stamp.position).csv"
        return Response(bytes, type: "text/csv; charset=utf-8", file: file)
    }

    /// The chains behind a cell.
    private func cell(_ request: Request, _ context: WebContext) async throws -> Response {
        let name = try PathReader.text("name", context)
        let (frame, asked) = try QueryParameters.read(request, isForm: true) {
            var frame = try self.frame(["reports", name, "cell"], &$0, context).ofPeriod
            let question = try ReportParameters(&$0, of: name)
            let asked = try CellQuestion(of: name, &$0)
            let cell = [("column", asked.cell.column), ("group", $0.text("group"))]
            frame.kept = question.pairs + cell
            frame.place = [("after", asked.after?.cursor)]
            return (frame, asked)
        }
        try frame.requireReports()
        try frame.requirePeople()
        let scope = scope(frame)
        let key = frame.state.url(frame.path, frame.kept + frame.place)
        let made = try await host.pageAnswer(key) {
            try await host.cell(
                asked.metric, asked.cell, rates: asked.rates, scope, after: asked.after,
                limit: Frame.rowCount, progress: $0)
        }
        guard let found = made else { return waiting(frame, key) }
        return response(CellPage.page(frame, found))
    }

    private func diff(_ request: Request, _ context: WebContext) async throws -> Response {
        let (frame, question, name) = try QueryParameters.read(request, isForm: true) {
            let name = $0.text("metric") ?? MetricName.churnName
            var frame = try self.frame(["reports", "diff"], &$0, context).ofPeriod
            let question = try ReportParameters(&$0, from: frame.usualFrom, of: name)
            frame.comparesWithNow = true
            frame.kept = [("metric", name)] + question.pairs
            frame.place = [("row", try $0.position("row").map(String.init))]
            return (frame, question, name)
        }
        try frame.requireReports()
        guard question.definitions == nil else {
            throw Problem.invalid("Changes are of our own figures; omit definitions.")
        }
        guard frame.state.knowledge != .everything else {
            return response(DiffPage.page(frame, name: name, nil))
        }
        let asked = ReportQuestion.diff(
            try MetricName(compared: name, isPaid: question.isPaid), question.metric,
            between: [frame.state.knowledge], question.rates)
        var scope = scope(frame)
        scope.knowledge = .everything
        let key = frame.state.url(frame.path, frame.kept)
        let made = try await host.pageAnswer(key) { [scope] in
            try await host.report(asked, scope, progress: $0)
        }
        guard let report = made else { return waiting(frame, key) }
        return response(DiffPage.page(frame, name: name, report))
    }

    /// The page of retention offers; without `from`, of all stored records.
    private func retentionOffers(
        _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (frame, stated, to) = try QueryParameters.read(request, isForm: true) {
            var frame = try self.frame(["reports", RetentionOffersPage.name], &$0, context).present
            let zone = frame.reportZone
            let (from, to) = (try $0.time("from", of: zone), try $0.time("to", of: zone))
            let first = try $0.position("row")
            frame.kept = [("from", $0.text("from")), ("to", $0.text("to"))]
            frame.place = [("row", first.map(String.init))]
            return (frame, from, to)
        }
        try frame.requireReports()
        let scope = scope(frame)
        let from =
            stated
            ?? frame.now.advanced(byMilliseconds: -OperationsLimits.retentionMilliseconds)
        let key = frame.state.url(frame.path, frame.kept)
        let made = try await host.pageAnswer(key) { _ in
            try await host.retentionOffersReport(from: from, to: to, scope)
        }
        guard let offers = made else { return waiting(frame, key) }
        return response(RetentionOffersPage(frame, offers).page)
    }
}

/// The parameters of a report.
struct ReportParameters {
    var metric = MetricParameters()
    var definitions: DefinitionPack?
    /// On a page, the configured table or none: an address cannot hold another table.
    var rates = RateChoice.usual
    /// Of churn: of paid chains alone.
    var isPaid = false

    /// - Parameters:
    ///   - from: where it begins unless the parameters say so.
    ///   - name: of the metric.
    init(
        _ parameters: inout QueryParameters, from: String? = nil, of name: String
    ) throws {
        metric = parameters.metric()
        metric.from = metric.from ?? from
        isPaid = try parameters.isPaid(name)
        definitions = try parameters.choice("definitions")
        guard let name = parameters.text("rates") else { return }
        guard name == RateChoice.separateName else {
            throw Problem.invalid("rates takes \(RateChoice.separateName) here.")
        }
        rates = .separate
    }

    /// Of a question over HTTP; nil where it has a table of rates.
    init?(_ question: ReportQuestion) {
        switch question {
        case .metric(let name, let asked, let choice),
            .diff(let name, let asked, between: _, let choice):
            (metric, rates, isPaid) = (asked, choice, name == .churn(isPaid: true))
        case .comparison(_, let asked, let pack): (metric, definitions) = (asked, pack)
        }
        if case .table = rates { return nil }
    }

    /// As parameters of an address.
    var pairs: [(String, String?)] {
        func list(_ values: [String]) -> String? {
            values.isEmpty ? nil : values.joined(separator: ",")
        }
        return [
            ("from", metric.from), ("to", metric.to), ("interval", metric.interval),
            ("timeZone", metric.timeZone), ("by", list(metric.by)),
            ("where", list(metric.filters)), ("definitions", definitions?.rawValue),
            ("rates", rates == .separate ? RateChoice.separateName : nil),
            ("paid", isPaid ? "true" : nil),
        ]
    }
}
