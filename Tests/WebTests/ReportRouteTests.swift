import AppStore
import HTTPTypes
import Ledger
import LedgerStore
import Projection
import Queries
import Reports
import Synchronization
import Testing

@testable import Service
@testable import Web

@Suite("Reports over HTTP")
struct ReportRouteTests {
    private let purchase = MadePurchase()

    /// Invalid queries, and the code of each.
    static let refusals: [(String, String)] = [
        ("", "invalidTime"), ("from=soon", "invalidTime"), ("from=", "invalidTime"),
        ("from=2026-01-01&to=later", "invalidTime"),
        ("from=2026-01-01&knownAt=x", "invalidTime"),
        ("from=2026-01-01&to=2026-01-01", "invalidRange"),
        ("from=2027-01-01", "invalidRange"), ("from=1999-01-01", "invalidRange"),
        ("from=2008-01-01&interval=day", "tooManyIntervals"),
        ("from=2026-01-01&interval=year", "unknownInterval"),
        ("from=2026-01-01&by=colour", "unknownDimension"),
        ("from=2026-01-01&by=product,product", "duplicateDimension"),
        ("from=2026-01-01&where=product", "invalidFilter"),
        ("from=2026-01-01&where=colour%3Dred", "unknownDimension"),
        ("from=2026-01-01&where=phase%3DTrial", "unknownFilterValue"),
        ("from=2026-01-01&timeZone=Mars/Olympus", "unknownTimeZone"),
        ("from=2026-01-01&paid=yes", "invalidParameter"),
        ("from=2026-01-01&knownAt=0&knownPosition=1", "invalidParameter"),
        ("from=2026-01-01&at=0", "unknownParameter"),
        ("from=2026-01-01&environment=live", "unknownEnvironment"),
    ]

    @Test("An invalid query is a 400 with its code")
    func refused() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (query, code) in ReportRouteTests.refusals {
                let answer = try await client.get("/v1/metrics/churn?\(query)")
                #expect(answer.status == 400 && answer.code == code, "\(query)")
            }
        }
    }

    @Test("As many reports wait as the limit; one more is a 503, and the others are computed")
    func waiting() async throws {
        try await ServedPlace().serve { client, host in
            let reports = try host.ledger(.production).reports
            let path = "/v1/metrics/churn?from=2026-01-01"
            try await withThrowingTaskGroup(of: Int.self) { group in
                try await reports.pass {
                    for _ in 0..<LedgerHost.askedReportCount {
                        group.addTask { try await client.get(path).status }
                    }
                    while reports.waitingCount < LedgerHost.askedReportCount {
                        await Task.yield()
                    }
                    let refused = try await client.get(path)
                    #expect((refused.status, refused.code) == (503, "tooManyJobs"))
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test("Reports that wait for a position count towards the limit")
    func waitingForPosition() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let served = try host.ledger(.production)
            let path = "/v1/metrics/churn?from=2026-01-01"
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<LedgerHost.askedReportCount {
                    group.addTask { try await client.get(path + "&minPosition=3").status }
                }
                while served.askedReports.withLock({ $0 }) < LedgerHost.askedReportCount {
                    await Task.yield()
                }
                let refused = try await client.get(path)
                #expect((refused.status, refused.code) == (503, "tooManyJobs"))
                let next = try await client.notify(purchase.notificationBody(2))
                #expect(next.status == 200)
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await client.get(path).status == 200)
        }
    }

    @Test("A report whose client gave up before its turn is not computed")
    func abandoned() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            var parameters = MetricParameters()
            parameters.from = "2026-01-01"
            let question = ReportQuestion.metric(.churn(isPaid: false), parameters)
            for isWaiting in [true, false] {
                var code: OperatorError.Code?
                do {
                    let client = ReportClient { isWaiting }
                    _ = try await ReportClient.$current.withValue(client) {
                        try await host.askedReport(in: .production) {
                            try await host.report(question, QueryScope())
                        }
                    }
                } catch let error as OperatorError { code = error.code }
                #expect(code == (isWaiting ? nil : OperatorError.Code.tooManyJobs))
            }
            // Nor is one asked for over the Model Context Protocol.
            for isWaiting in [true, false] {
                let server = MCPServer(host: host)
                let call = """
                    {"jsonrpc":"2.0","id":1,"method":"tools/call","params":\
                    {"name":"metrics","arguments":{"from":"2026-01-01"}}}
                    """
                let response = await ReportClient.$current.withValue(ReportClient { isWaiting }) {
                    await server.response(toLine: Array(call.utf8), isTooLong: false)
                }
                let text = String(decoding: try #require(response), as: UTF8.self)
                #expect(text.contains("tooManyJobs") == !isWaiting, "\(isWaiting)")
            }
        }
    }

    @Test("Figures by filter, in the paid variant, and with past knowledge")
    func figures() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let path = "/v1/metrics/churn?from=2026-01-01&to=2026-02-01"
            let plain = try await client.get(path)
            #expect(plain.json["rows"]?.array?.first?["new"]?.int64 == 1)
            let paid = try await client.get(path + "&paid=true&where=country%3DUSA")
            #expect(paid.json["definition"]?.string == "churn.paid/1")
            #expect(paid.json["rows"]?.array?.first?["new"]?.int64 == 1)
            #expect(paid.json["rows"]?.array?.first?["converted"]?.int64 == 0)
            let other = try await client.get(path + "&where=country=DEU,phase=standard")
            #expect(other.json["rows"]?.array?.first?["new"]?.int64 == 0)
            let before = try await client.get(path + "&knownPosition=0")
            #expect(before.json["remarks"]?.array?.first?["code"]?.string == "emptyLedger")
            let sandbox = try await client.get(path + "&environment=sandbox")
            #expect(sandbox.json["environment"]?.string == "Sandbox")
            let tag = try #require(plain.headers[.eTag])
            let known = try await client.get(path, [.ifNoneMatch: tag])
            #expect(known.status == 304)
        }
    }

    @Test("A report with more bytes than can be sent is refused as too long, not as busy")
    func tooManyBytes() async throws {
        try await ServedPlace().serve(renewed: purchase) { _, host in
            var words = MetricParameters()
            words.from = "2026-01-01"
            let question = ReportQuestion.metric(.mrr, words)
            let whole = try await host.reportAnswer(question, QueryScope()).bytes.count
            #expect(whole <= LedgerHost.maximumReportByteCount)
            let same = try await host.reportAnswer(question, QueryScope(), atMost: whole)
            #expect(same.bytes.count == whole)
            let error = MetricsError.tooManyBytes(limit: whole - 1)
            await #expect(throws: error) {
                try await host.reportAnswer(question, QueryScope(), atMost: whole - 1)
            }
            let problem = Problem(error)
            #expect(problem.status == .badRequest && problem.code == "tooManyRows")
            #expect(problem.retryAfter == nil)
        }
    }

    @Test("A report whose task is cancelled, as at the end of a shutdown, is a 503 to be repeated")
    func stopped() async throws {
        try await ServedPlace().serve(renewed: purchase) { _, host in
            var words = MetricParameters()
            words.from = "2026-01-01"
            for question in [.metric(.mrr, words), .comparison("churn", words, .stripe)]
                as [ReportQuestion]
            {
                let outcome = await withThrowingTaskGroup(of: Report.self) { group in
                    group.cancelAll()
                    group.addTask { try await host.report(question, QueryScope()) }
                    return await group.nextResult()
                }
                #expect(throws: ServingError.stopping) { try outcome?.get() }
            }
            // Of retention offers, which read the subscriptions of the answers.
            let operations = try host.ledger(.production).ledger.operations
            let chain = ChainId(
                bundleId: BundleId(MadePurchase.app),
                originalTransactionId: OriginalTransactionId(purchase.id))
            let record = RetentionRecord(
                requestId: "r", chain: chain, at: ServedPlace.now, outcome: .shown, rule: "all")
            let count = try await operations.erasureCount()
            #expect(try await operations.keep([record], erasures: count))
            let offers = await withThrowingTaskGroup(of: RetentionOffers.self) { group in
                group.cancelAll()
                group.addTask {
                    try await host.retentionOffersReport(
                        from: ServedPlace.now, to: ServedPlace.now.advanced(byMilliseconds: 1),
                        QueryScope())
                }
                return await group.nextResult()
            }
            #expect(throws: ServingError.stopping) { try offers?.get() }
            let problem = Problem(MetricsError.stopped)
            #expect(problem.status == .serviceUnavailable && problem.code == "stopping")
        }
    }

    @Test(
        "An unknown metric or environment is a 404, paid of a metric a 400, a future position a 503"
    )
    func elsewhere() async throws {
        var place = try ServedPlace()
        place.waitLimit = ServedPlace.briefWait
        try await place.serve(renewed: purchase) { client, _ in
            let path = "/v1/metrics/churn?from=2026-01-01"
            let xcode = try await client.get(path + "&environment=xcode")
            #expect(xcode.status == 404 && xcode.code == "environmentNotServed")
            let behind = try await client.get(path + "&minPosition=99")
            #expect(behind.status == 503 && behind.code == "projectionBehind")
            for name in ["MRR", "churns", "%20"] {
                let answer = try await client.get("/v1/metrics/\(name)?from=2026-01-01")
                #expect(answer.status == 404 && answer.code == "unknownMetric", "\(name)")
                let detail = answer.json["detail"]?.string ?? ""
                #expect(detail.contains("one of churn, retention-offers, diff, active, "))
            }
            let paid = try await client.get("/v1/metrics/mrr?from=2026-01-01&paid=true")
            #expect(paid.status == 400 && paid.code == "unknownParameter")
            let reason = try await client.get("/v1/metrics/mrr?from=2026-01-01&by=reason")
            #expect(reason.status == 400 && reason.code == "unknownDimension")
        }
    }

    @Test("Every metric is served by its name, as by the command, with any breakdown")
    func metric() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            for by in ["", "product", "app,country,reason"] {
                var words = MetricParameters()
                (words.from, words.interval, words.timeZone) = ("2026-01-01", "week", "Asia/Tokyo")
                words.by = MetricParameters.list(by)
                let snapshot = try await host.ledger(.production).snapshot()
                let report = try await MetricsQuery(
                    snapshot, reportTimeZone: "UTC", now: ServedPlace.now
                ).churn(words)
                var json = JSONWriter()
                report.write(to: &json)
                let answer = try await client.get(
                    "/v1/metrics/churn?from=2026-01-01&interval=week&timeZone=Asia/Tokyo&by=\(by)")
                #expect(answer.status == 200)
                #expect(answer.bytes == json.bytes)
                #expect(report.rows.count > 5)
            }
            for name in MetricName.allCases {
                var words = MetricParameters()
                words.from = "2026-01-01"
                let dimension = name == .lateness ? "app" : "product"
                words.by = [dimension]
                let snapshot = try await host.ledger(.production).snapshot(limit: .seconds(60))
                let report = try await MetricsQuery(
                    snapshot, reportTimeZone: "UTC", now: ServedPlace.now
                ).metric(name, words)
                var json = JSONWriter()
                report.write(to: &json)
                let answer = try await client.get(
                    "/v1/metrics/\(name.rawValue)?from=2026-01-01&by=\(dimension)")
                #expect(answer.status == 200, "\(name)")
                #expect(answer.bytes == json.bytes, "\(name)")
            }
        }
    }

    @Test(
        "A report is answered while another waits for a position",
        arguments: ["churn", "retention-offers"])
    func whileOneWaits(_ name: String) async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let path = "/v1/metrics/\(name)?from=2026-01-01"
            let board = try host.ledger(.production).board
            try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    let answer = try await client.get(path + "&minPosition=3")
                    return "waited \(answer.status)"
                }
                while !board.isAwaited { await Task.yield() }
                group.addTask { "prompt \(try await client.get(path).status)" }
                #expect(try await group.next() == "prompt 200")
                let next = try await client.notify(purchase.notificationBody(2))
                #expect(next.status == 200)
                #expect(try await group.next() == "waited 200")
            }
        }
    }
}
