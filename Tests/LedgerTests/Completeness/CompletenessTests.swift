import AppStore
import Ledger
import Testing

@Suite("Completeness: sweeps advance it, missed notifications move it back")
struct CompletenessTests {
    static let app = BundleId("com.example.app")

    private func time(_ value: Int64) -> Timestamp { Timestamp(milliseconds: value) }

    private func sweep(
        _ from: Int64, _ through: Int64, of app: BundleId = CompletenessTests.app,
        fetched: Int64 = 7
    ) -> Sweep {
        Sweep(
            bundleId: app, from: time(from), through: time(through), requestedAt: time(through),
            startPosition: 3, fetchedCount: fetched)
    }

    private func through(_ completeness: Completeness) -> Int64? {
        completeness.window([CompletenessTests.app])?.through.milliseconds
    }

    @Test("without a sweep there is no window")
    func nothing() {
        let completeness = Completeness()
        #expect(completeness.window([CompletenessTests.app])?.through == nil)
        #expect(completeness.window([])?.through == nil)
        #expect(completeness.all.isEmpty)
    }

    @Test("the first sweep starts it, an adjacent one advances it, in either order")
    func moves() {
        var completeness = Completeness()
        #expect(
            completeness.take(sweep(100, 200), in: .production, position: 5, receivedAt: time(1))
                != nil)
        #expect(through(completeness) == 200)
        #expect(
            completeness.take(sweep(200, 300), in: .production, position: 6, receivedAt: time(2))
                != nil)
        #expect(through(completeness) == 300)
        #expect(
            completeness.take(sweep(50, 100), in: .production, position: 7, receivedAt: time(3))
                != nil)
        #expect(completeness.state(of: CompletenessTests.app)?.window?.from == time(50))
        #expect(through(completeness) == 300)
    }

    @Test(
        "a sweep of covered time moves nothing",
        arguments: [(100, 200), (120, 180), (201, 300), (10, 99), (300, 300), (300, 250)])
    func unmoved(_ window: (Int64, Int64)) {
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 5, receivedAt: time(1))
        let before = completeness
        #expect(completeness.window(after: sweep(window.0, window.1), in: .production) == nil)
        #expect(
            completeness.take(
                sweep(window.0, window.1), in: .production, position: 6, receivedAt: time(2)) == nil
        )
        #expect(completeness == before)
    }

    @Test(
        "a notification that a sweep missed moves the window back",
        arguments: [(99, 200), (100, 100), (150, 150), (199, 199), (200, 200)])
    func doubt(_ signed: Int64, _ expected: Int64) {
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 5, receivedAt: time(1))
        completeness.take(
            notificationSigned: time(signed), of: CompletenessTests.app, position: 6,
            receivedAt: time(2))
        #expect(through(completeness) == expected)
    }

    @Test(
        "a sweep after a gap that Apple has partly dropped restarts the window; else the gap stays",
        arguments: [(Environment.production, Int64(179)), (.sandbox, 29)] as [(Environment, Int64)])
    func lost(_ environment: Environment, _ reachDays: Int64) {
        let reach = reachDays * 86_400_000
        for (delay, isLost) in [(reach, false), (reach + 1, true)] {
            var completeness = Completeness()
            completeness.take(sweep(100, 200), in: environment, position: 5, receivedAt: time(1))
            let late = Sweep(
                bundleId: CompletenessTests.app, from: time(201), through: time(300),
                requestedAt: time(200 + delay), startPosition: 3, fetchedCount: 7)
            let moved = completeness.take(late, in: environment, position: 6, receivedAt: time(2))
            #expect((moved != nil) == isLost)
            #expect(
                completeness.window([CompletenessTests.app])
                    == CompleteWindow(
                        from: time(isLost ? 201 : 100), through: time(isLost ? 300 : 200)))
            // Earlier states are unchanged.
            #expect(
                completeness.window([CompletenessTests.app]) { $0.position <= 5 }
                    == CompleteWindow(from: time(100), through: time(200)))
            // The window before the gap is abandoned.
            completeness.take(sweep(50, 150), in: environment, position: 7, receivedAt: time(3))
            #expect(completeness.window([CompletenessTests.app])?.from == time(isLost ? 201 : 50))
        }
    }

    @Test(
        "a version 1 notification ends the window, unless that begins after its delivery",
        arguments: [
            (99, 100, 200), (100, 100, 200), (101, nil, nil), (200, nil, nil), (300, nil, nil),
        ] as [(Int64, Int64?, Int64?)])
    func versionOne(_ delivered: Int64, _ from: Int64?, _ through: Int64?) {
        // given
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 5, receivedAt: time(1))
        // when
        completeness.take(
            versionOneDelivered: time(delivered), of: CompletenessTests.app, position: 6)
        // then
        let window = completeness.window([CompletenessTests.app])
        #expect(window?.from.milliseconds == from)
        #expect(window?.through.milliseconds == through)
        #expect(completeness.swept(CompletenessTests.app)?.through == time(200))
        let earlier = completeness.window([CompletenessTests.app]) { $0.position <= 5 }
        #expect(earlier == CompleteWindow(from: time(100), through: time(200)))
    }

    @Test("of a sweep only what follows the last version 1 notification is certain")
    func sweepAfterVersionOne() {
        let apps = [CompletenessTests.app]
        // given: one before any sweep, and two in a row after one
        var completeness = Completeness()
        completeness.take(versionOneDelivered: time(120), of: apps[0], position: 1)
        #expect(completeness.window(apps) == nil)
        completeness.take(sweep(100, 200), in: .production, position: 2, receivedAt: time(210))
        #expect(completeness.window(apps) == CompleteWindow(from: time(120), through: time(200)))
        completeness.take(versionOneDelivered: time(300), of: apps[0], position: 3)
        let stateCount = completeness.all.count
        completeness.take(versionOneDelivered: time(350), of: apps[0], position: 4)
        completeness.take(versionOneDelivered: time(340), of: apps[0], position: 5)
        #expect(completeness.all.count == stateCount)
        // when
        let before = completeness.take(
            sweep(150, 350), in: .production, position: 6, receivedAt: time(360))
        // Apple may still send version 1.
        let empty = completeness.take(
            sweep(150, 400, fetched: 0), in: .production, position: 6, receivedAt: time(405))
        let after = completeness.take(
            sweep(150, 400), in: .production, position: 7, receivedAt: time(410))
        // A window never grows into the time of version 1.
        let older = completeness.take(
            sweep(50, 380), in: .production, position: 8, receivedAt: time(420))
        // then
        #expect(before == nil && empty == nil && older == nil)
        #expect(after?.window == CompleteWindow(from: time(350), through: time(400)))
        #expect(completeness.window(apps) { $0.position <= 2 }?.through == time(200))
        #expect(completeness.window(apps) { $0.position <= 6 } == nil)
        // Apple sends version 2: an hour without notifications is certain, too.
        let quiet = completeness.take(
            sweep(400, 500, fetched: 0), in: .production, position: 9, receivedAt: time(510))
        #expect(quiet?.window == CompleteWindow(from: time(350), through: time(500)))
        #expect(Completeness(states: completeness.all) == completeness)
    }

    @Test("the window as of a position or time does not change")
    func asOf() {
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 5, receivedAt: time(10))
        completeness.take(
            notificationSigned: time(150), of: CompletenessTests.app, position: 8,
            receivedAt: time(20))
        completeness.take(sweep(150, 400), in: .production, position: 9, receivedAt: time(30))
        let apps = [CompletenessTests.app]
        #expect(completeness.window(apps) { $0.position <= 4 }?.through == nil)
        #expect(completeness.window(apps) { $0.position <= 7 }?.through == time(200))
        #expect(completeness.window(apps) { $0.position <= 8 }?.through == time(150))
        #expect(completeness.window(apps) { $0.receivedAt <= time(29) }?.through == time(150))
        #expect(completeness.window(apps)?.through == time(400))
        #expect(Completeness(states: completeness.all) == completeness)
    }

    @Test("a doubt is known no earlier than the sweep it doubts, whatever arrival is claimed")
    func claimed() {
        let apps = [CompletenessTests.app]
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 5, receivedAt: time(250))
        completeness.take(
            notificationSigned: time(150), of: CompletenessTests.app, position: 6,
            receivedAt: time(150))
        // As stored by an earlier release.
        let stored = completeness.all.map { state in
            Completeness.State(
                bundleId: state.bundleId, position: state.position,
                receivedAt: time(state.position == 5 ? 250 : 150), window: state.window)
        }
        for known in [completeness, Completeness(states: stored)] {
            #expect(known.window(apps) { $0.receivedAt <= time(249) } == nil)
            #expect(known.window(apps) { $0.receivedAt <= time(250) }?.through == time(150))
        }
    }

    @Test("the window of several apps is that of the least complete, none if one was never swept")
    func several() {
        let other = BundleId("com.example.other")
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 1, receivedAt: time(1))
        #expect(completeness.window([CompletenessTests.app, other])?.through == nil)
        // Without a named app, another may never have been swept.
        #expect(completeness.window([]) == nil)
        completeness.take(
            sweep(100, 150, of: other), in: .production, position: 2, receivedAt: time(2))
        #expect(completeness.window([CompletenessTests.app, other])?.through == time(150))
        completeness.take(
            notificationSigned: time(120), of: other, position: 3, receivedAt: time(3))
        #expect(completeness.window([CompletenessTests.app])?.through == time(200))
        #expect(completeness.window([other])?.through == time(120))
        // The latest start applies to all.
        completeness.take(
            sweep(110, 300, of: BundleId("com.example.third")), in: .production, position: 4,
            receivedAt: time(4))
        #expect(
            completeness.window([CompletenessTests.app, BundleId("com.example.third")])
                == CompleteWindow(from: time(110), through: time(200)))
        #expect(completeness.window([other, BundleId("com.example.third")])?.from == time(110))
    }

    @Test("apps with disjoint windows have none in common")
    func apart() {
        let other = BundleId("com.example.other")
        var completeness = Completeness()
        completeness.take(sweep(100, 200), in: .production, position: 1, receivedAt: time(1))
        completeness.take(
            sweep(201, 300, of: other), in: .production, position: 2, receivedAt: time(2))
        #expect(completeness.window([CompletenessTests.app, other]) == nil)
        #expect(completeness.window([other])?.from == time(201))
    }

    @Test("a sweep parses back from its evidence; other input is rejected")
    func evidence() throws {
        let sweep = sweep(100, 200)
        #expect(Sweep(evidence: try JSONValue.parse(sweep.evidence)) == sweep)
        for text in ["{}", "{\"sweep\":\"other\"}", "[]", "{\"sweep\":\"notificationHistory\"}"] {
            #expect(Sweep(evidence: try JSONValue.parse(Array(text.utf8))) == nil)
        }
    }
}
