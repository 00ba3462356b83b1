import AppStore
import LedgerStore
import Testing

@testable import LedgerService

@Suite("Outages seen by when notifications came")
struct OutageDetectionTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    /// Deliveries every `step` from 0, each signed a second before.
    private func steady(_ count: Int64, every step: Int64, from start: Int64 = 0)
        -> [EventLog.Arrival]
    {
        (0..<count).map { index in
            EventLog.Arrival(
                receivedAt: time(start + index * step), signedAt: time(start + index * step - 1_000)
            )
        }
    }

    @Test("steady deliveries, and none at all, are nothing to look into")
    func steadily() {
        let hour = OutageDetectionTests.hour
        #expect(OutageDetection.suggestions([], now: time(0)).isEmpty)
        let arrivals = steady(500, every: hour / 2)
        let now = arrivals.last!.receivedAt.advanced(byMilliseconds: hour)
        #expect(OutageDetection.suggestions(arrivals, now: now).isEmpty)
    }

    @Test("silence counts when it is longer than an hour and than five times what is usual")
    func silence() {
        let (minute, hour) = (OutageDetectionTests.minute, OutageDetectionTests.hour)
        for (gap, step, isOutage) in [
            (hour, minute, false), (hour + 1, minute, true),
            (5 * 30 * minute, 30 * minute, false), (5 * 30 * minute + 1, 30 * minute, true),
        ] {
            var arrivals = steady(300, every: step)
            let before = arrivals.last!.receivedAt
            arrivals += steady(300, every: step, from: before.milliseconds + gap)
            let found = OutageDetection.suggestions(arrivals, now: arrivals.last!.receivedAt)
            #expect(found.isEmpty == !isOutage, "\(gap) after \(step)")
            guard isOutage else { continue }
            #expect(
                found == [
                    OutageDetection.Suggestion(
                        from: before.advanced(
                            byMilliseconds: -OutageDetection.marginMilliseconds),
                        to: before.advanced(byMilliseconds: gap), reasons: [.silence])
                ])
        }
    }

    @Test("a silence that still lasts counts up to now")
    func lasting() {
        let arrivals = steady(100, every: OutageDetectionTests.minute)
        let last = arrivals.last!.receivedAt
        let now = last.advanced(byMilliseconds: 2 * OutageDetectionTests.hour)
        let found = OutageDetection.suggestions(arrivals, now: now)
        #expect(found.map(\.to) == [now])
        #expect(
            OutageDetection.suggestions(
                arrivals, now: last.advanced(byMilliseconds: OutageDetectionTests.hour)
            ).isEmpty)
    }

    @Test("where there are few deliveries, the outage does not excuse itself")
    func few() {
        let hour = OutageDetectionTests.hour
        let arrivals = steady(5, every: hour) + steady(5, every: hour, from: 80 * hour)
        let found = OutageDetection.suggestions(
            arrivals, now: arrivals.last!.receivedAt)
        #expect(found.count == 1)
        #expect(found.first?.to == time(80 * hour))
    }

    @Test("many late deliveries signed close together count; a few do not")
    func late() {
        let (minute, hour) = (OutageDetectionTests.minute, OutageDetectionTests.hour)
        for (count, lateness, isOutage) in [
            (5, 10 * minute + 1, true), (4, 10 * minute + 1, false), (5, 10 * minute, false),
        ] {
            let arrivals = (0..<Int64(count)).map { index in
                EventLog.Arrival(
                    receivedAt: time(index * minute + lateness), signedAt: time(index * minute))
            }
            let found = OutageDetection.suggestions(
                arrivals, now: time(Int64(count) * minute + lateness))
            #expect(found.isEmpty == !isOutage)
            #expect(found.allSatisfy { $0.reasons == [.lateDeliveries] })
        }
        let scattered = (0..<5).map { index in
            EventLog.Arrival(
                receivedAt: time(Int64(index) * 2 * hour + 30 * minute),
                signedAt: time(Int64(index) * 2 * hour))
        }
        let now = scattered.last!.receivedAt
        #expect(
            OutageDetection.suggestions(scattered, now: now)
                .allSatisfy { !$0.reasons.contains(.lateDeliveries) })
    }

    @Test("windows that touch are one, with all reasons; others stay apart")
    func merging() {
        let found = OutageDetection.merged([
            .init(from: time(50), to: time(80), reasons: [.silence]),
            .init(from: time(10), to: time(50), reasons: [.failedDeliveries]),
            .init(from: time(81), to: time(90), reasons: [.lateDeliveries]),
        ])
        #expect(
            found == [
                .init(from: time(10), to: time(80), reasons: [.failedDeliveries, .silence]),
                .init(from: time(81), to: time(90), reasons: [.lateDeliveries]),
            ])
        let hull = OutageDetection.hull(found)
        #expect(hull?.from == time(10))
        #expect(hull?.to == time(90))
        #expect(OutageDetection.hull([]) == nil)
    }

    @Test(
        "what is certain to be complete is not suggested again",
        arguments: [
            (10, 20, nil), (90, 110, 100), (100, 110, 100), (10, 100, nil), (0, 110, 0),
        ] as [(Int64, Int64, Int64?)])
    func certain(_ from: Int64, _ to: Int64, _ expected: Int64?) {
        let open = OutageDetection.open(
            [.init(from: time(from), to: time(to), reasons: [.silence])], from: time(5),
            through: time(100))
        #expect(open.first?.from.milliseconds == expected)
        #expect(open.first.map { $0.to.milliseconds == to } ?? true)
    }
}
