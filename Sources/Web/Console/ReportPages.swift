internal import AppStore
internal import Console
import HTTPTypes
import Hummingbird
internal import Ledger
internal import LedgerStore
import NIOCore
internal import Queries
internal import Reports
internal import Service

struct ReportPages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages

    func add(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.home)/reports") { request, context in
            let frame = try QueryParameters.read(request, isForm: true) {
                try pages.frame(["reports"], &$0, context).ofPeriod
            }
            try ReportPages.require(frame)
            return pages.response(ReportsPage.page(frame))
        }
        group.get("\(ConsoleRoutes.home)/reports/diff") { request, context in
            try await diff(request, context)
        }
        group.get("\(ConsoleRoutes.home)/reports/\(RetentionOffersPage.name)") {
            request, context in try await retentionOffers(request, context)
        }
        group.get("\(ConsoleRoutes.home)/reports/:name/cell") { request, context in
            try await cell(try PathReader.text("name", context), request, context)
        }
        group.get("\(ConsoleRoutes.home)/reports/:name") { request, context in
            try await report(try PathReader.text("name", context), request, context)
        }
    }

    /// Throws `insufficientScope` for a viewer who may not see reports.
    static func require(_ frame: Frame) throws(Problem) {
        guard frame.viewer.seesReports else { throw .lacking("reports") }
    }

    private func report(
        _ name: String, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let from = ViewState.yearBack(host.clock())
        let (read, question, first, file) = try QueryParameters.read(request, isForm: true) {
            (
                try pages.frame(["reports", name], &$0, context).ofPeriod,
                try Question(&$0, from: from, of: name), try $0.position("row"),
                try $0.choice("format") as ReportPage.File?
            )
        }
        try ReportPages.require(read)
        var frame = read
        frame.kept = question.pairs
        frame.place = [("row", first.map(String.init))]
        let scope = pages.scope(frame)
        let metric = question.isPaid ? .churn(isPaid: true) : try MetricName(compared: name)
        let asked: ReportQuestion
        if let pack = question.definitions {
            guard !question.isPaid else { throw MetricsError.comparedAlone }
            asked = .comparison(name, question.metric, pack)
        } else {
            asked = .metric(metric, question.metric, question.rates)
        }
        let key = frame.state.url(frame.path, question.pairs)
        guard file == nil else {
            let title = question.isPaid ? "\(name)-paid" : name
            let made = try await host.pageAnswer("\(key) csv") {
                try ReportPages.csv(try await host.report(asked, scope), title)
            }
            return made ?? pages.waiting(frame)
        }
        let made = try await host.pageAnswer(key) { try await host.report(asked, scope) }
        guard let report = made else { return pages.waiting(frame) }
        frame.position = report.stamp.position
        return pages.response(
            ReportPage(
                frame, report, name: name, question: question.pairs, first: Int(first ?? 0)
            ).page)
    }

    /// The whole table as a file, amounts in milliunits as of the command.
    private static func csv(_ report: Report, _ name: String) throws -> Response {
        let bytes = report.csv()
        let limit = LedgerHost.maximumReportByteCount
        guard bytes.count <= limit else { throw MetricsError.tooManyBytes(limit: limit) }
        let file = "\(name)-at-\(report.stamp.position).csv"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8",
                .contentDisposition: "attachment; filename=\"\(file)\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The chains behind a cell.
    private func cell(
        _ name: String, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (read, question, asked, rest) = try QueryParameters.read(request, isForm: true) {
            (
                try pages.frame(["reports", name, "cell"], &$0, context).ofPeriod,
                try Question(&$0), try CellQuestion(of: name, &$0),
                [("group", $0.text("group")), ("paid", $0.text("paid"))]
            )
        }
        try ReportPages.require(read)
        try PeoplePages.require(read)
        var frame = read
        let pairs = question.pairs + [("column", asked.cell.column)] + rest
        frame.kept = pairs
        frame.place = [("after", asked.after?.cursor)]
        let scope = pages.scope(frame)
        let key = frame.state.url(frame.path, pairs + frame.place)
        let made = try await host.pageAnswer(key) {
            try await host.cell(
                asked.metric, asked.cell, rates: asked.rates, scope, after: asked.after,
                limit: Frame.rowCount)
        }
        guard let found = made else { return pages.waiting(frame) }
        return pages.response(CellPage.page(frame, found, question: pairs))
    }

    private func diff(_ request: Request, _ context: WebContext) async throws -> Response {
        let from = ViewState.yearBack(host.clock())
        let (read, question, name, first) = try QueryParameters.read(request, isForm: true) {
            (
                try pages.frame(["reports", "diff"], &$0, context).ofPeriod,
                try Question(&$0, from: from), $0.text("metric") ?? MetricName.churnName,
                try $0.position("row")
            )
        }
        try ReportPages.require(read)
        var frame = read
        frame.comparesWithNow = true
        frame.kept = [("metric", name)] + question.pairs
        frame.place = [("row", first.map(String.init))]
        let shown = DiffPage(
            frame, name: name, question: question.pairs, first: Int(first ?? 0))
        guard frame.state.knowledge != .everything else { return pages.response(shown.page(nil)) }
        let asked = ReportQuestion.diff(
            name, question.metric, between: [frame.state.knowledge], question.rates)
        var scope = pages.scope(frame)
        scope.knowledge = .everything
        let made = try await host.pageAnswer(frame.state.url(frame.path, frame.kept)) { [scope] in
            try await host.report(asked, scope)
        }
        guard let report = made else { return pages.waiting(frame) }
        return pages.response(shown.page(report))
    }

    /// The page of retention offers; without `from`, of all stored records.
    private func retentionOffers(
        _ request: Request, _ context: WebContext
    ) async throws -> Response {
        var range: (from: Timestamp?, to: Timestamp?)
        var question: [(String, String?)] = []
        var first: Int64?
        var frame = try QueryParameters.read(request, isForm: true) {
            range = (try $0.time("from"), try $0.time("to"))
            question = [("from", $0.text("from")), ("to", $0.text("to"))]
            first = try $0.position("row")
            return try pages.frame(["reports", RetentionOffersPage.name], &$0, context).present
        }
        try ReportPages.require(frame)
        frame.kept = question
        frame.place = [("row", first.map(String.init))]
        let scope = pages.scope(frame)
        let from =
            range.from
            ?? frame.now.advanced(byMilliseconds: -OperationsLimits.retentionMilliseconds)
        let to = range.to
        let made = try await host.pageAnswer(frame.state.url(frame.path, question)) {
            try await host.retentionOffersReport(from: from, to: to, scope)
        }
        guard let offers = made else { return pages.waiting(frame) }
        return pages.response(
            RetentionOffersPage(frame, offers, question: question, first: Int(first ?? 0)).page)
    }

    /// The parameters of a report.
    struct Question {
        var metric = MetricParameters()
        var definitions: DefinitionPack?
        /// On a page, the configured table or none: an address cannot hold another table.
        var rates = RateChoice.usual
        /// Of churn: of paid chains alone.
        var isPaid = false

        /// - Parameters:
        ///   - from: where it begins unless the parameters say so.
        ///   - name: of the report; nil where it has no variants.
        init(
            _ parameters: inout QueryParameters, from: String? = nil, of name: String? = nil
        ) throws {
            metric = parameters.metric()
            metric.from = metric.from ?? from
            if name == MetricName.churnName { isPaid = try parameters.flag("paid") }
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
            case .metric(let name, let asked, let choice):
                (metric, rates, isPaid) = (asked, choice, name == .churn(isPaid: true))
            case .diff(_, let asked, between: _, let choice): (metric, rates) = (asked, choice)
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
}
