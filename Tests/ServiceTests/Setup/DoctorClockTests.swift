import AppStore
import Intake
import LedgerTestSupport
import Testing

@testable import Service

@Suite("The doctor's findings about the clock")
struct DoctorClockTests {
    private let chain = MadeChain(id: "570000000000031")

    private func warnings(
        _ ledger: TemporaryLedger, now: Timestamp
    ) async -> [String] {
        await ledger.examined(at: now).filter { $0.level != .good && $0.subject == "clock" }
            .map(\.message)
    }

    /// A ledger that ingested one notification while its clock was off by this much from Apple's.
    private func ledger(clockAhead milliseconds: Int64) async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.now = chain.start.advanced(byMilliseconds: 3_000 + milliseconds)
        let summary = try await ledger.ingest([Array(try chain.bought().token().utf8)])
        #expect(summary.appended == 1)
        return ledger
    }

    @Test("none, while events arrived after Apple signed them and before now")
    func sound() async throws {
        let ledger = try await ledger(clockAhead: 1_000)
        #expect(await warnings(ledger, now: ledger.now) == [])
        #expect(await warnings(ledger, now: ledger.now.advanced(byMilliseconds: 86_400_000)) == [])
    }

    @Test(
        "a clock that ran ahead is detected by events that arrive later than now",
        arguments: [0, 1])
    func ahead(excess: Int64) async throws {
        let ledger = try await ledger(clockAhead: 3_600_000)
        let back = Doctor.clockToleranceMilliseconds + excess
        let reported = await warnings(ledger, now: ledger.now.advanced(byMilliseconds: -back))
        #expect(reported.count == Int(excess))
        if excess > 0 {
            #expect(reported[0].contains("1 event, from position 1, claims"))
            #expect(reported[0].contains("new events are dated so, too"))
        }
    }

    @Test(
        "a clock that ran behind, by events that arrive before they are signed", arguments: [0, 1])
    func behind(excess: Int64) async throws {
        let ledger = try await ledger(
            clockAhead: -(Doctor.clockToleranceMilliseconds + excess))
        let reported = await warnings(ledger, now: TemporaryLedger.end)
        #expect(reported.count == Int(excess))
        if excess > 0 { #expect(reported[0].contains("before Apple signed it: ")) }
    }

    @Test("arrival times claimed by an import say nothing about the clock")
    func claimed() async throws {
        let ledger = try TemporaryLedger()
        var early = chain.bought()
        early.receivedAt = chain.start.advanced(byMilliseconds: -86_400_000)
        #expect(try await ledger.ingest([early]).appended == 1)
        #expect(
            await warnings(ledger, now: chain.start.advanced(byMilliseconds: -172_800_000)) == [])
    }
}
