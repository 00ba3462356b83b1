public import AppStore
import AppStoreAPI
import Ledger
import LedgerStore

/// What a recovery is asked to bring: what Apple sent of one app in a window.
public struct RecoveryRequest: Hashable, Sendable {
    public var bundleId: BundleId
    public var environment: Environment
    /// By signedDate: `[from, to)`. A `to` in the future is cut off at now, by Apple.
    public var from: Timestamp
    public var to: Timestamp
    /// Only these; empty: everything.
    public var types: [RecoveryType] = []
    /// Only of the customer with this id, of whatever kind. Not together with `types`.
    public var id: String?
    /// Only what was never delivered.
    public var onlyFailures = false

    /// Whether `to` is only what was now when it was asked: the same question a little later goes on
    /// with the window that was begun, rather than to begin another one.
    public var endsNow = false

    /// Everything of a window.
    public init(
        bundleId: BundleId, environment: Environment, from: Timestamp, to: Timestamp
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.from = from
        self.to = to
    }

    /// Whether nothing of the window is left out: then its end says that everything is here.
    public var isWhole: Bool { types.isEmpty && id == nil && !onlyFailures }

    /// Names the recovery: the same request again goes on where it stopped.
    var name: String {
        let parts: [String?] = [
            bundleId.rawValue, environment.rawValue, String(from.milliseconds),
            endsNow ? "now" : String(to.milliseconds),
            types.map(\.description).joined(separator: ","), id,
            String(onlyFailures),
        ]
        return EventKey.make(.sweep, parts).hexadecimal
    }
}

/// One kind of notification as Apple's history can be asked for it.
public struct RecoveryType: Hashable, Sendable, CustomStringConvertible {
    public let type: NotificationType
    /// Nil: those without any, since that is what an omitted subtype means to Apple.
    public let subtype: Subtype?

    /// A pair.
    public init(_ type: NotificationType, _ subtype: Subtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    public var description: String {
        subtype.map { "\(type.rawValue).\($0.rawValue)" } ?? type.rawValue
    }

    /// What decides access comes first: whoever renewed or ended while nobody listened.
    static let urgent: [RecoveryType] = all(of: .didRenew) + all(of: .expired)

    /// A type with no subtype, and with each that it has (App Store Server Notifications,
    /// `subtype`).
    public static func all(of type: NotificationType) -> [RecoveryType] {
        [RecoveryType(type)] + (subtypes[type] ?? []).map { RecoveryType(type, $0) }
    }

    private static let subtypes: [NotificationType: [Subtype]] = [
        .subscribed: [.initialBuy, .resubscribe], .didRenew: [.billingRecovery],
        .didChangeRenewalPref: [.upgrade, .downgrade],
        .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled],
        .offerRedeemed: [.upgrade, .downgrade, .initialBuy, .resubscribe],
        .didFailToRenew: [.gracePeriod],
        .expired: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale],
        .priceIncrease: [.pending, .accepted], .renewalExtension: [.summary, .failure],
        .externalPurchaseToken: [.created, .activeTokenReminder, .unreported],
    ]

    /// Reads a list of `TYPE` (with all its subtypes) and `TYPE.SUBTYPE`, separated by commas; nil
    /// when one of them is unknown.
    public static func read(_ text: String) -> [RecoveryType]? {
        var found: [RecoveryType] = []
        for word in text.split(separator: ",") {
            let parts = word.split(separator: ".", omittingEmptySubsequences: false)
            guard let type = NotificationType(rawValue: String(parts[0])) else { return nil }
            switch parts.count {
            case 1: found += all(of: type)
            case 2:
                guard let subtype = Subtype(rawValue: String(parts[1])),
                    subtypes[type]?.contains(subtype) ?? false
                else { return nil }
                found.append(RecoveryType(type, subtype))
            default: return nil
            }
        }
        var seen: Set<RecoveryType> = []
        let distinct = found.filter { seen.insert($0).inserted }
        return distinct.isEmpty ? nil : distinct
    }
}
