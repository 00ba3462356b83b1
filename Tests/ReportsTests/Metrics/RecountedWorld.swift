import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import Reports
import Simulator
import TestSupport
import Testing

/// Simulated lives, their signed evidence in a ledger, and the truth of each, for plain recounts
/// without folding.
struct RecountedWorld: Sendable {
    let ledger: TemporaryLedger
    let lives: [RecountedLife]

    /// 2022 to 2027, by quarters.
    static let from = "2022-01-01"
    static let interval = "quarter"

    /// The lives that most tests recount, made once; every test gets a copy of the ledger.
    static func copy(sharing: Bool = false) async throws -> RecountedWorld {
        let world = try await (sharing ? shared : separate).value
        return RecountedWorld(ledger: try world.ledger.copied(), lives: world.lives)
    }

    private static let separate = Task { try await make(1..<160, sharing: false) }
    private static let shared = Task { try await make(1..<160, sharing: true) }

    /// - Parameter sharing: every two lives belong to one customer.
    static func make(_ seeds: Range<UInt64>, sharing: Bool) async throws -> RecountedWorld {
        var ledger = try TemporaryLedger(in: TemporaryDirectory.shared())
        let world = SubscriberWorld()
        ledger.configuration.catalogue = .simulated
        // After every period of the lives, so that no clock cuts any short.
        ledger.now = Timestamp(milliseconds: 1_830_297_600_000)
        let lives = seeds.map { world.life(seed: $0) }.filter { $0.environment == .production }
        let signer = DeliverySigner(authority: TestAuthority.shared, appAppleId: 1_234_567_890)
        let reported = lives.enumerated().map { index, life in
            let token = String(format: "5a1e0000-0000-4000-8000-%012d", index / 2)
            return RecountedLife(
                life, ledger.configuration.catalogue,
                sharing
                    ? life.deliveries.map { RecountedWorld.naming(token, $0) } : life.deliveries)
        }
        let sent = reported.flatMap(\.deliveries).sorted { $0.receivedAt < $1.receivedAt }
        #expect(try await ledger.ingest(try sent.map { try signer.line($0) }).isClean)
        // The copies are projected, too.
        try await ledger.session { _ in }
        return RecountedWorld(ledger: ledger, lives: reported)
    }

    /// The same delivery for another customer.
    private static func naming(_ token: String, _ delivery: Delivery) -> Delivery {
        guard var sold = delivery.transaction else { return delivery }
        sold.appAccountToken = token
        func named(_ renewal: RenewalPayload) -> RenewalPayload {
            var renewal = renewal
            renewal.appAccountToken = token
            return renewal
        }
        let evidence: Delivery.Evidence =
            switch delivery.evidence {
            case .notification(let body, _, let renewal):
                .notification(body, sold, renewal.map(named))
            case .transaction: .transaction(sold)
            case .pair(_, let renewal, let status): .pair(sold, named(renewal), status)
            }
        return Delivery(
            ordinal: delivery.ordinal, receivedAt: delivery.receivedAt, evidence: evidence)
    }

    func query<Value>(_ body: (MetricsQuery, MetricParameters) async throws -> Value) async throws
        -> Value
    {
        var words = MetricParameters()
        (words.from, words.interval) = (Self.from, Self.interval)
        return try await ledger.metrics { [words] in try await body($0, words) }
    }
}

/// One life: the truth, and the last signed payload of each transaction.
struct RecountedLife: Sendable {
    let life: SubscriberLife
    let deliveries: [Delivery]
    /// Whether billing retry counts as access, so that a subscriber is lost only after it.
    var keepsPastDue = false
    private let payloads: [TransactionId: TransactionPayload]
    private let catalogue: Catalogue

    /// - Parameter deliveries: as sent here.
    init(_ life: SubscriberLife, _ catalogue: Catalogue, _ deliveries: [Delivery]) {
        self.life = life
        self.deliveries = deliveries
        self.catalogue = catalogue
        var newest: [TransactionId: TransactionPayload] = [:]
        for transaction in deliveries.compactMap(\.transaction) {
            guard let id = transaction.transactionId else { continue }
            let known = newest[id]?.signedDate?.milliseconds ?? .min
            if transaction.signedDate?.milliseconds ?? .min >= known { newest[id] = transaction }
        }
        payloads = newest.mapValues { purchase in
            newest.values.filter { RecountedLife.isCopy($0, of: purchase) }
                .max { ($0.signedDate!, $0.transactionId!) < ($1.signedDate!, $1.transactionId!) }
                ?? purchase
        }
    }

    /// Whether it is a restored copy of a purchase, which has its line item and overlaps it, or it.
    private static func isCopy(
        _ other: TransactionPayload, of purchase: TransactionPayload
    ) -> Bool {
        guard let item = purchase.webOrderLineItemId, item.rawValue != "0",
            let begin = purchase.purchaseDate, let end = purchase.expiresDate,
            let otherBegin = other.purchaseDate, let otherEnd = other.expiresDate
        else { return false }
        return other.webOrderLineItemId == item && begin < otherEnd && otherBegin < end
    }

    /// A stretch of the truth with its transaction, while it is paid for.
    struct Stretch {
        let interval: TrueInterval
        let payload: TransactionPayload
        let keepsPastDue: Bool

        var isEntitled: Bool {
            [.subscribed, .renewing, .grace].contains(interval.state)
                || keepsPastDue && interval.state == .billingRetry
        }

        /// Free for a time (`Lifecycle.md`, `phase`).
        var isTrial: Bool {
            if let kind = payload.offerDiscountType { return kind == Raw(.freeTrial) }
            guard let type = payload.offerType else { return false }
            return payload.price == 0 || type == Raw(.introductoryOffer) && payload.price == nil
        }

        var isPaid: Bool { isEntitled && !isTrial }

        /// Refunded as far as known, and not reversed.
        var isRefunded: Bool { payload.revocationDate != nil && payload.isUpgraded != true }
    }

    /// All auto-renewable purchases of the payer.
    var stretches: [Stretch] {
        life.truth.compactMap { interval in
            guard let payload = payloads[interval.transactionId],
                payload.type == Raw(.autoRenewableSubscription),
                payload.inAppOwnershipType == Raw(.purchased)
            else { return nil }
            return Stretch(interval: interval, payload: payload, keepsPastDue: keepsPastDue)
        }
    }

    func stretch(justBefore moment: Timestamp) -> Stretch? {
        stretch(at: moment.advanced(byMilliseconds: -1))
    }

    func stretch(at moment: Timestamp) -> Stretch? {
        stretches.first { $0.interval.contains(moment) }
    }

    /// The last stated token, else the chain itself.
    var customer: String {
        let named = deliveries.filter { $0.transaction?.appAccountToken != nil }
        let last = named.max {
            ($0.signedDate?.milliseconds ?? .min) < ($1.signedDate?.milliseconds ?? .min)
        }
        return last?.transaction?.appAccountToken?.lowercased()
            ?? "chain \(life.originalTransactionId)"
    }

    /// When payment for several lives together stopped, and when it began.
    static func turns(together lives: [RecountedLife]) -> [Turn] {
        let moments = Set(
            lives.flatMap(\.stretches).flatMap { [$0.interval.from, $0.interval.to] }
                .compactMap(\.self))
        return moments.flatMap { moment -> [Turn] in
            let wasPaid = lives.contains { $0.stretch(justBefore: moment)?.isPaid ?? false }
            let isPaid = lives.contains { $0.stretch(at: moment)?.isPaid ?? false }
            guard wasPaid != isPaid else { return [] }
            return [Turn(at: moment, kind: wasPaid ? .left : .came(""))]
        }
    }

    /// The annual price of a stretch.
    func annualised(_ stretch: Stretch) -> Int64? {
        guard let price = stretch.payload.price, stretch.payload.currency != nil else { return nil }
        if stretch.payload.billingPlanType == Raw(.monthly) { return price * 12 }
        let length: ISO8601Period? =
            if stretch.payload.offerDiscountType == Raw(.payUpFront) {
                stretch.payload.offerPeriod.flatMap { ISO8601Period($0) }
            } else {
                stretch.payload.productId.flatMap { catalogue.products[$0]?.period }
            }
        guard let length else { return nil }
        if length.months > 0 { return RecountedLife.even(price * 12, length.months) }
        if length.days % 7 == 0 { return RecountedLife.even(price * 52, length.days / 7) }
        return RecountedLife.even(price * 365, length.days)
    }

    /// The length in weeks of one payment of a stretch; nil for any other length.
    func isByWeeks(_ stretch: Stretch) -> Bool {
        guard stretch.payload.billingPlanType != Raw(.monthly) else { return false }
        let length: ISO8601Period? =
            if stretch.payload.offerDiscountType == Raw(.payUpFront) {
                stretch.payload.offerPeriod.flatMap { ISO8601Period($0) }
            } else {
                stretch.payload.productId.flatMap { catalogue.products[$0]?.period }
            }
        return length.map { $0.months == 0 && $0.days > 0 && $0.days % 7 == 0 } ?? false
    }

    /// A non-negative quotient rounded half to even, by counting remainders.
    static func even(_ number: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, rest) = (number / divisor, number % divisor)
        if 2 * rest == divisor { return quotient + quotient % 2 }
        return 2 * rest > divisor ? quotient + 1 : quotient
    }

    /// Changes into and out of paid time.
    struct Turn {
        enum Kind: Equatable {
            case left, toFree, converted
            /// With the state before.
            case came(String)
        }

        let at: Timestamp
        let kind: Kind
    }

    var turns: [Turn] {
        var turns: [Turn] = []
        var before: Stretch?
        var wasEntitled = false
        for now in stretches {
            let (was, isNow) = (before?.isPaid ?? false, now.isPaid)
            if was, !isNow {
                turns.append(
                    Turn(at: now.interval.from, kind: now.isEntitled ? .toFree : .left))
            }
            if !was, isNow {
                let kind: Turn.Kind =
                    if before?.isEntitled == true {
                        .converted
                    } else { .came(RecountedLife.origin(before, now, wasEntitled)) }
                turns.append(Turn(at: now.interval.from, kind: kind))
            }
            if now.isEntitled { wasEntitled = true }
            before = now
        }
        return turns
    }

    private static func origin(_ before: Stretch?, _ now: Stretch, _ wasEntitled: Bool) -> String {
        guard wasEntitled, let before else { return "new" }
        switch before.interval.state {
        case .billingRetry: return "recovered"
        case .revoked
        where before.interval.transactionId == now.interval.transactionId:
            return "reinstated"
        default: return "reactivated"
        }
    }
}
