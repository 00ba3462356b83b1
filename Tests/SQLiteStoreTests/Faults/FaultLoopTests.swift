import AppStore
import Faults
import Foundation
import LedgerStore
import SQLiteStore
import Simulator
import TestSupport
import Testing

@Suite("Every file system call fails once", .serialized)
struct FaultLoopTests {
    /// Calls that fail in each mode, one in each interval of a scenario; a soak has all of them
    /// fail.
    private static let sampleCount = 3

    /// The codes a fault may have. Never damage, which would make an operator restore a backup
    /// because a disk was full.
    static let honest: Set<StoreError.Code> = [
        .ioError, .diskFull, .fileLocked, .commitOutcomeUnknown, .fileReadOnly,
    ]

    /// Every mode with each call to fail, of `count` calls.
    static func faults(_ count: Int) -> [(mode: FaultMode, number: Int)] {
        FaultMode.allCases.flatMap { mode in
            let sample = Soak.isOn ? nil : sampleCount
            return FaultPlan.calls(of: count, in: mode, sample: sample, seed: Soak.seed)
                .map { (mode, $0) }
        }
    }

    @Test("No acknowledged event is lost or duplicated, whatever the mode")
    func scenario() async throws {
        let scenario = try FaultScenario()
        var faultless = FaultAnswers()
        let count = try await callCount { faultless = await scenario.run($0) }
        #expect(faultless.codes.isEmpty)
        #expect(faultless.events.count == scenario.distinctCount + 1)
        #expect(count > 200)
        for (mode, number) in Self.faults(count) {
            try await play(scenario, mode, number) { await scenario.run($0) }
        }
    }

    @Test("A new file is created completely or recreated, whatever the mode")
    func creation() async throws {
        let scenario = try FaultScenario()
        let open: @Sendable (String) async -> FaultAnswers = { directory in
            var answers = FaultAnswers()
            do throws(StoreError) {
                let log = try await EventLog.open(directory: directory)
                await log.close()
            } catch {
                answers.codes.insert(error.code)
            }
            return answers
        }
        let count = try await callCount { _ = await open($0) }
        for (mode, number) in Self.faults(count) {
            try await play(scenario, mode, number, open)
        }
    }

    private func callCount(_ body: (String) async -> Void) async throws -> Int {
        let directory = try TemporaryDirectory()
        let plan = FaultPlan(directory: directory.path, mode: .once, number: .max)
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        await body(directory.path)
        return plan.callCount
    }

    /// Runs `body` with one fault, then checks the result without faults.
    private func play(
        _ scenario: FaultScenario, _ mode: FaultMode, _ number: Int,
        _ body: (String) async -> FaultAnswers
    ) async throws {
        let directory = try TemporaryDirectory()
        let plan = FaultPlan(directory: directory.path, mode: mode, number: number)
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        let answers = await body(directory.path)
        try await plan.heal(seed: Soak.seed &+ UInt64(number))
        let note = Comment("\(mode) at call \(number), seed \(Soak.seed)")
        #expect(
            answers.codes.isSubset(of: FaultLoopTests.honest), "\(note): \(answers.codes)")
        do {
            try await expectSound(scenario, answers, directory.path, note)
        } catch {
            Issue.record(error, note)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left == ["log.sqlite"], note)
    }

    private func expectSound(
        _ scenario: FaultScenario, _ answers: FaultAnswers, _ directory: String, _ note: Comment
    ) async throws {
        let log = try await EventLog.open(directory: directory)
        let head = try await log.head().position
        for (event, result) in answers.events {
            let found = try await log.event(at: result.position)?.event
            #expect(event.key == (found?.identity ?? found?.key), note)
            #expect(event.evidence.payloadHash == found?.payloadHash, note)
        }
        #expect(try await log.events(after: 0).map(\.position) == Array(1..<(head + 1)), note)
        #expect(try await log.verify().findings == [], note)
        var positions: [Digest: Int64] = [:]
        for (event, result) in answers.events {
            positions[event.evidence.payloadHash] = result.position
        }
        for batch in scenario.batches {
            for (event, result) in zip(batch, try await log.append(batch)) {
                guard let position = positions[event.evidence.payloadHash] else { continue }
                #expect(result == .duplicate(of: position), note)
            }
        }
        #expect(try await log.head().position == Int64(scenario.distinctCount), note)
        #expect(try await log.verify().findings == [], note)
        await log.close()
    }
}
