import AppStore
import Ledger
import LedgerTestSupport
import Service
import Testing

/// A service that stops and starts again on the same log, which is not another log.
@Suite("Webhooks over a restart")
struct WebhookRestartTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")
    private var started: WebhookEndpoint { .test(types: [.transition(.started)]) }

    private func open(
        _ place: TemporaryLedger, _ body: (LiveFeed) async throws -> Void
    ) async throws {
        try await LiveFeed.open(place, clock: ManualClock(chain.start(4)), body)
    }

    @Test("A cursor that moved past filtered changes belongs to the same log after a restart")
    func quietEvents() async throws {
        let place = try TemporaryLedger()
        try await open(place) { live in
            let receiver = Receiver { _ in .answered(status: 500) }
            let webhook = live.webhook(receiver, started)
            try await webhook.deliverAll()
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            // Nothing that this endpoint's filter admits; the cursor moves all the same.
            try await live.take([chain.turnedOff(0)])
            try await webhook.deliverAll()
            receiver.answer { _ in .answered(status: 200) }
            try await live.pass(to: live.clock.now.advanced(byMilliseconds: 60_000))
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["started"])
        }
        // While no service runs.
        _ = try await place.ingest([other.bought()])
        try await open(place) { live in
            let (receiver, notes) = (Receiver(), NoteBook())
            let webhook = live.webhook(receiver, started, notes: notes)
            try await webhook.deliverAll()
            #expect(notes.texts.isEmpty)
            #expect(receiver.taken.map(\.chain) == [other.id])
        }
    }
}
