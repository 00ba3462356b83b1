import AppStore
import Ledger
internal import LedgerStore
internal import Simulator
import Synchronization

/// The input of benchmarks: seeded lives whose events are built directly, without signatures.
final class BenchLives: Sendable {
    private let world = SubscriberWorld(
        firstPurchases: Timestamp(
            milliseconds: 1_420_070_400_000)...Timestamp(
                milliseconds: 1_577_836_800_000))
    private let signer: DeliverySigner
    private let packer = EvidencePacker()
    /// About how many events all lives have.
    let eventCount: Int64
    private let state = Mutex(State())

    private struct State {
        /// Number of lives started.
        var lives: UInt64 = 0
        /// Number of events handed out.
        var count: Int64 = 0
    }

    /// Lives with fewer events are skipped. The rest have about 12 events each, so ten million
    /// events are 800,000 chains.
    private static let shortestLifeEventCount = 4
    /// Number of lives whose events are interleaved.
    private static let livesPerStretch = 400

    /// Creates as many lives as have about `eventCount` events.
    init(eventCount: Int, authority: Authority) {
        self.eventCount = Int64(eventCount)
        signer = DeliverySigner(unsignedLike: authority)
    }

    var bundleId: BundleId { world.bundleId }
    var appAppleId: Int64 { world.appAppleId }

    /// Any chain among those returned.
    func someChain(_ number: Int) -> OriginalTransactionId {
        life(UInt64(number) % state.withLock { $0.lives }).life.originalTransactionId
    }

    // MARK: Lives

    /// The life with a number. Consecutive numbers share nothing, as in a real log.
    private func life(_ number: UInt64) -> (life: SubscriberLife, notifications: [Delivery]) {
        var seed = (number &* 2_654_435_761) % 4_294_967_291
        var life = world.life(seed: seed)
        var notifications = BenchLives.notifications(life)
        while life.environment != .production
            || notifications.count < BenchLives.shortestLifeEventCount
        {
            seed += 4_294_967_291
            life = world.life(seed: seed)
            notifications = BenchLives.notifications(life)
        }
        return (life, notifications)
    }

    private static func notifications(_ life: SubscriberLife) -> [Delivery] {
        life.deliveries.filter {
            if case .notification = $0.evidence { true } else { false }
        }
    }

    private func claim() -> UInt64? {
        state.withLock { state in
            guard state.count < eventCount else { return nil }
            defer { state.lives += 1 }
            return state.lives
        }
    }

    // MARK: Events

    /// The last events of `count` lives among those returned, which were held back; in an order
    /// unrelated to theirs.
    func lateEvents(_ count: Int) -> [NewEvent] {
        let lives = state.withLock { $0.lives }
        return (0..<UInt64(count)).compactMap { index in
            // A stride that visits no life twice.
            let (life, notifications) = life((index &* 7_919) % lives)
            return notifications.last.flatMap { event($0, life)?.event }
        }
    }

    /// The events of the next lives in order of arrival, and the bytes they were received as; nil
    /// after the last life.
    ///
    /// - Parameter holdingBackLast: whether the last event of each is left for `lateEvents`.
    func nextEvents(
        holdingBackLast: Bool = false
    ) -> (events: [NewEvent], receivedByteCount: Int64)? {
        var made: [(event: NewEvent, byteCount: Int)] = []
        for _ in 0..<BenchLives.livesPerStretch {
            guard let number = claim() else { break }
            let (life, all) = life(number)
            let notifications = all.dropLast(holdingBackLast ? 1 : 0)
            made += notifications.compactMap { event($0, life) }
            state.withLock { $0.count += Int64(notifications.count) }
        }
        guard !made.isEmpty else { return nil }
        made.sort { $0.event.receivedAt < $1.event.receivedAt }
        return (made.map(\.event), made.reduce(Int64(0)) { $0 + Int64($1.byteCount) })
    }

    private func event(
        _ delivery: Delivery, _ life: SubscriberLife
    ) -> (event: NewEvent, byteCount: Int)? {
        guard
            case .notification(let notification, let transaction, let renewal) = delivery.evidence,
            let text = try? signer.signedPayload(notification, transaction, renewal),
            let evidence = try? packer.pack(.jws(Array(text.utf8)))
        else { return nil }
        var attributes = EventAttributes(
            kind: .notification, source: .webhook, trust: .signed, bundleId: world.bundleId)
        attributes.chain = life.originalTransactionId
        attributes.notificationType = notification.notificationType?.rawValue
        attributes.subtype = notification.subtype?.rawValue
        attributes.notificationUUID = notification.notificationUUID
        attributes.signedAt = notification.signedDate
        attributes.rootFingerprint = evidence.payloadHash
        let event = NewEvent(
            key: EventKey.make(.notification, [notification.notificationUUID?.rawValue]),
            attributes: attributes, receivedAt: delivery.receivedAt, receivedAtClaimed: true,
            evidence: evidence)
        return (event, text.utf8.count)
    }
}
