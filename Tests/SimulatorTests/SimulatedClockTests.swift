import AppStore
import Simulator
import Synchronization
import Testing

@Suite("The time of a simulated store")
struct StoreTimeTests {
    private static let start = Timestamp(milliseconds: 1_767_225_600_000)
    private static let day: Int64 = 86_400_000

    /// A clock that only a sleep or the test moves.
    private final class HandClock: Clock, Sendable {
        struct Instant: InstantProtocol {
            var since: Duration

            func advanced(by duration: Duration) -> Instant { Instant(since: since + duration) }
            func duration(to other: Instant) -> Duration { other.since - since }
            static func < (one: Instant, other: Instant) -> Bool { one.since < other.since }
        }

        private let passed = Mutex(Duration.zero)

        var now: Instant { Instant(since: passed.withLock { $0 }) }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            passed.withLock { $0 = max($0, deadline.since) }
        }

        func turn(by duration: Duration) { passed.withLock { $0 += duration } }
    }

    private static func days(_ count: Int64) -> Timestamp {
        start.advanced(byMilliseconds: count * day)
    }

    @Test("With a speed it follows real time, and stops at its end")
    func stops() {
        let clock = HandClock()
        let time = SimulatedClock(
            from: Self.start, speed: 86_400, until: Self.days(10), clock: clock)
        #expect(time.now == Self.start)
        clock.turn(by: .seconds(3))
        #expect(time.now == Self.days(3))
        clock.turn(by: .seconds(7))
        #expect(time.now == Self.days(10))
        clock.turn(by: .seconds(1_000_000))
        #expect(time.now == Self.days(10))
    }

    @Test("Without an end it continues")
    func endless() {
        let clock = HandClock()
        let time = SimulatedClock(from: Self.start, speed: 86_400, clock: clock)
        clock.turn(by: .seconds(1_000))
        #expect(time.now == Self.days(1_000))
    }

    @Test("A time past its end is waited for no longer than the end", arguments: [9, 10, 11])
    func reaches(day: Int64) async throws {
        let clock = HandClock()
        let time = SimulatedClock(
            from: Self.start, speed: 86_400, until: Self.days(10), clock: clock)
        try await time.reach(Self.days(day))
        #expect(time.now == Self.days(min(day, 10)))
        #expect(clock.now.since == .seconds(min(day, 10)))
    }

    @Test("Without a speed it is at the last delivery, up to its end")
    func jumps() async throws {
        let clock = HandClock()
        let time = SimulatedClock(from: Self.start, until: Self.days(10), clock: clock)
        clock.turn(by: .seconds(5))
        #expect(time.now == Self.start)
        try await time.reach(Self.days(4))
        #expect(time.now == Self.days(4))
        try await time.reach(Self.days(2))
        #expect(time.now == Self.days(4))
        try await time.reach(Self.days(40))
        #expect(time.now == Self.days(10))
    }

    @Test("An end before its beginning keeps it at its beginning")
    func backwards() {
        let clock = HandClock()
        let time = SimulatedClock(
            from: Self.start, speed: 86_400, until: Self.days(-1), clock: clock)
        clock.turn(by: .seconds(5))
        #expect(time.now == Self.start)
    }
}
