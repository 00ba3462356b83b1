import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Service
import TestSupport
import Testing

/// One event of original StoreKit may change several chains at one place of the feed.
@Suite("Changes of several chains by one event")
struct SeveralChainsFeedTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "600000000000001")

    private var body: [UInt8] {
        let text = String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self)
        let second = String(decoding: other.receiptInfo(0).encoded(), as: UTF8.self)
        return Array(
            text.replacing(
                "\"latest_receipt_info\":[", with: "\"latest_receipt_info\":[\(second),"
            ).utf8)
    }

    private func open(_ body: (LiveFeed) async throws -> Void) async throws {
        var place = try TemporaryLedger()
        try place.share()
        try await LiveFeed.open(place, clock: ManualClock(chain.start(0, 60_000)), body)
    }

    private func take(_ live: LiveFeed) async throws {
        let path = try live.place.directory.write(body, to: "live.ndjson")
        let clock = live.clock
        let ingest = Ingest(
            ledger: live.session.ledger, apps: live.place.configuration.apps,
            verifier: live.place.verifier
        ) { clock.now }
        #expect(try await ingest.run(paths: [path]).appended == 1)
        try await live.session.projector?.catchUp()
        try await live.feed.step()
    }

    private var ids: [String] { [chain.id, other.id] }

    @Test("Each chain gets its delivery, whichever of them is rejected at first")
    func deliveries() async throws {
        for refused in [[], [chain.id], [other.id], ids] {
            try await open { live in
                let receiver = Receiver { message in
                    .answered(status: refused.contains(message.chain) ? 500 : 204)
                }
                let webhook = live.webhook(receiver)
                try await webhook.deliverAll()
                try await take(live)
                try await webhook.deliverAll()
                #expect(Set(receiver.taken.map(\.chain)) == Set(ids).subtracting(refused))
                let waiting = try await live.session.ledger.operations
                    .waiting(for: "books", limit: 10)
                #expect(
                    waiting.map(\.chain.originalTransactionId.rawValue)
                        == ids.filter { refused.contains($0) })
                // A restart loads what waits, of which chain.
                receiver.answer { _ in .answered(status: 204) }
                live.clock.set(live.clock.now.advanced(byMilliseconds: 3_600_000))
                let again = live.webhook(receiver)
                try await again.deliverAll()
                #expect(receiver.taken.map(\.chain).sorted() == ids)
                #expect(receiver.taken.allSatisfy { $0.sequence == 1 && $0.previous == nil })
                #expect(Set(receiver.taken.map(\.stateHash)).count == 2)
            }
        }
    }

    @Test("A redelivered parked change of one chain leaves the parked change of the other")
    func parked() async throws {
        try await open { live in
            let receiver = Receiver { _ in .answered(status: 500) }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            try await take(live)
            let changes = try await live.changes()
            #expect(changes.map(\.chain.originalTransactionId.rawValue) == ids)
            #expect(Set(changes.map(\.id)).count == 2)
            #expect(Set(changes.map(\.place)).count == 1)
            try await webhook.deliverAll()
            live.clock.set(live.clock.now.advanced(byMilliseconds: 4 * 86_400_000))
            try await webhook.deliverAll()
            let operations = live.session.ledger.operations
            let parked = try await operations.waiting(for: "books", parked: true, limit: 10)
            #expect(parked.map(\.chain.originalTransactionId.rawValue) == ids)
            let accepted = chain.id
            receiver.answer { .answered(status: $0.chain == accepted ? 204 : 500) }
            let report = try await WebhookSender(
                endpoint: .test(), transport: receiver, clock: live.clock
            ).redeliver(live.session.ledger, from: 1, to: 1, isDryRun: false)
            #expect(report.delivered == 1 && report.failed == 1)
            let rest = try await operations.waiting(for: "books", parked: true, limit: 10)
            #expect(rest.map(\.chain.originalTransactionId.rawValue) == [other.id])
        }
    }
}
