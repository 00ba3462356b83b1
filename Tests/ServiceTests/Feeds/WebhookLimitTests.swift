import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import TestSupport
import Testing

@testable import Intake
@testable import Service

@Suite("Limits of webhooks, at the bound and one past it")
struct WebhookLimitTests {
    @Test("the maximum number of endpoints can be configured, one more is refused with its setting")
    func endpoints() throws {
        func parse(_ count: Int) throws(ConfigurationError) -> Int {
            let lines = (0..<count).map {
                "  - { url: \"https://a.example/\($0)\", secretFile: s }"
            }
            return try ServiceConfiguration(
                yaml: "webhooks:\n" + lines.joined(separator: "\n")
            ).webhooks.count
        }
        #expect(try parse(WebhookLimits.endpointCount) == WebhookLimits.endpointCount)
        let error = #expect(throws: ConfigurationError.self) {
            try parse(WebhookLimits.endpointCount + 1)
        }
        #expect(error?.key == "webhooks")
    }

    @Test("a secret file of the maximum size is accepted, one byte more is refused")
    func secretFile() throws {
        let directory = try TemporaryDirectory()
        let secret = "whsec_" + String(repeating: "AAAA", count: 8) + "\n"
        for (excess, isRead) in [(0, true), (1, false)] {
            let blank = WebhookLimits.secretFileByteCount - secret.utf8.count + excess
            let path = try directory.write(
                Array((secret + String(repeating: "\n", count: blank)).utf8), to: "s\(excess)")
            let read = try? WebhookSecret(file: path, key: "webhooks[0].secretFile")
            #expect((read != nil) == isRead)
        }
    }

    @Test(
        "delays grow threefold from five seconds to eight hours, with a jitter of a fifth at most")
    func delays() {
        let (least, most) = (RetrySchedule { 0 }, RetrySchedule { 1 })
        let middle = RetrySchedule { 0.5 }
        #expect([1, 2, 3].map { middle.delay(after: $0) } == [5_000, 15_000, 45_000])
        let longest = WebhookLimits.longestDelayMilliseconds
        // 5 s × 3⁷ are three hours; three times that is more than eight.
        #expect(middle.delay(after: 8) == 5_000 * 2_187)
        for failures in [9, 10, 1_000, Int64.max] {
            #expect(middle.delay(after: failures) == longest)
        }
        for failures in [1, 4, 9] as [Int64] {
            let usual = middle.delay(after: failures)
            #expect(least.delay(after: failures) == usual * 80 / 100)
            #expect(most.delay(after: failures) == usual * 120 / 100)
        }
    }

    @Test("a change is parked with the last millisecond of three days")
    func giveUp() {
        let first = Timestamp(milliseconds: 1_780_272_000_000)
        for (excess, isOver) in [(Int64(-1), false), (0, true)] {
            let now = first.advanced(byMilliseconds: WebhookLimits.retryMilliseconds + excess)
            #expect(RetrySchedule.isOver(since: first, at: now) == isOver)
        }
    }

    // MARK: The backlog

    private let chain = MadeChain()

    private func open(_ body: (LiveFeed) async throws -> Void) async throws {
        // In the first period, where the clock causes no change.
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 3_600_000))
        try await LiveFeed.open(try TemporaryLedger(), clock: clock, body)
    }

    @Test("while as many changes wait as may, nothing new is sent; while one fewer waits, it is")
    func waiting() async throws {
        try await open { live in
            // given
            let receiver = Receiver()
            try await live.webhook(receiver).deliverAll()
            let operations = live.session.ledger.operations
            let row = try #require(try await operations.webhookEndpoint("books"))
            let waiting = WaitingChange.unreadable(WebhookLimits.waitingCount, at: live.clock.now)
            try await operations.keep(row, waiting: waiting)
            try await live.take([chain.bought()])
            // when
            try await live.webhook(receiver).deliverAll()
            // then
            #expect(receiver.tried.isEmpty)
            try await operations.keep(row, done: [waiting[0].chainPlace])
            try await live.webhook(receiver).deliverAll()
            #expect(receiver.taken.map(\.chain) == [chain.id])
        }
    }

    @Test("one parked change more than are kept: the oldest is dropped")
    func parked() async throws {
        try await open { live in
            // given
            let webhook = live.webhook(Receiver { _ in .answered(status: 500) })
            try await webhook.deliverAll()
            let (operations, now) = (live.session.ledger.operations, live.clock.now)
            let row = try #require(try await operations.webhookEndpoint("books"))
            let parked = WaitingChange.unreadable(
                WebhookLimits.parkedCount, at: now, parkedAt: now)
            try await operations.keep(row, waiting: parked)
            // when
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            live.clock.advance(byMilliseconds: WebhookLimits.retryMilliseconds)
            try await webhook.deliverAll()
            // then
            let kept = try await operations.waiting(for: "books", parked: true, limit: .max)
            #expect(kept.count == WebhookLimits.parkedCount)
            #expect(kept.first?.place == parked[1].place)
            #expect(kept.last?.chain.originalTransactionId.rawValue == chain.id)
        }
    }
}
