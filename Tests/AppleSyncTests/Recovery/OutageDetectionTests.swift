import AppStore
import Ledger
import Testing

@Suite("Detecting outages from delivery times")
struct OutageDetectionTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    /// Deliveries every `step` from 0, each signed a second before.
    private func steady(_ count: Int64, every step: Int64, from start: Int64 = 0)
        -> [NotificationDelivery]
    {
        (0..<count).map { index in
            NotificationDelivery(
                receivedAt: time(start + index * step), signedAt: time(start + index * step - 1_000)
            )
        }
    }

    @Test("steady deliveries, and none at all, suggest nothing")
    func steadily() {
        let hour = OutageDetectionTests.hour
        #expect(OutageDetection.suggestions([], now: time(0)).isEmpty)
        let arrivals = steady(500, every: hour / 2)
        let now = arrivals.last!.receivedAt.advanced(byMilliseconds: hour)
        #expect(OutageDetection.suggestions(arrivals, now: now).isEmpty)
    }

    @Test("a window that ended before Apple's history begins is not requested")
    func parted() {
        let day: Int64 = 86_400_000
        let now = time(1_000 * day)
        func window(_ from: Int64, _ to: Int64) -> OutageDetection.Suggestion {
            OutageDetection.Suggestion(from: time(from), to: time(to), reasons: [.silence])
        }
        for (environment, days) in [(Environment.production, Int64(180)), (.sandbox, 30)] {
            let oldest = (1_000 - days) * day
            let windows = [
                window(0, 1), window(1, oldest), window(2, oldest + 1),
                window(oldest, now.milliseconds),
            ]
            let parted = OutageDetection.partitioned(windows, now: now, in: environment)
            #expect(parted.tooOld == Array(windows[..<2]))
            #expect(parted.reported == Array(windows[2...]))
        }
    }

    @Test("silence counts when it is longer than an hour and than five times the usual")
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

    @Test("the usual is the 99th percentile of the other gaps, not the longest of them")
    func usual() {
        let minute = OutageDetectionTests.minute
        // Of a hundred gaps two are long: the shorter one of these is the usual.
        var arrivals = steady(99, every: minute)
        for gap in [30 * minute, 40 * minute] {
            arrivals += steady(
                1, every: minute, from: arrivals.last!.receivedAt.milliseconds + gap)
        }
        for (gap, isOutage) in [(5 * 30 * minute, false), (5 * 30 * minute + 1, true)] {
            let now = arrivals.last!.receivedAt.advanced(byMilliseconds: gap)
            let found = OutageDetection.suggestions(arrivals, now: now)
            #expect(found.isEmpty == !isOutage, "\(gap)")
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

    @Test("with few deliveries, the outage does not raise its own limit")
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
                NotificationDelivery(
                    receivedAt: time(index * minute + lateness), signedAt: time(index * minute))
            }
            let found = OutageDetection.suggestions(
                arrivals, now: time(Int64(count) * minute + lateness))
            #expect(found.isEmpty == !isOutage)
            #expect(found.allSatisfy { $0.reasons == [.lateDeliveries] })
        }
        for (step, isCluster) in [(hour, true), (hour + 1, false)] {
            let spaced = (0..<5).map { index in
                NotificationDelivery(
                    receivedAt: time(Int64(index) * step + 30 * minute),
                    signedAt: time(Int64(index) * step))
            }
            let now = spaced.last!.receivedAt
            let found = OutageDetection.suggestions(spaced, now: now)
            #expect(found.contains { $0.reasons.contains(.lateDeliveries) } == isCluster)
        }
    }

    @Test("windows that touch are merged, with all reasons; others stay apart")
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
            [.init(from: time(from), to: time(to), reasons: [.lateDeliveries])],
            [.init(from: time(5), through: time(100))])
        #expect(open.first?.from.milliseconds == expected)
        #expect(open.first.map { $0.to.milliseconds == to } ?? true)
    }

    @Test("two adjacent sweeps count as one")
    func pieces() {
        let suggestion = OutageDetection.Suggestion(
            from: time(10), to: time(110), reasons: [.lateDeliveries])
        let apart = OutageDetection.open(
            [suggestion],
            [.init(from: time(60), through: time(100)), .init(from: time(5), through: time(50))])
        #expect(apart.map(\.from) == [time(50)])
        let touching = OutageDetection.open(
            [suggestion],
            [.init(from: time(50), through: time(100)), .init(from: time(5), through: time(50))])
        #expect(touching.map(\.from) == [time(100)])
    }

    @Test("a silence is dropped when the unswept rest is too short to be one")
    func swept() {
        let (minute, hour) = (OutageDetectionTests.minute, OutageDetectionTests.hour)
        // An hour is the least; five times the usual, where that is more.
        for (step, bound) in [(4 * minute, hour), (30 * minute, 150 * minute)] {
            let arrivals = steady(130, every: step)
            let last = arrivals.last!.receivedAt
            let now = last.advanced(byMilliseconds: 6 * hour)
            for (left, isOutage) in [(1, false), (5 * minute, false), (bound, false)]
                + [(bound + 1, true), (5 * hour, true)]
            {
                let through = now.advanced(byMilliseconds: -left)
                let found = OutageDetection.suggestions(
                    arrivals, now: now, swept: [.init(from: time(0), through: through)])
                #expect(found.map(\.from) == (isOutage ? [through] : []), "\(left) of \(step)")
                #expect(found.allSatisfy { $0.to == now })
            }
        }
    }

    @Test("sweeps elsewhere do not shorten a silence")
    func sweptElsewhere() {
        let hour = OutageDetectionTests.hour
        let arrivals = steady(130, every: OutageDetectionTests.minute)
        let last = arrivals.last!.receivedAt
        let now = last.advanced(byMilliseconds: 6 * hour)
        let begin = last.advanced(byMilliseconds: -OutageDetection.marginMilliseconds)
        for (from, through) in [(-2 * hour, -hour), (1, 6 * hour)] {
            let swept = CompleteWindow(
                from: last.advanced(byMilliseconds: from),
                through: last.advanced(byMilliseconds: through))
            let found = OutageDetection.suggestions(arrivals, now: now, swept: [swept])
            #expect(found.map(\.from) == [begin])
        }
        // From the silence's own start on is enough: its margin does not count.
        #expect(
            OutageDetection.suggestions(
                arrivals, now: now, swept: [.init(from: last, through: now)]
            ).isEmpty)
    }

    @Test("an app with quiet nights: only unswept nights are suggested")
    func nights() {
        let (minute, hour) = (OutageDetectionTests.minute, OutageDetectionTests.hour)
        let arrivals = (0..<14).flatMap { steady(96, every: 10 * minute, from: $0 * 24 * hour) }
        func morning(_ day: Int64) -> Timestamp { time(day * 24 * hour) }
        let found = OutageDetection.suggestions(arrivals, now: morning(14))
        #expect(found.map(\.to) == (1...14).map { morning($0) })
        for day in Int64(1)...14 {
            let swept = CompleteWindow(from: time(-hour), through: morning(day))
            let rest = OutageDetection.suggestions(arrivals, now: morning(14), swept: [swept])
            #expect(rest.map(\.to) == (day + 1..<15).map { morning($0) })
        }
    }

    @Test("deliveries dated in the future are ignored, and no window ends there")
    func future() {
        let (minute, hour) = (OutageDetectionTests.minute, OutageDetectionTests.hour)
        let arrivals =
            steady(300, every: 10 * minute) + steady(300, every: 10 * minute, from: 60 * hour)
        let now = arrivals.last!.receivedAt
        let found = OutageDetection.suggestions(arrivals, now: now)
        #expect(found.map(\.to) == [time(60 * hour)])
        for ahead in [1, 3 * 24 * hour, 73 * 365 * 24 * hour] {
            let stray = NotificationDelivery(
                receivedAt: now.advanced(byMilliseconds: ahead), signedAt: time(50 * hour))
            #expect(OutageDetection.suggestions(arrivals + [stray], now: now) == found)
        }
        let windows = [(10, 20), (15, 30), (20, 30)].map {
            OutageDetection.Suggestion(from: time($0.0), to: time($0.1), reasons: [.silence])
        }
        #expect(
            OutageDetection.clipped(windows, now: time(20)) == [
                .init(from: time(10), to: time(20), reasons: [.silence]),
                .init(from: time(15), to: time(20), reasons: [.silence]),
            ])
    }
}
