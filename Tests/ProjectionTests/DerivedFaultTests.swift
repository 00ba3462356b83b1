import AppStore
import Faults
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

/// The log has a fault loop of its own, call by call; this one covers every file of an environment:
/// facts, projections, operations, and the log.
@Suite("Every call to the derived files fails once")
struct DerivedFaultTests {
    /// Calls that fail in each mode, one in each interval of the run; a soak has all of them fail.
    private static let sampleCount = 2

    /// Error codes that a fault may cause.
    static let honest: Set<StoreError.Code> = [
        .ioError, .diskFull, .fileLocked, .commitOutcomeUnknown, .fileReadOnly,
    ]

    /// The events before any fault, and those during the faults.
    private static let earlier = MadeChain(id: "570000000000001").life
    private static let later = MadeChain(id: "570000000000005").life

    /// An environment with the earlier events, projected and closed.
    private static let template = SharedLedger { ledger in
        _ = try await ledger.ingest(earlier)
        try await ledger.session { session in
            try await session.projections.walCheckpoint()
            try await session.ledger.facts.walCheckpoint()
        }
    }

    /// A run without faults: its number of calls, and its answers.
    private struct Unspoilt: Sendable {
        let lines: [[UInt8]]
        let callCount: Int
        let answers: [String]
    }

    /// Run once for all modes.
    private static let unspoilt = Task {
        let tests = DerivedFaultTests()
        let lines = try later.map { try $0.line() }
        let whole = try await template.copy()
        let counter = FaultPlan(directory: whole.environmentDirectory, mode: .once, number: .max)
        FaultFileSystem.apply(counter)
        let failures = await tests.run(whole, lines)
        FaultFileSystem.release(counter)
        #expect(failures.isEmpty)
        #expect(counter.callCount > 500)
        let expected = try await tests.answers(whole)
        #expect(!expected.isEmpty)
        return Unspoilt(lines: lines, callCount: counter.callCount, answers: expected)
    }

    /// Ingests the later events, catches up, rebuilds, and closes: each step runs whatever the
    /// result of the one before. Returns the codes of the failures.
    private func run(_ ledger: TemporaryLedger, _ lines: [[UInt8]]) async -> [any Error] {
        var failures: [any Error] = []
        func attempt(_ step: () async throws -> Void) async {
            do { try await step() } catch { failures.append(error) }
        }
        await attempt { _ = try await ledger.ingest(lines) }
        await attempt {
            try await ledger.session { session in
                try await session.projector?.rebuild(fromLog: true)
                try await session.projections.walCheckpoint()
                try await session.ledger.facts.walCheckpoint()
            }
        }
        await attempt { _ = try await ledger.exportLines(.subscriptions) }
        return failures
    }

    private func answers(_ ledger: TemporaryLedger) async throws -> [String] {
        var found: [String] = []
        for subject in [Export.Subject.subscriptions, .transitions, .facts] {
            // The retry ingests events in another order than they failed in.
            found += try await ledger.exportLines(subject).map { line in
                "\(line["originalTransactionId"]?.string ?? "") \(line["state"]?.string ?? "")"
                    + " \(line["at"]?.string ?? "") \(line["fact"]?.string ?? "")"
            }.sorted()
        }
        return found
    }

    @Test(
        "Whatever call fails, no derived data is wrong afterwards, and nothing is left to clean up",
        arguments: FaultMode.allCases)
    func scenario(mode: FaultMode) async throws {
        let unspoilt = try await Self.unspoilt.value
        let calls = FaultPlan.calls(
            of: unspoilt.callCount, in: mode,
            sample: Soak.isOn ? nil : DerivedFaultTests.sampleCount, seed: Soak.seed)
        for number in calls { try await play(unspoilt, mode, number) }
    }

    private func play(_ unspoilt: Unspoilt, _ mode: FaultMode, _ number: Int) async throws {
        let (ledger, lines) = (try await Self.template.copy(), unspoilt.lines)
        let note = Comment("\(mode) at call \(number), seed \(Soak.seed)")
        let plan = FaultPlan(directory: ledger.environmentDirectory, mode: mode, number: number)
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        for failure in await run(ledger, lines) {
            let error: StoreError
            switch failure {
            case QueryError.store(let found), Ingest.Failure.store(let found): error = found
            case let found as StoreError: error = found
            default:
                Issue.record(failure, note)
                continue
            }
            #expect(DerivedFaultTests.honest.contains(error.code), "\(note): \(error)")
        }
        try await plan.heal(seed: Soak.seed &+ UInt64(number))
        do {
            _ = try await ledger.ingest(lines)
            #expect(try await answers(ledger) == unspoilt.answers, note)
            try await expectSound(ledger, note)
        } catch {
            Issue.record(error, note)
        }
    }

    private func expectSound(_ ledger: TemporaryLedger, _ note: Comment) async throws {
        try await ledger.session { session in
            #expect(try await session.ledger.log.verify().findings == [], note)
            let found = try await RebuildCheck(try #require(session.projector)).run()
            #expect(found.count == 0, note)
            #expect(found.fileFindings.isEmpty, note)
            try await session.projections.walCheckpoint()
            try await session.ledger.facts.walCheckpoint()
        }
        for name in try FileDamage.names(in: ledger.environmentDirectory) {
            #expect(
                name.wholeMatch(
                    of:
                        /(log|operations)\.sqlite|(facts|projections)(-\d+)*\.sqlite(-wal|-shm)?|projector\.lock/
                ) != nil, "\(note): \(name) is left")
        }
    }
}
