import HTTPTypes
import Ledger
import Queries
import Reports
import Testing

@testable import Service
@testable import Web

@Suite("Answers for pages that take long")
struct PageAnswerTests {
    private struct Refused: Error {}

    @Test("A page asks again until its answer is made, which is then kept for the next ones")
    func kept() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let make: @Sendable (@escaping ReportProgress.Handler) async throws -> Int = { _ in
                for await _ in gate {}
                return 7
            }
            #expect(try await host.pageAnswer("report", patience: .zero, make) == nil)
            #expect(try await host.pageAnswer("report", patience: .zero, make) == nil)
            opening.finish()
            for _ in 0..<2 {
                var found: Int?
                while found == nil {
                    await Task.yield()
                    found = try await host.pageAnswer("report", patience: .zero, make)
                }
                #expect(found == 7)
            }
        }
    }

    @Test("A page whose report is being made says how many of the events are read")
    func progress() async throws {
        try await ServedPlace().serve(renewed: MadePurchase()) { client, host in
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            var parameters = MetricParameters()
            parameters.from = "2026-01-01"
            let question = ReportQuestion.metric(.counted(.renewals), parameters)
            let make: @Sendable (@escaping ReportProgress.Handler) async throws -> Report = {
                progress in
                let report = try await host.report(
                    question, QueryScope(minPosition: 2), progress: progress)
                for await _ in gate {}
                return report
            }
            // The page's address, which it keeps its answer under.
            let page = "/console/production/reports/renewals?from=2026-01-01"
            #expect(host.pageProgress(page) == nil)
            #expect(try await host.pageAnswer(page, patience: .zero, make) == nil)
            while host.pageProgress(page) == nil { await Task.yield() }
            let waiting = try await client.send(.get, page)
            #expect(waiting.status == 202 && waiting.text.contains("2 of 2 events read"))
            #expect(waiting.headers[.refresh] == "2")
            opening.finish()
            #expect(try await client.get(page).status == 200)
            #expect(host.pageProgress("other") == nil)
        }
    }

    @Test("Of answers forgotten while they were made none is kept, also where another began")
    func erased() throws {
        let answers = PageAnswers()
        let before = try #require(answers.answer("report"))
        answers.removeAll()
        let after = try #require(answers.answer("report"))
        #expect(before.isNew && after.isNew)
        before.answer.end(.success(1))
        #expect(answers.result(of: before.answer, "report", isKept: true) == nil)
        #expect(answers.result(of: after.answer, "report", isKept: true) == nil)
        after.answer.end(.success(2))
        #expect(answers.result(of: after.answer, "report", isKept: true) != nil)
    }

    @Test("An answer made in time is not kept; a failure is thrown, and once if it took long")
    func inTime() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            for number in 0..<3 {
                let found = try await host.pageAnswer("report", patience: .seconds(120)) { _ in
                    number
                }
                #expect(found == number)
            }
            await #expect(throws: Refused.self) {
                let none: Int? = try await host.pageAnswer("other", patience: .seconds(120)) { _ in
                    throw Refused()
                }
                #expect(none == nil)
            }
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let fail: @Sendable (@escaping ReportProgress.Handler) async throws -> Int = { _ in
                for await _ in gate {}
                throw Refused()
            }
            #expect(try await host.pageAnswer("slow", patience: .zero, fail) == nil)
            opening.finish()
            await #expect(throws: Refused.self) {
                while true {
                    await Task.yield()
                    let none = try await host.pageAnswer("slow", patience: .zero, fail)
                    #expect(none == nil)
                }
            }
            let made = try await host.pageAnswer("slow", patience: .seconds(120)) { _ in 7 }
            #expect(made == 7)
        }
    }
}
