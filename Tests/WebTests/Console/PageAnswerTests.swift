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
            let make: @Sendable () async throws -> Int = {
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

    @Test("An answer that was being made during an erasure is not kept, also where another began")
    func erased() {
        let answers = PageAnswers()
        let (before, after) = (WakeSignal(), WakeSignal())
        #expect(answers.begin("report", before))
        answers.removeAll()
        #expect(answers.begin("report", after))
        answers.end("report", before, .made(1, at: .now))
        #expect(answers.take("report").map { if case .making = $0 { true } else { false } } == true)
        answers.end("report", after, .made(2, at: .now))
        #expect(answers.take("report").map { if case .made = $0 { true } else { false } } == true)
    }

    @Test("An answer that is made in time is not kept, and a failure is thrown")
    func inTime() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            for number in 0..<3 {
                let found = try await host.pageAnswer("report", patience: .seconds(120)) { number }
                #expect(found == number)
            }
            await #expect(throws: Refused.self) {
                let none: Int? = try await host.pageAnswer("other", patience: .seconds(120)) {
                    throw Refused()
                }
                #expect(none == nil)
            }
        }
    }

    @Test("A failure that took long is shown once; then the answer is made anew")
    func failed() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let fail: @Sendable () async throws -> Int = {
                for await _ in gate {}
                throw Refused()
            }
            #expect(try await host.pageAnswer("report", patience: .zero, fail) == nil)
            opening.finish()
            await #expect(throws: Refused.self) {
                while true {
                    await Task.yield()
                    let none = try await host.pageAnswer("report", patience: .zero, fail)
                    #expect(none == nil)
                }
            }
            let made = try await host.pageAnswer("report", patience: .seconds(120)) { 7 }
            #expect(made == 7)
        }
    }
}
