import AppStore
import Ledger
import LedgerTestSupport
import Simulator

/// Simulated customers, selected by what happened to them.
struct ReportedLives: Sendable {
    /// What happened to a customer.
    enum Kind: String, CaseIterable, Sendable {
        /// In the two forms Apple may send: as a later expiresDate, or as a renewalDate alone.
        case extendedExpiry, extendedRenewal
        case refunded, familyRevoked, priceIncrease, upgraded, downgraded
    }

    static let world = SubscriberWorld(
        bundleId: BundleId(MadePurchase.app), appAppleId: MadePurchase.appAppleId,
        firstPurchases: day(-160)...day(-20), horizon: ServedPlace.now)

    /// Two of each kind, of some more.
    static let shared = ReportedLives(each: 2)

    private(set) var lives: [SubscriberLife] = []
    private(set) var counts: [Kind: Int] = [:]
    /// Customers whose extended end no transaction states.
    private(set) var extendedRenewals: Set<OriginalTransactionId> = []

    var books: ServedRecords { ServedRecords(lives, of: Self.world, in: .production) }

    private static let seeds: ClosedRange<UInt64> = 1...2_000

    /// Customers whose renewal was extended by a date that no transaction states, and who renewed
    /// since: the first `count`.
    static func renewedSince(_ count: Int) -> ReportedLives {
        var reported = ReportedLives(each: 0)
        for seed in seeds where reported.lives.count < count {
            guard world.environment(seed: seed) == .production else { continue }
            let life = world.life(seed: seed)
            guard isReported(life), life.isRenewedSinceExtension else { continue }
            reported.lives.append(life)
        }
        return reported
    }

    private init(each: Int) {
        for seed in Self.seeds where Self.world.environment(seed: seed) == .production {
            guard Kind.allCases.contains(where: { counts[$0, default: 0] < each }) else { return }
            let life = Self.world.life(seed: seed)
            let kinds = Self.kinds(of: life)
            guard kinds.contains(where: { counts[$0, default: 0] < each }),
                Self.isKnowable(life)
            else { continue }
            for kind in kinds { counts[kind, default: 0] += 1 }
            if life.extensions.contains(where: { $0.end > $0.statedEnd }) {
                extendedRenewals.insert(life.originalTransactionId)
            }
            lives.append(life)
        }
    }

    private static func day(_ number: Int64) -> Timestamp {
        ServedPlace.now.advanced(byMilliseconds: number * 86_400_000)
    }

    /// Whether one request is enough: after an extended renewal followed by others, transactions
    /// and statuses show a gap.
    private static func isKnowable(_ life: SubscriberLife) -> Bool {
        isReported(life)
            && life.extensions.allSatisfy {
                $0.end == $0.statedEnd || $0.transactionId == life.truth.last?.transactionId
            }
    }

    /// Whether all of it was sent in the past and is still reported by Apple: no payments that
    /// failed for a while, no refunds that were reversed (`MigratedPastTests` covers these).
    private static func isReported(_ life: SubscriberLife) -> Bool {
        life.deliveries.allSatisfy { $0.signedDate.map { $0 <= ServedPlace.now } == true }
            && life.truth.allSatisfy { interval in
                switch interval.state {
                case .grace, .billingRetry: false
                case .revoked: interval.to == nil
                default: true
                }
            }
    }

    private static func kinds(of life: SubscriberLife) -> Set<Kind> {
        Set(life.deliveries.compactMap { kind($0) })
    }

    private static func kind(_ delivery: Delivery) -> Kind? {
        guard case .notification(let payload, let transaction, let renewal) = delivery.evidence
        else { return nil }
        switch (payload.notificationType?.value, payload.subtype?.value) {
        case (.renewalExtended, _):
            guard let end = transaction?.expiresDate, let next = renewal?.renewalDate else {
                return nil
            }
            return next > end ? .extendedRenewal : .extendedExpiry
        case (.refund, _): return .refunded
        case (.revoke, _): return .familyRevoked
        case (.priceIncrease, .pending): return .priceIncrease
        case (.didChangeRenewalPref, .upgrade): return .upgraded
        case (.didChangeRenewalPref, .downgrade): return .downgraded
        default: return nil
        }
    }
}

extension SubscriberLife {
    /// A renewal that was extended.
    struct Extension {
        let transactionId: TransactionId
        /// The end stated by RENEWAL_EXTENDED, and the one the transaction states today.
        let (end, statedEnd): (Timestamp, Timestamp)
    }

    /// Whether one was extended by a date its transaction does not state, and the next is stated to
    /// be a renewal.
    fileprivate var isRenewedSinceExtension: Bool {
        extensions.contains { extended in
            extended.end > extended.statedEnd
                && deliveries.contains {
                    $0.transaction?.purchaseDate == extended.end
                        && $0.transaction?.transactionReason == Raw(.renewal)
                }
        }
    }

    /// What was extended, and whether its transaction states it.
    var extensions: [Extension] {
        deliveries.compactMap { delivery in
            guard
                case .notification(let payload, let transaction?, let renewal?) = delivery.evidence,
                payload.notificationType?.value == .renewalExtended,
                let id = transaction.transactionId, let end = renewal.renewalDate
            else { return nil }
            let stated = deliveries.last { $0.transaction?.transactionId == id }?.transaction
            return stated?.expiresDate.map {
                Extension(transactionId: id, end: end, statedEnd: $0)
            }
        }
    }
}
