import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Service
import Testing

@Suite("Webhook delivery")
struct WebhookDeliveryStepTests {
    let chain = MadeChain()
    let other = MadeChain(id: "500000000000009")

    /// In the first period, where the clock causes no change.
    var late: Timestamp { chain.start.advanced(byMilliseconds: 3_600_000) }

    /// A feed whose endpoint has started before any arrival.
    func open(
        _ place: TemporaryLedger? = nil, _ body: (LiveFeed) async throws -> Void
    ) async throws {
        let place = try place ?? TemporaryLedger()
        try await LiveFeed.open(place, clock: ManualClock(late), body)
    }

    func begun(
        _ live: LiveFeed, _ receiver: Receiver, _ endpoint: WebhookEndpoint = .test(),
        notes: NoteBook = NoteBook()
    ) async throws -> WebhookDelivery {
        let webhook = live.webhook(receiver, endpoint, notes: notes)
        try await webhook.deliverAll()
        return webhook
    }

    /// By number and hash a receiver detects a message that it lost.
    @Test("an endpoint starts at the log's end, then gets every change, each naming the last one")
    func begins() async throws {
        try await open { live in
            try await live.take([other.bought()])
            let receiver = Receiver()
            let webhook = try await begun(live, receiver)
            #expect(receiver.tried.isEmpty)
            try await live.take(chain.life)
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.sequence) == receiver.taken.map(\.sequence).sorted())
            #expect(receiver.taken.first?.type == "started")
            let reported = try await live.changes().dropFirst().map(\.id)
            #expect(receiver.taken.map(\.id) == reported)
            #expect(reported.count > 2)
            for (earlier, later) in zip(receiver.taken, receiver.taken.dropFirst()) {
                #expect(later.previous == earlier.sequence)
                #expect(later.previousHash == earlier.stateHash)
            }
        }
    }

    @Test("a filter admits the changes it names, and each message names the previous one")
    func filter() async throws {
        try await open { live in
            let receiver = Receiver()
            let webhook = try await begun(
                live, receiver, .test(types: [.transition(.started), .transition(.expired)]))
            try await live.take(chain.life)
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["started", "expired"])
            #expect(receiver.taken.last?.previous == receiver.taken.first?.sequence)
            #expect(receiver.taken.last?.previousHash == receiver.taken.first?.stateHash)
        }
    }

    @Test("an app filter leaves out other apps' changes")
    func appFilter() async throws {
        let place = try TemporaryLedger(apps: [MadeChain.app, "com.example.second"])
        try await open(place) { live in
            let receiver = Receiver()
            let webhook = try await begun(
                live, receiver, .test(bundleId: BundleId("com.example.second")))
            try await live.take([chain.bought()])
            let second = MadeChain(id: "500000000000077", bundleId: "com.example.second")
            try await live.take([second.bought()])
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == ["500000000000077"])
        }
    }

    @Test(
        "a rejected change is retried, with the same id and body, until it is accepted",
        arguments: [
            WebhookOutcome.answered(status: 302), .answered(status: 404), .answered(status: 429),
            .timedOut,
        ])
    func retries(_ outcome: WebhookOutcome) async throws {
        try await open { live in
            let receiver = Receiver { _ in outcome }
            let webhook = try await begun(live, receiver)
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            #expect(receiver.tried.count == 1)
            live.clock.advance(byMilliseconds: 10_000)
            try await webhook.deliverAll()
            receiver.answer { _ in .answered(status: 200) }
            live.clock.advance(byMilliseconds: 60_000)
            try await webhook.deliverAll()
            #expect(receiver.tried.count == 3)
            #expect(Set(receiver.tried.map(\.id)).count == 1)
            #expect(Set(receiver.tried.map(\.bytes)).count == 1)
            // Each is signed for its own time: receivers refuse old ones.
            let times: [String?] = [0, 10_000, 70_000].map { (wait: Int64) in
                String(late.advanced(byMilliseconds: wait).milliseconds / 1_000)
            }
            #expect(receiver.tried.map { $0.headers["webhook-timestamp"] } == times)
            #expect(Set(receiver.tried.map { $0.headers["webhook-signature"] }).count == 3)
            #expect(receiver.taken.count == 1)
            let counts = try await live.session.ledger.operations.waitingCounts(for: "books")
            #expect(counts.waiting == 0)
        }
    }

    @Test(
        "a change is tried every ten minutes while the receiver is away, less often if rejected",
        arguments: [
            (WebhookOutcome.timedOut, 9), (.unreachable, 9), (.answered(status: 502), 9),
            (.answered(status: 504), 9), (.answered(status: 501), 7), (.answered(status: 505), 7),
            (.tlsFailed(reason: "x"), 9),
        ])
    func longestDelay(_ outcome: WebhookOutcome, _ count: Int) async throws {
        try await open { live in
            let receiver = Receiver { _ in outcome }
            let webhook = try await begun(live, receiver)
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            for _ in 0..<8 {
                live.clock.advance(byMilliseconds: 600_000)
                try await webhook.deliverAll()
            }
            // After its sixth attempt a rejected change waits 20 minutes and 15 seconds.
            #expect(receiver.tried.count == count)
        }
    }

    @Test("The state of an endpoint without trusted TLS has the code, the log also the reason")
    func untrusted() async throws {
        try await open { live in
            let (receiver, notes) = (Receiver { _ in .tlsFailed(reason: "CODE") }, NoteBook())
            let webhook = try await begun(live, receiver, notes: notes)
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            let row = try await live.session.ledger.operations.webhookEndpoint("books")
            #expect(row?.lastOutcome == "tlsFailed")
            #expect(notes.texts.contains { $0.contains("(tlsFailed: CODE, attempt 1)") })
        }
    }

    @Test("a rejected chain waits in order, and blocks no other chain")
    func orderWithinChain() async throws {
        try await open { live in
            let poison = chain.id
            let receiver = Receiver {
                $0.chain == poison ? .answered(status: 500) : .answered(status: 200)
            }
            let webhook = try await begun(live, receiver)
            try await live.take(chain.life + other.life)
            try await webhook.deliverAll()
            #expect(receiver.tried.filter { $0.chain == poison }.count == 1)
            let taken = receiver.taken.map(\.sequence)
            #expect(taken == (1...Int64(taken.count)).map { $0 })
            receiver.answer { _ in .answered(status: 200) }
            live.clock.advance(byMilliseconds: 3_600_000)
            try await webhook.deliverAll()
            let own = receiver.taken.filter { $0.chain == poison }.map(\.sequence)
            #expect(own == (1...Int64(own.count)).map { $0 })
            let count = try await live.changes().count
            #expect(receiver.taken.count == count)
        }
    }

    @Test("killed between the response and the cursor, the change is sent again under the same id")
    func atLeastOnce() async throws {
        let place = try TemporaryLedger()
        let receiver = Receiver()
        try await open(place) { live in
            let webhook = try await begun(live, receiver)
            try await live.take(chain.life)
            // The state after a kill: everything was sent, the cursor not stored.
            let before = try await live.session.ledger.operations.webhookEndpoint("books")
            try await webhook.deliverAll()
            try await live.session.ledger.operations.keep(try #require(before))
        }
        let first = receiver.taken
        receiver.forget()
        try await open(place) { live in
            try await live.webhook(receiver).deliverAll()
            #expect(receiver.taken.map(\.id) == first.map(\.id))
            #expect(receiver.taken.map(\.bytes) == first.map(\.bytes))
        }
    }

    @Test("a restart resumes where it was, with the waiting changes")
    func restart() async throws {
        let place = try TemporaryLedger()
        let receiver = Receiver { _ in .unreachable }
        try await open(place) { live in
            let webhook = try await begun(live, receiver)
            try await live.take(chain.life)
            try await webhook.deliverAll()
            #expect(receiver.taken.isEmpty)
        }
        receiver.answer { _ in .answered(status: 200) }
        try await open(place) { live in
            live.clock.advance(byMilliseconds: 60_000)
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            let reported = try await live.changes().map(\.id)
            #expect(receiver.taken.map(\.id) == reported)
        }
    }

    @Test("after three days a change is parked and reported, one millisecond earlier it is not")
    func parks() async throws {
        try await open { live in
            let notes = NoteBook()
            let receiver = Receiver { _ in .answered(status: 503) }
            let webhook = try await begun(live, receiver, notes: notes)
            try await live.take([chain.bought()])
            let first = live.clock.now
            try await webhook.deliverAll()
            live.clock.set(first.advanced(byMilliseconds: WebhookLimits.retryMilliseconds - 1))
            try await webhook.deliverAll()
            let operations = live.session.ledger.operations
            #expect(try await operations.waitingCounts(for: "books") == (1, 0))
            live.clock.advance(byMilliseconds: WebhookLimits.longestDelayMilliseconds * 2)
            try await webhook.deliverAll()
            #expect(try await operations.waitingCounts(for: "books") == (0, 1))
            #expect(notes.texts.contains { $0.contains("1 change parked") })
        }
    }

    @Test("410 ends delivery until a test succeeds, and then it resumes where it was")
    func gone() async throws {
        try await open { live in
            let notes = NoteBook()
            let receiver = Receiver { _ in .answered(status: 410) }
            let webhook = try await begun(live, receiver, notes: notes)
            try await live.take(chain.life)
            try await webhook.deliverAll()
            live.clock.advance(byMilliseconds: 86_400_000)
            try await webhook.deliverAll()
            #expect(receiver.tried.count == 1)
            #expect(notes.texts.contains { $0.contains("410") })
            let test = WebhookSender(endpoint: .test(), transport: receiver, clock: live.clock)
            let refused = try await test.test(live.session.ledger.operations)
            #expect(!refused.isSuccess)
            live.clock.advance(byMilliseconds: 86_400_000)
            try await webhook.deliverAll()
            #expect(receiver.tried.count == 2)
            receiver.answer { _ in .answered(status: 200) }
            #expect(try await test.test(live.session.ledger.operations).isSuccess)
            live.clock.advance(byMilliseconds: 86_400_000)
            try await webhook.deliverAll()
            #expect(receiver.taken.first?.type == "test")
            let reported = try await live.changes().map(\.id)
            #expect(receiver.taken.dropFirst().map(\.id) == reported)
        }
    }

    @Test("an endpoint that is down is rarely probed, and no change is lost")
    func down() async throws {
        try await open { live in
            let notes = NoteBook()
            let receiver = Receiver { _ in .unreachable }
            let webhook = try await begun(live, receiver, notes: notes)
            let begun = WebhookLimits.downFailureCount + WebhookLimits.concurrency
            let chains = (0..<begun + 4).map { MadeChain(id: "70000000000\(1_000 + $0)") }
            try await live.take(chains.map { $0.bought() })
            try await webhook.deliverAll()
            #expect(receiver.tried.count <= begun)
            #expect(notes.texts.contains { $0.contains("down") })
            let before = receiver.tried.count
            live.clock.advance(byMilliseconds: WebhookLimits.longestProbeMilliseconds * 2)
            try await webhook.deliverAll()
            #expect(receiver.tried.count == before + 1)
            receiver.answer { _ in .answered(status: 200) }
            live.clock.advance(byMilliseconds: WebhookLimits.longestProbeMilliseconds * 2)
            try await webhook.deliverAll()
            let reported = try await live.changes().map(\.id)
            #expect(Set(receiver.taken.map(\.id)) == Set(reported))
            #expect(notes.texts.contains { $0.contains("back") })
        }
    }

    @Test("a cursor beyond a restored log is reported, and delivery continues at the end")
    func cursorBeyondLog() async throws {
        try await open { live in
            try await live.take([chain.bought()])
            try await live.session.ledger.operations.keep(
                WebhookEndpointRow(name: "books", cursor: .end(of: 900)),
                waiting: [
                    WaitingChange(
                        place: .afterEvent(at: 890), chain: chain.chainId, attempts: 1,
                        firstAt: late, nextAt: late)
                ], done: [])
            let notes = NoteBook()
            let receiver = Receiver()
            let webhook = try await begun(live, receiver, notes: notes)
            #expect(notes.texts.contains { $0.contains("900") })
            try await live.take([other.bought()])
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == [other.id])
            let counts = try await live.session.ledger.operations.waitingCounts(for: "books")
            #expect(counts.waiting == 0)
        }
    }

    @Test("events that arrive before the feed's start are delivered to a new endpoint, too")
    func earlyArrivals() async throws {
        let (place, clock) = (try TemporaryLedger(), ManualClock(chain.start(4)))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let receiver = Receiver()
            let webhook = live.webhook(receiver)
            #expect(try await webhook.step() == false)
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            // Including the clock changes by then.
            #expect(receiver.taken.map(\.type) == ["started", "expired"])
        }
    }
}
