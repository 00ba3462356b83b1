import AppStore
import AppleSync
import Ledger
import Testing

@testable import Service

@Suite("What a service remembers for operators")
struct OperatorMemoryTests {
    private static let start = Timestamp(milliseconds: 1_774_000_800_000)

    private func outcome(
        _ result: String, _ environment: Environment? = .production, at time: Timestamp = Self.start
    ) -> IntakeOutcome {
        IntakeOutcome(
            result: result, source: "webhook", environment: environment, bundleId: nil,
            latenessMilliseconds: nil, isKept: false, position: nil, receivedAt: time)
    }

    @Test("Nothing is counted before the first delivery, and nothing of another environment")
    func nothing() {
        let tally = IntakeTally(start: Self.start)
        tally.count(outcome("appended", .sandbox))
        tally.count(outcome("malformedJWS", nil))
        let counts = tally.counts(of: .production, at: Self.start)
        #expect(counts == IntakeCounts(since: Self.start, outcomes: []))
        #expect(tally.counts(of: nil, at: Self.start).outcomes.map(\.outcome) == ["malformedJWS"])
    }

    @Test("A delivery counts for 24 hours, the current one included, and not one longer")
    func hours() {
        let tally = IntakeTally(start: Self.start)
        tally.count(outcome("appended"))
        tally.count(outcome("appended"))
        tally.count(outcome("duplicate"))
        func counts(after hours: Int64) -> IntakeCounts {
            tally.counts(
                of: .production,
                at: Self.start.advanced(byMilliseconds: hours * IntakeTally.hourMilliseconds))
        }
        #expect(counts(after: 0).outcomes.map(\.count) == [2, 1])
        #expect(counts(after: IntakeTally.hourCount - 1).outcomes.map(\.count) == [2, 1])
        #expect(counts(after: IntakeTally.hourCount).outcomes.isEmpty)
        #expect(counts(after: IntakeTally.hourCount).since > Self.start)
        #expect(counts(after: -1).outcomes.isEmpty)
    }

    @Test("Acts are remembered up to the bound, the oldest is forgotten", arguments: [0, 1])
    func acts(excess: Int) {
        let acts = ActMemory()
        func key(_ number: Int) -> ActMemory.Key {
            ActMemory.Key(environment: .production, key: "\(number)")
        }
        for number in 0..<(ActMemory.count + excess) { acts.keep(key(number), "r", number) }
        #expect((acts.known(key(0)) == nil) == (excess == 1))
        #expect(acts.known(key(1))?.value as? Int == 1)
        #expect(acts.known(ActMemory.Key(environment: .sandbox, key: "1")) == nil)
    }

    @Test("Refused decisions are remembered up to the bound, newest first", arguments: [0, 1])
    func refusals(excess: Int) {
        let refusals = RefusedDecisions()
        for number in 0..<(RefusedDecisions.count + excess) {
            refusals.note(
                RefusedDecision(
                    at: Self.start, code: "notLinked", command: .unlink, actor: "sara",
                    tokenName: nil, reason: "\(number)", customer: nil, subscription: nil),
                in: .production)
        }
        let all = refusals.all(in: .production)
        #expect(all.count == RefusedDecisions.count)
        #expect(all.last?.reason == "\(excess)")
        #expect(refusals.all(in: .sandbox).isEmpty)
    }

    private func job(_ id: Int, _ environment: Environment = .production) -> RecoveryJob {
        RecoveryJob(
            id: "\(id)", environment: environment, bundleId: BundleId("a"), from: Self.start,
            to: Self.start, actor: "sara", reason: "r", startedAt: Self.start, state: .running)
    }

    @Test("A recovery that runs while those that ended are forgotten ends without its report")
    func overtaken() {
        let report = RecoveryReport(complete: nil, position: 1)
        let failure = JobState<RecoveryReport>.failed(code: "closed", message: "")
        for (erased, clears, state, outcome) in [
            (Environment.sandbox, false, .finished(report), "finished"),
            (.production, false, .finished(report), "erasureOvertaken"),
            (.production, true, .finished(report), "finished"),
            (.production, false, failure, "closed"),
        ] as [(Environment, Bool, JobState<RecoveryReport>, String)] {
            let jobs = RecoveryJobs()
            #expect(jobs.begin(job(0)))
            jobs.removeEnded(in: erased)
            // The report is of a state after the erasure.
            if clears { jobs.update("0") { $0.isOvertaken = false } }
            jobs.end("0", state, at: Self.start)
            #expect(jobs.job("0")?.endedAt == Self.start)
            switch jobs.job("0")?.state {
            case .finished: #expect(outcome == "finished")
            case .failed(let code, _): #expect(outcome == code)
            default: Issue.record("It has not ended.")
            }
            #expect(jobs.begin(job(1)))
        }
    }

    @Test("One recovery runs at a time in an environment; those that ended are kept to the bound")
    func recoveries() {
        let jobs = RecoveryJobs()
        #expect(jobs.begin(job(0)))
        #expect(!jobs.begin(job(1)))
        #expect(jobs.begin(job(2, .sandbox)))
        func end(_ id: Int) {
            jobs.update("\(id)") {
                $0.state = .failed(code: "closed", message: "")
                $0.endedAt = Self.start
            }
        }
        end(0)
        for id in 3..<(RecoveryJobs.count + 1) {
            #expect(jobs.begin(job(id)))
            end(id)
        }
        #expect(jobs.job("0") != nil)
        #expect(jobs.begin(job(99)))
        #expect(jobs.job("0") == nil)
        // It still runs.
        #expect(jobs.job("2") != nil)
        #expect(jobs.all(in: .production).first?.id == "99")
    }

    @Test("A redelivery takes positions up to the bound", arguments: [0, 1])
    func redeliveries(excess: Int64) {
        let end = LedgerHost.Redelivery.positionCount + excess
        let redelivery = try? LedgerHost.Redelivery(from: 1, to: end, isDryRun: false)
        #expect((redelivery == nil) == (excess == 1))
    }

    @Test("What is started runs once there is someone to run it, and is cancelled at the end")
    func background() async {
        let tasks = BackgroundTasks()
        let (ended, continuation) = AsyncStream.makeStream(of: Bool.self)
        tasks.start {
            continuation.yield(Task.isCancelled)
            while !Task.isCancelled { await Task.yield() }
            continuation.yield(Task.isCancelled)
        }
        async let running: Void = tasks.run()
        var seen: [Bool] = []
        for await isCancelled in ended {
            seen.append(isCancelled)
            if seen.count == 1 { tasks.stop() } else { break }
        }
        await running
        #expect(seen == [false, true])
        tasks.start { continuation.yield(true) }
        await tasks.run()
    }
}
