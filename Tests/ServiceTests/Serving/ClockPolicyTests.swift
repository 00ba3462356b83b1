import AppStore
import LedgerTestSupport
import TestSupport
import Testing

@testable import Service

@Suite("Trust in the clock")
struct ClockPolicyTests {
    private static let hour: Int64 = 3_600_000
    private static let start: Int64 = 1_774_000_000_000

    private func reading(_ wall: Int64, _ steady: Int64) -> ClockPolicy.Reading {
        ClockPolicy.Reading(
            wall: Timestamp(milliseconds: Self.start + wall),
            steady: Timestamp(milliseconds: steady))
    }

    /// The time by the policy, from the start on.
    @discardableResult
    private func time(_ policy: inout ClockPolicy, _ wall: Int64, _ steady: Int64) -> Int64 {
        policy.time(at: reading(wall, steady)).milliseconds - Self.start
    }

    private func expect(
        _ policy: inout ClockPolicy, _ wall: Int64, _ steady: Int64, is expected: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = time(&policy, wall, steady)
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    /// Evidence with this signing time arrives.
    private func confirm(
        _ policy: inout ClockPolicy, _ wall: Int64, signed: Int64, _ steady: Int64,
        byApple: Bool = true
    ) {
        policy.confirm(
            signedAt: Timestamp(milliseconds: Self.start + signed), byApple: byApple,
            at: reading(wall, steady))
    }

    @Test(
        "A jump at the bound is trusted, one millisecond more is not",
        arguments: [0, 1])
    func bound(excess: Int64) {
        var policy = ClockPolicy()
        expect(&policy, 0, 0, is: 0)
        let jump = ClockPolicy.tolerableJumpMilliseconds + excess
        expect(&policy, 10 + jump, 10, is: (excess == 0 ? 10 + jump : 10))
        #expect(policy.jumpMilliseconds == (excess == 0 ? nil : jump))
    }

    @Test("Days without a reading, a machine that slept, and a first reading are no jump")
    func quiet() {
        var policy = ClockPolicy()
        expect(&policy, 500 * Self.hour, 7, is: 500 * Self.hour)
        let later = 900 * 24 * Self.hour
        expect(&policy, 500 * Self.hour + later, 7 + later, is: 500 * Self.hour + later)
        #expect(policy.jumpMilliseconds == nil)
    }

    @Test(
        "While the clock is ahead, time follows the monotonic one; corrected, it is trusted again")
    func back() {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        expect(&policy, 5 * Self.hour, 1_000, is: 1_000)
        expect(&policy, 5 * Self.hour + 60_000, 61_000, is: 61_000)
        #expect(policy.jumpMilliseconds == 5 * Self.hour - 1_000)
        expect(&policy, 120_000, 120_000, is: 120_000)
        #expect(policy.jumpMilliseconds == nil)
        // The jump is forgotten: the next one is measured from here.
        expect(&policy, 120_000 + 2 * Self.hour, 120_000, is: 120_000)
    }

    @Test("Elapsed time does not catch up with a clock that stays ahead")
    func stays() {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        for day in 1...30 as ClosedRange<Int64> {
            let passed = day * 24 * Self.hour
            expect(&policy, passed + 3 * Self.hour, passed, is: passed)
            #expect(policy.jumpMilliseconds == 3 * Self.hour)
        }
    }

    @Test("A clock set back is trusted at once, and slow drift always")
    func behind() {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        expect(&policy, -400 * Self.hour, 10, is: -400 * Self.hour)
        for step in 1...100 as ClosedRange<Int64> {
            let wall = -400 * Self.hour + step * (Self.hour / 2)
            expect(&policy, wall, 10 + step, is: wall)
        }
        #expect(policy.jumpMilliseconds == nil)
    }

    @Test(
        "A clock that was set back and agrees with its start again is trusted, up to the bound",
        arguments: [
            (0, true), (hour, true), (-hour, true), (hour + 1, false), (-hour - 1, false),
        ] as [(Int64, Bool)])
    func corrected(off: Int64, holds: Bool) {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        expect(&policy, 1_000 - 24 * Self.hour, 1_000, is: 1_000 - 24 * Self.hour)
        let wall = 60_000 + off
        expect(&policy, wall, 60_000, is: (holds ? wall : 60_000 - 24 * Self.hour))
        #expect((policy.jumpMilliseconds == nil) == holds)
    }

    @Test("After a confirmation a corrected clock agrees with that, not with its start")
    func correctedLater() {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        time(&policy, 9 * Self.hour, 0)
        confirm(&policy, 9 * Self.hour, signed: 9 * Self.hour, 0)
        #expect(policy.jumpMilliseconds == nil)
        expect(&policy, -24 * Self.hour, 0, is: -24 * Self.hour)
        expect(&policy, 0, 0, is: -24 * Self.hour)
        expect(&policy, 9 * Self.hour, 0, is: 9 * Self.hour)
        #expect(policy.jumpMilliseconds == nil)
    }

    @Test(
        "A clock that was ahead at the start is corrected, confirmed, and not trusted ahead again")
    func startedAhead() {
        var policy = ClockPolicy()
        time(&policy, 24 * Self.hour, 0)
        time(&policy, 1_000, 1_000)
        confirm(&policy, 2_000, signed: 2_000, 2_000)
        expect(&policy, 24 * Self.hour + 60_000, 60_000, is: 60_000)
        #expect(policy.jumpMilliseconds != nil)
    }

    @Test("An old signature under a clock set back replaces no later proof")
    func oldSignature() {
        var policy = ClockPolicy()
        // The start proves nothing.
        time(&policy, 99 * Self.hour, 0)
        confirm(&policy, 0, signed: 0, 0)
        confirm(&policy, -24 * Self.hour, signed: -24 * Self.hour, 1_000)
        expect(&policy, 60_000, 60_000, is: 60_000)
        #expect(policy.jumpMilliseconds == nil)
    }

    @Test("A signature later than a clock set back proves its time, and the corrected clock")
    func newSignature() {
        var policy = ClockPolicy()
        time(&policy, 99 * Self.hour, 0)
        confirm(&policy, -24 * Self.hour, signed: 0, 1_000)
        #expect(policy.jumpMilliseconds == nil)
        expect(&policy, 60_000, 60_000, is: 60_000)
        #expect(policy.jumpMilliseconds == nil)
    }

    @Test(
        "A signature of Apple confirms the clock up to the bound behind it, and not beyond",
        arguments: [
            (0, true), (ClockPolicy.tolerableJumpMilliseconds, true),
            (ClockPolicy.tolerableJumpMilliseconds + 1, false), (-60_000, true),
        ] as [(Int64, Bool)])
    func confirmed(behind: Int64, holds: Bool) {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        time(&policy, 9 * Self.hour, 5)
        confirm(&policy, 9 * Self.hour, signed: 9 * Self.hour - behind, 5)
        #expect((policy.jumpMilliseconds == nil) == holds)
        expect(&policy, 9 * Self.hour, 5, is: (holds ? 9 * Self.hour : 5))
    }

    @Test(
        "A signature ahead of the clock by more than the bound proves its time where Apple made it",
        arguments: [
            (hour, false), (hour + 1, false), (hour + 1, true),
        ] as [(Int64, Bool)])
    func ahead(lead: Int64, byApple: Bool) {
        var policy = ClockPolicy()
        time(&policy, 99 * Self.hour, 0)
        confirm(&policy, 0, signed: 0, 0)
        confirm(&policy, 0, signed: lead, 0, byApple: byApple)
        expect(&policy, -24 * Self.hour, 0, is: -24 * Self.hour)
        // Corrected: agrees with the first signature, and with the second where that is within the
        // bound.
        let isTrusted = !byApple
        expect(&policy, 0, 0, is: isTrusted ? 0 : -24 * Self.hour)
        #expect((policy.jumpMilliseconds == nil) == isTrusted)
    }

    @Test("A signature of another root confirms a clock that is ahead, and not one behind it")
    func otherRoot() {
        for (signed, holds) in [(9 * Self.hour, true), (11 * Self.hour, false)] {
            var policy = ClockPolicy()
            time(&policy, 0, 0)
            time(&policy, 9 * Self.hour, 5)
            confirm(&policy, 9 * Self.hour, signed: signed, 5, byApple: false)
            #expect((policy.jumpMilliseconds == nil) == holds)
        }
    }

    @Test("A signature does not affect a trusted clock", arguments: [-9 * hour, 0, 9 * hour])
    func undoubted(signed: Int64) {
        var policy = ClockPolicy()
        time(&policy, 0, 0)
        confirm(&policy, 0, signed: signed, 0)
        #expect(policy.jumpMilliseconds == nil)
        expect(&policy, 1, 1, is: 1)
    }

    @Test("The machine's monotonic clock advances, and does not go back")
    func machine() {
        // given
        let steady = ClockWatch.machineSteady()
        let began = ContinuousClock.now
        // when
        var readings: [Int64] = []
        while began.duration(to: .now) < .milliseconds(3) { readings.append(steady()) }
        readings.append(steady())
        // then
        #expect(readings == readings.sorted())
        #expect(readings.allSatisfy { $0 >= 0 })
        let last = readings.last ?? 0
        #expect(last >= 3)
    }

    @Test("A host compares its clock with the machine's monotonic one by default")
    func host() async throws {
        // given
        let place = try TemporaryLedger()
        let clock = ManualClock(TemporaryLedger.end)
        try await Gate.ledgers.pass {
            let host = try await LedgerHost.open(
                ServiceConfiguration(place.configuration), environments: [.production],
                roots: place.roots
            ) { clock.now }
            let before = host.clock()
            // when
            clock.advance(byMilliseconds: 2 * Self.hour)
            let after = host.clock()
            let isAhead = host.clockWatch.jumpMilliseconds != nil
            async let running: Void = host.run()
            host.stop()
            await running
            // then
            #expect(before == TemporaryLedger.end)
            #expect(after < clock.now)
            #expect(isAhead)
        }
    }

    @Test("Clocks at the ends of their range trap nothing")
    func extremes() {
        for wall in [Int64.min, 0, .max] {
            for steady in [Int64.min, 0, .max] {
                var policy = ClockPolicy()
                for (first, second) in [(wall, steady), (steady, wall), (.max, .min)] {
                    let reading = ClockPolicy.Reading(
                        wall: Timestamp(milliseconds: first),
                        steady: Timestamp(milliseconds: second))
                    _ = policy.time(at: reading)
                    for byApple in [true, false] {
                        policy.confirm(
                            signedAt: Timestamp(milliseconds: steady), byApple: byApple,
                            at: reading)
                    }
                }
            }
        }
    }
}
