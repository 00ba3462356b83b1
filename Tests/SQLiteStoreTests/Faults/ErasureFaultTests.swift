import AppStore
import Faults
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import Simulator
import TestSupport
import Testing

/// An erasure of the log while a file system call fails, or the process or machine ends there.
@Suite("Every file system call of an erasure fails once", .serialized)
struct ErasureFaultTests {
    private static let positions: [Int64] = [2, 4]

    private static func erasure() throws -> NewEvent {
        try NewEvent(
            Erasure(
                id: "e", actor: "dpo", reason: "asked", positions: positions, chains: [],
                facts: []),
            receivedAt: Timestamp(milliseconds: 2_000), packer: Sample.packer)
    }

    /// Erases twice, as an operator does after a failure; returns the codes of the failures.
    private func erase(_ directory: String) async throws -> Set<StoreError.Code> {
        var codes: Set<StoreError.Code> = []
        let event = try Self.erasure()
        for _ in 0..<2 {
            do throws(StoreError) {
                let log = try await EventLog.open(
                    directory: directory, faults: nil, busyTimeoutSeconds: 0)
                do throws(StoreError) {
                    _ = try await log.erase(event, within: ErasureScope(through: .max, chains: []))
                    try await log.purge()
                } catch { codes.insert(error.code) }
                await log.close()
            } catch { codes.insert(error.code) }
        }
        return codes
    }

    @Test("It is undone or done, and the same erasure finishes it, whatever the mode")
    func faults() async throws {
        let trial = try TemporaryDirectory()
        let filled = try await EventLog.open(directory: trial.path)
        _ = try await filled.append(Sample.events(0..<40))
        await filled.close()
        let before = try Data(contentsOf: URL(filePath: trial.file(EventLog.fileName)))
        let counting = FaultPlan(directory: trial.path, mode: .once, number: .max)
        FaultFileSystem.apply(counting)
        #expect(try await erase(trial.path).isEmpty)
        FaultFileSystem.release(counting)
        for (mode, number) in FaultLoopTests.faults(counting.callCount) {
            let directory = try TemporaryDirectory()
            try before.write(to: URL(filePath: directory.file(EventLog.fileName)))
            let plan = FaultPlan(directory: directory.path, mode: mode, number: number)
            FaultFileSystem.apply(plan)
            defer { FaultFileSystem.release(plan) }
            let codes = try await erase(directory.path)
            try await plan.heal(seed: Soak.seed &+ UInt64(number))
            let note = Comment("\(mode) at call \(number), seed \(Soak.seed)")
            #expect(codes.isSubset(of: FaultLoopTests.honest), "\(note): \(codes)")
            var log = try await EventLog.open(directory: directory.path)
            let report = try await log.verify()
            let head = try await log.head().position
            #expect(report.isSound, "\(note): \(report.findings)")
            #expect([40, 41].contains(head), note)
            #expect(report.tombstoneCount == (head == 40 ? 0 : 2), note)
            await log.close()
            #expect(try await erase(directory.path).isEmpty, note)
            log = try await EventLog.open(directory: directory.path)
            #expect(try await log.head().position == 41, note)
            #expect(try await log.verify().isSound, note)
            await log.close()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                let bytes = try Data(contentsOf: URL(filePath: directory.file(name)))
                for position in Self.positions {
                    let text = Data("\"n\(position - 1)\"".utf8)
                    #expect(bytes.range(of: text) == nil, "\(note): \(name)")
                }
            }
        }
    }
}
