import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Testing

/// Questions that both engines answer by the same SQL (`LedgerLog`).
@Suite("Any log: questions")
struct LogQueryConformance {
    private static let app = BundleId("com.example")

    private func event(
        _ id: String, _ kind: EventKind = .notification, at milliseconds: Int64,
        claimed: Bool = false, _ change: (inout EventAttributes) -> Void = { _ in }
    ) throws -> NewEvent {
        var event = try Sample.event(
            id, kind: kind, evidence: .verbatim([]), at: milliseconds, claimed: claimed)
        change(&event.attributes)
        return event
    }

    private func events() throws -> [NewEvent] {
        [
            try event("a", at: 1_000) { $0.notificationType = nil },
            try event("b", .sweep, at: 1_100),
            try event("c", at: 1_200) { $0.signedAt = Timestamp(milliseconds: 400) },
            try event("d", at: 1_300) { $0.notificationType = "TEST" },
            try event("e", at: 1_400) { $0.bundleId = BundleId("com.example\0") },
            try event("f", at: 1_500, claimed: true) { $0.source = .import },
            try event("g", at: 1_600) { $0.source = .import },
            try event("h", at: 1_700) { $0.signedAt = nil },
            try event("i", .command, at: 1_800) { $0.source = .operator },
            try event("j", .command, at: 1_900) { $0.source = .client },
            try event("k", .command, at: 2_000),
        ]
    }

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test(
        "Arrivals are those of the app that Apple made or a line states",
        arguments: StoreEngine.all)
    func arrivals(engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(try events())
            let all = try await log.arrivals(
                of: Self.app, since: time(0), after: 0, through: 11)
            #expect(all.map(\.receivedAt.milliseconds) == [1_500, 1_300, 1_200, 1_000])
            let late = try await log.arrivals(
                of: Self.app, since: time(1_200), after: 0, through: 4)
            #expect(late.map(\.receivedAt.milliseconds) == [1_300, 1_200])
            let later = try await log.arrivals(
                of: Self.app, since: time(1_201), after: 3, through: 3)
            #expect(later.isEmpty)
            let last = try await log.lastArrival(of: Self.app, through: time(1_250), upTo: 11)
            #expect(last?.milliseconds == 1_200)
            let none = try await log.lastArrival(
                of: BundleId("none"), through: time(9_999), upTo: 11)
            #expect(none == nil)
        }
    }

    @Test(
        "The newest stretch with arrivals is searched after a position", arguments: StoreEngine.all)
    func lastArrivals(engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(try events())
            for (position, end, times) in [
                (0, 6, [1_500, 1_300, 1_200]), (4, 6, [1_500]), (6, nil, []),
            ] as [(Int64, Int64?, [Int64])] {
                let found = try await log.lastArrivals(
                    of: Self.app, after: position, through: 11, by: 5)
                #expect(found?.end == end, "\(position)")
                #expect((found?.found ?? []).map(\.receivedAt.milliseconds) == times)
            }
        }
    }

    @Test(
        "Arrivals are found behind any number of other events, and of times that lines claim",
        arguments: StoreEngine.all)
    func arrivalsBehind(engine: StoreEngine) async throws {
        try await engine.withLog { log in
            var events = [try event("a", at: 1_000), try event("b", at: 1_100)]
            for number in 0..<4 {
                events.append(
                    try event("h\(number)", at: 1_200 + Int64(number)) { $0.source = .history })
            }
            events.append(try event("i", at: 100, claimed: true) { $0.source = .import })
            events.append(try event("o", at: 1_300) { $0.bundleId = BundleId("other") })
            events.append(try event("c", at: 1_400))
            _ = try await log.append(events)
            for count in [1, 2, 4, 9] as [Int64] {
                func times(_ since: Int64, limit: Int = 9) async throws -> [Int64] {
                    try await log.arrivals(
                        of: Self.app, since: time(since), through: time(9_999), upTo: 9,
                        limit: limit, by: count
                    ).map(\.receivedAt.milliseconds)
                }
                #expect(try await times(1_000) == [1_400, 1_100, 1_000])
                #expect(try await times(1_050) == [1_400, 1_100])
                #expect(try await times(1_350) == [1_400])
                #expect(try await times(1_000, limit: 2) == [1_400, 1_100])
            }
            #expect(try await log.firstAppend(after: 5, through: 9)?.milliseconds == 1_203)
            #expect(try await log.firstAppend(after: 6, through: 7) == nil)
            #expect(try await log.firstAppend(after: 6, through: 9)?.milliseconds == 1_300)
        }
    }

    @Test(
        "Sweeps and decisions are found by their kind, decisions newest first",
        arguments: StoreEngine.all)
    func kinds(engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(try events())
            #expect(try await log.sweepPositions(through: 2) == [2])
            #expect(try await log.sweepPositions(through: 1) == [])
            #expect(try await log.decisionPositions(through: 11, limit: 9) == [11, 9])
            #expect(try await log.decisionPositions(through: 11, limit: 1) == [11])
            #expect(try await log.decisionPositions(through: 10, limit: 9) == [9])
        }
    }

    @Test(
        "Late notifications are those signed in the span, without TEST, and delivered version 1",
        arguments: StoreEngine.all)
    func late(engine: StoreEngine) async throws {
        try await engine.withLog { log in
            let more = [
                try event("l", .notificationV1, at: 2_100),
                try event("m", .notificationV1, at: 2_200) { $0.source = .import },
            ]
            _ = try await log.append(try events() + more)
            let all = try await log.notifications(
                signedIn: CompleteWindow(from: time(0), through: time(501)),
                after: 0, through: 13)
            #expect(all.found.map(\.position) == [1, 3, 5, 6, 7, 12] && all.next == 13)
            #expect(all.found[2].bundleId == BundleId("com.example\0"))
            let early = try await log.notifications(
                signedIn: CompleteWindow(from: time(400), through: time(500)),
                after: 0, through: 13)
            #expect(early.found.map(\.position) == [3, 12])
            #expect(early.found.map(\.signedAt) == [time(400), nil])
            #expect(early.found.map(\.receivedAt) == [time(1_200), time(2_100)])
            let none = try await log.notifications(
                signedIn: CompleteWindow(from: time(401), through: time(500)),
                after: 3, through: 4)
            #expect(none.found.isEmpty && none.next == 4)
            let unswept = try await log.notifications(signedIn: nil, after: 0, through: 13)
            #expect(unswept.found.map(\.position) == [12] && unswept.next == 13)
        }
    }

    @Test(
        "Trees are extended, and events found by key and by what they repeat",
        arguments: StoreEngine.all)
    func keys(engine: StoreEngine) async throws {
        try await engine.withLog { log in
            let events = try Sample.events(0..<5)
            _ = try await log.append(events)
            let tree = try await log.tree()
            #expect(try await log.extended(CompactRange(), through: 5) == tree)
            #expect(try await log.extended(CompactRange(), through: 3)?.size == 3)
            #expect(try await log.event(key: events[3].key)?.event.position == 4)
            let unknown = try Sample.event("x")
            #expect(try await log.event(key: unknown.key) == nil)
            #expect(try await log.position(ofKnown: unknown) == nil)
            let (conflict, other) = (
                try Sample.event("n3", price: 7), try Sample.event("n3", price: 8)
            )
            #expect(try await log.position(ofKnown: conflict) == nil)
            #expect(try await log.append([conflict]) == [.conflict(position: 6)])
            #expect(try await log.position(ofKnown: events[3]) == 4)
            #expect(try await log.position(ofKnown: conflict) == 6)
            #expect(try await log.position(ofKnown: other) == nil)
        }
    }
}
