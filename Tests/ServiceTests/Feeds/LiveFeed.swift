import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Synchronization
import TestSupport
import Testing

@testable import Service

/// A ledger with its feed, open for one test, with a manual clock.
struct LiveFeed: Sendable {
    let place: TemporaryLedger
    let session: LedgerSession
    let clock: ManualClock
    let feed: ChangeFeed

    /// Opens the environment and its feed, passes them to `body` and closes them.
    ///
    /// - Parameter begins: whether the feed makes its first step before.
    static func open<Value>(
        _ place: TemporaryLedger, clock: ManualClock, begins: Bool = true,
        _ body: (LiveFeed) async throws -> Value
    ) async throws -> Value {
        try await place.session { session in
            let feed = ChangeFeed(ledger: session.ledger, clock: clock) {
                session.projector?.projections ?? session.projections
            }
            if begins { try await feed.step() }
            return try await body(
                LiveFeed(place: place, session: session, clock: clock, feed: feed))
        }
    }

    /// Appends, projects, and steps the feed.
    func take(_ deliveries: [MadeDelivery]) async throws {
        try await append(deliveries)
        try await feed.step()
    }

    /// Appends and projects.
    func append(_ deliveries: [MadeDelivery]) async throws {
        let lines = try deliveries.map { try $0.line() }
        let path = try place.directory.write(lines.inLines(), to: "live.ndjson")
        let clock = clock
        let ingest = Ingest(
            ledger: session.ledger, apps: place.configuration.apps, verifier: place.verifier
        ) { clock.now }
        let summary = try await ingest.run(paths: [path])
        #expect(summary.appended == deliveries.count)
        try await session.projector?.catchUp()
    }

    /// Moves the clock and steps the feed.
    func pass(to time: Timestamp) async throws {
        clock.set(time)
        try await feed.step()
    }

    /// Everything after a cursor up to the horizon.
    func changes(after cursor: ChangePlace = .beginning) async throws -> [FeedChange] {
        var cursor = cursor
        var changes: [FeedChange] = []
        while true {
            let page = try await feed.page(after: cursor)
            changes += page.changes
            cursor = page.next
            if page.isEnd { return changes }
        }
    }

    func names() async throws -> [String] { try await changes().map(\.change.name.rawValue) }

    /// A webhook to a receiver, without jitter.
    func webhook(
        _ receiver: Receiver, _ endpoint: WebhookEndpoint = .test(),
        notes: NoteBook = NoteBook()
    ) -> WebhookDelivery {
        WebhookDelivery(
            endpoint: endpoint, feed: feed, transport: receiver, clock: clock, chance: { 0.5 },
            report: { notes.add($0) })
    }
}

extension LiveFeed {
    /// A dispatcher to endpoints.
    ///
    /// - Parameter feed: that of another process; nil: this one.
    func dispatcher(
        _ receiver: Receiver, _ names: [String] = ["books"], feed: ChangeFeed? = nil,
        notes: NoteBook = NoteBook()
    ) -> WebhookDispatcher {
        WebhookDispatcher(
            endpoints: names.map { .test($0) }, feeds: [feed ?? self.feed], transport: receiver,
            clock: clock
        ) { notes.add($0) }
    }

    /// Yields until a condition holds.
    func wait(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { await Task.yield() }
    }
}

/// The notes of dispatchers.
final class NoteBook: Sendable {
    private let notes = Mutex<[ServingNote]>([])

    func add(_ note: ServingNote) { notes.withLock { $0.append(note) } }

    var texts: [String] { notes.withLock { $0.map(\.message) } }
    var codes: [String] { notes.withLock { $0.map(\.code) } }
}

extension WebhookEndpoint {
    static let secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    static func test(
        _ name: String = "books", types: Set<ChangeName>? = nil, bundleId: BundleId? = nil
    ) -> WebhookEndpoint {
        guard let secret = WebhookSecret(text: secretText) else {
            preconditionFailure("the secret of the tests is one")
        }
        return WebhookEndpoint(
            name: name, url: "https://books.example.com/hooks", environment: .production,
            filter: ChangeFilter(names: types, bundleId: bundleId), secret: secret)
    }
}

extension WebhookDelivery {
    /// Steps until there is nothing more to do.
    func deliverAll(limit: Int = 1_000) async throws {
        for _ in 0..<limit {
            guard try await step() else { return }
        }
        Issue.record("the webhook never became idle")
    }
}

extension LiveFeed {
    /// A ledger with a chain that is set to end, without an event that states it.
    static func placeOfEnding(_ chain: MadeChain) async throws -> TemporaryLedger {
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought(), chain.turnedOff(0)])
        return place
    }
}

extension WaitingChange {
    /// Changes at the beginning of the feed, each of a chain that the log does not have, due again
    /// in an hour.
    static func unreadable(
        _ count: Int, at now: Timestamp, parkedAt: Timestamp? = nil
    ) -> [WaitingChange] {
        (0..<Int64(count)).map { index in
            WaitingChange(
                place: ChangePlace(position: 0, index: index),
                chain: ChainId(
                    bundleId: BundleId(MadeChain.app),
                    originalTransactionId: OriginalTransactionId("9\(index)")),
                attempts: 1, firstAt: now, nextAt: now.advanced(byMilliseconds: 3_600_000),
                parkedAt: parkedAt)
        }
    }
}
