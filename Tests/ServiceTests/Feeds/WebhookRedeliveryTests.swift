import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Service
import Testing

/// Deliveries again, by operators.
extension WebhookDeliveryStepTests {
    @Test("changes parked at an endpoint that was down are counted until they are redelivered")
    func parkedTogether() async throws {
        try await open { live in
            // given
            let (receiver, notes) = (Receiver { _ in .answered(status: 500) }, NoteBook())
            let webhook = try await begun(live, receiver, notes: notes)
            let count = WebhookLimits.downFailureCount + 1
            let chains = (0..<count).map { MadeChain(id: "70000000000\(1_000 + $0)") }
            try await live.take(chains.map { $0.bought() })
            try await webhook.deliverAll()
            let operations = live.session.ledger.operations
            let early = try await operations.waitingCounts(for: "books")
            #expect(early == (count, 0))
            // when
            live.clock.advance(byMilliseconds: WebhookLimits.retryMilliseconds + 1)
            try await webhook.deliverAll()
            // then
            let parked = try await operations.waitingCounts(for: "books")
            #expect(parked == (0, count))
            let reported = notes.texts.filter { $0.contains("parked") }
            #expect(reported.count == 1 && reported[0].contains("\(count) changes parked"))
            // when
            receiver.answer { _ in .answered(status: 204) }
            let report = try await WebhookSender(
                endpoint: .test(), transport: receiver, clock: live.clock
            ).redeliver(live.session.ledger, from: 1, to: Int64(count), isDryRun: false)
            // then
            #expect(report.delivered == count)
            let left = try await operations.waitingCounts(for: "books")
            #expect(left == (0, 0))
        }
    }

    @Test("redelivery repeats ids and bodies, moves no cursor, and counts without sending when dry")
    func redelivers() async throws {
        try await open { live in
            let receiver = Receiver()
            let webhook = try await begun(live, receiver)
            try await live.take(chain.life)
            try await webhook.deliverAll()
            let first = receiver.taken
            receiver.forget()
            let cursor = try await live.session.ledger.operations.webhookEndpoint("books")
            let again = WebhookSender(
                endpoint: .test(), transport: receiver,
                clock: live.clock)
            let dry = try await again.redeliver(
                live.session.ledger, from: 1, to: 4, isDryRun: true)
            #expect(receiver.tried.isEmpty)
            #expect(dry.changes == first.count && dry.delivered == 0)
            #expect(dry.types.values.reduce(0, +) == first.count)
            let wet = try await again.redeliver(
                live.session.ledger, from: 1, to: 4, isDryRun: false)
            #expect(wet.delivered == first.count && wet.failed == 0)
            #expect(receiver.taken.map(\.id) == first.map(\.id))
            #expect(receiver.taken.map(\.bytes) == first.map(\.bytes))
            let after = try await live.session.ledger.operations.webhookEndpoint("books")
            #expect(after == cursor)
            let part = try await again.redeliver(
                live.session.ledger, from: 3, to: 3, isDryRun: true)
            #expect(part.changes < dry.changes && part.changes > 0)
        }
    }

    @Test("on later pages, too, a redelivery holds back a refused chain, and counts as its dry run")
    func redeliveryOfPages() async throws {
        try await open { live in
            let id = chain.id
            let receiver = Receiver { message in
                message.chain == id ? .timedOut : .answered(status: 204)
            }
            let others = (0..<FeedLimits.pageEventCount).map {
                MadeChain(id: String(500_000_000_001_000 + $0)).bought()
            }
            try await live.take([chain.bought()] + others + [chain.renewed(1)])
            let sender = WebhookSender(
                endpoint: .test(), transport: receiver, clock: live.clock)
            func redeliver(isDryRun: Bool) async throws -> WebhookSender.Redelivered {
                try await sender.redeliver(
                    live.session.ledger, from: 1, to: Int64(others.count + 2), isDryRun: isDryRun)
            }
            let report = try await redeliver(isDryRun: false)
            #expect(receiver.tried.count { $0.chain == id } == 1)
            #expect(receiver.taken.count == others.count)
            #expect(report.failed > 1 && report.delivered + report.failed == report.changes)
            receiver.forget()
            receiver.answer { _ in .timedOut }
            let dry = try await redeliver(isDryRun: true)
            let wet = try await redeliver(isDryRun: false)
            #expect(wet.changes == dry.changes && wet.types == dry.types)
            #expect(wet.failed == wet.changes && wet.delivered == 0)
            #expect(wet.lastFailure == "timedOut")
            // No more than those under way when the endpoint counted as down.
            let most = WebhookLimits.downFailureCount + WebhookLimits.concurrency
            #expect(receiver.tried.count < most)
        }
    }

    @Test("a redelivery repeats only what the endpoint's filter admits")
    func redeliveryFiltered() async throws {
        try await open { live in
            let receiver = Receiver()
            try await live.take(chain.life)
            let report = try await WebhookSender(
                endpoint: .test(types: [.transition(.started)]), transport: receiver,
                clock: live.clock
            ).redeliver(live.session.ledger, from: 1, to: 4, isDryRun: false)
            #expect(receiver.taken.map(\.type) == ["started"])
            #expect(report.changes == 1 && report.types == ["started": 1])
        }
    }
}
