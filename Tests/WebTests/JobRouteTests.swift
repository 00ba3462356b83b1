import AppStore
import HTTPTypes
import LedgerStore
import Queries
import Reports
import Testing

@testable import Service
@testable import Web

@Suite("Reports as jobs")
struct JobRouteTests {
    private static func start(_ client: WebClient, _ report: String) async throws
        -> WebClient.Answer
    {
        var json = JSONWriter()
        json.object { $0.member("report", report) }
        return try await client.post("/v1/jobs", json.bytes)
    }

    @Test("What is no report is refused at once")
    func refused() async throws {
        try await ServedPlace.single().serve { (client: WebClient, _: LedgerHost) async throws in
            for (report, code) in [
                ("", "invalidBody"), ("/v1/events", "invalidBody"),
                ("/v1/metrics/", "invalidBody"), ("/v1/metrics/%FF", "invalidBody"),
                ("/v1/metrics/none", "unknownMetric"),
                ("/v1/metrics/churn?frm=2026-01-01", "unknownParameter"),
                ("/v1/metrics/churn?paid=maybe", "invalidParameter"),
                ("/v1/metrics/retention-offers", "invalidTime"),
                ("/v1/metrics/retention-offers?from=2026-01-01&by=rule", "unknownParameter"),
            ] {
                #expect(try await JobRouteTests.start(client, report).code == code, "\(report)")
            }
            #expect(try await client.post("/v1/jobs", Array("{".utf8)).code == "malformedJSON")
            #expect(try await client.get("/v1/jobs/none").code == "noSuchJob")
            // The report that the message names is accepted.
            let detail = try await JobRouteTests.start(client, "").json["detail"]?.string ?? ""
            let example = try #require(detail.firstMatch(of: #/e\.g\. (\S+)\.$/#))
            #expect(try await JobRouteTests.start(client, String(example.1)).code == nil)
        }
    }

    @Test("A job has the result that its own operation answers, or its refusal")
    func made() async throws {
        try await ServedPlace.single().serve(renewed: MadePurchase()) { client, _ in
            let paths = [
                "/v1/metrics/churn?from=2026-01-01&to=2026-04-01",
                "/v1/metrics/renewals?from=2026-01-01&to=2026-04-01",
                "/v1/metrics/churn?from=2026-04-01&to=2026-01-01",
                "/v1/metrics/retention-offers?from=2026-01-01",
                "/v1/metrics/retention-offers?from=2026-04-01&to=2026-01-01",
            ]
            for path in paths {
                let started = try await JobRouteTests.start(client, path)
                let id = try #require(started.json["id"]?.string)
                var answer = started
                while answer.json["endedAt"]?.string == nil {
                    #expect(answer.json["result"]?.isNull == true)
                    #expect(answer.headers[.subledgerPosition] == nil)
                    #expect(answer.headers[.subledgerLag] == nil)
                    answer = try await client.get("/v1/jobs/\(id)")
                }
                let job = answer.json
                let direct = try await client.get(path)
                #expect(job["code"]?.string == direct.code)
                #expect(job["message"]?.string == direct.json["detail"]?.string)
                let position = direct.headers[.subledgerPosition]
                #expect(answer.headers[.subledgerPosition] == position)
                guard direct.status == 200 else { continue }
                #expect(position == "2")
                #expect(job["state"]?.string == "finished")
                #expect(job["result"]?["rows"] == direct.json["rows"])
                // The others are made of stored sums and answers, without reading events.
                let read: Int64? = path.contains("renewals") ? 2 : nil
                #expect(job["progress"]?["done"]?.int64 == read)
                #expect(job["progress"]?["total"]?.int64 == read)
            }
        }
    }

    @Test("A report with too many bytes is a job that failed, whose state can be read")
    func tooManyBytes() async throws {
        try await ServedPlace.single().serve(renewed: MadePurchase()) { client, host in
            var words = MetricParameters()
            words.from = "2026-01-01"
            let question = ReportQuestion.metric(.mrr, words)
            let started = try host.startJob("/v1/metrics/mrr?from=2026-01-01", in: .production) {
                _ in
                try await host.reportAnswer(question, QueryScope(), atMost: 100)
            }
            let job = try await JobRouteTests.ended(started.id, client)
            #expect(job["state"]?.string == "failed")
            #expect(job["code"]?.string == "tooManyRows")
            #expect(job["result"]?.isNull == true)
        }
    }

    private static func ended(_ id: String, _ client: WebClient) async throws -> JSONValue {
        var job: JSONValue = .null
        while job["endedAt"]?.string == nil { job = try await client.get("/v1/jobs/\(id)").json }
        return job
    }

    private struct Unexpected: Error {}

    @Test("A report that fails by the store or unexpectedly is logged; its message shows no path")
    func failed() async throws {
        let store = StoreError(
            .ioError, path: "/srv/log.sqlite", reason: "The disk failed.", remedy: "Replace it.")
        let failures: [any Error] = [
            store, MetricsError.store(store), QueryError.store(store), Unexpected(),
        ]
        let codes = LogCodes()
        var place = try ServedPlace.single()
        place.logger = codes.logger
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for failure in failures {
                let started = try host.startJob("/v1/metrics/mrr", in: .production) { _ in
                    throw failure
                }
                let job = try await JobRouteTests.ended(started.id, client)
                let isExpected = !(failure is Unexpected)
                #expect(job["code"]?.string == (isExpected ? "ioError" : "internal"))
                let message = job["message"]?.string
                #expect(message?.hasPrefix(isExpected ? "The disk failed." : "The report") == true)
                #expect(message?.contains("/srv") == false)
            }
        }
        #expect(codes.all.count { $0 == "ioError" } == 3)
        #expect(codes.all.count { $0 == "internal" } == 1)
    }

    private static let now = Timestamp(milliseconds: 1_774_000_000_000)

    @Test("Jobs are taken up to the bound, and forgotten an hour after their end")
    func bounds() {
        let jobs = ReportJobs()
        for number in 0..<ReportJobs.count {
            let job = ReportJob(id: "\(number)", report: "", createdAt: Self.now)
            #expect(jobs.begin(job))
        }
        let more = ReportJob(id: "more", report: "", createdAt: Self.now)
        #expect(!jobs.begin(more))
        jobs.end("3", .failed(code: "closed", message: ""), at: Self.now)
        let last = Self.now.advanced(byMilliseconds: ReportJobs.keptMilliseconds - 1)
        #expect(jobs.job("3", at: last) != nil)
        #expect(jobs.job("3", at: last.advanced(byMilliseconds: 1)) == nil)
        #expect(jobs.job("4", at: last.advanced(byMilliseconds: 1)) != nil)
        #expect(jobs.begin(more))
        jobs.end("4", .failed(code: "closed", message: ""), at: Self.now)
        #expect(jobs.begin(ReportJob(id: "another", report: "", createdAt: Self.now)))
        #expect(jobs.job("4", at: Self.now) == nil)
    }

    @Test("Results have a bound of bytes: beyond it the oldest go, and a larger one stays alone")
    func resultBytes() {
        let jobs = ReportJobs()
        func begin(_ id: String) {
            #expect(jobs.begin(ReportJob(id: id, report: "", createdAt: Self.now)))
        }
        func end(_ id: String, _ byteCount: Int) {
            begin(id)
            let answer = ServedAnswer(
                bytes: [UInt8](repeating: 0, count: byteCount), entityTag: "", position: 0, lag: 0)
            jobs.end(id, .finished(answer), at: Self.now)
        }
        func kept() -> [String] {
            ["waiting", "1", "2", "3", "4"].filter { jobs.job($0, at: Self.now) != nil }
        }
        #expect(ReportJobs.byteCount == 64 * 1024 * 1024)
        begin("waiting")
        end("1", ReportJobs.byteCount / 2)
        end("2", ReportJobs.byteCount / 2)
        #expect(kept() == ["waiting", "1", "2"])
        end("3", 1)
        #expect(kept() == ["waiting", "2", "3"])
        end("4", ReportJobs.byteCount + 1)
        #expect(kept() == ["waiting", "4"])
    }

    @Test("Jobs are made one at a time: the next one waits while one is being made")
    func oneAtATime() async throws {
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = ServedAnswer(bytes: [], entityTag: "", position: 0, lag: 0)
            let (held, release) = AsyncStream<Void>.makeStream()
            let first = try host.startJob("/v1/metrics/mrr", in: .production) { _ in
                for await _ in held {}
                return answer
            }
            while try host.job(first.id).startedAt == nil { await Task.yield() }
            let second = try host.startJob("/v1/metrics/mrr", in: .production) { _ in answer }
            for _ in 0..<5 {
                let job = try await client.get("/v1/jobs/\(second.id)").json
                #expect(job["state"]?.string == "waiting")
                #expect(job["startedAt"]?.isNull == true)
            }
            release.finish()
            for id in [first.id, second.id] {
                while try host.job(id).endedAt == nil { await Task.yield() }
                #expect(try host.job(id).state.name == "finished")
            }
        }
    }
}
