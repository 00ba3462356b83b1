public import AppStore
import Ledger
import LedgerStore

/// The scope of a recovery: notifications that Apple sent about one app in a window.
public struct RecoveryRequest: Hashable, Sendable {
    public var bundleId: BundleId
    public var environment: Environment
    /// By signedDate: `[from, to)`. Apple cuts off a `to` in the future at the current time.
    public var from: Timestamp
    public var to: Timestamp
    /// Only these; empty: all.
    public var types: [RecoveryType] = []
    /// Only those of the customer with this id, of any kind. Not together with `types`.
    public var id: String?
    /// Only undelivered ones.
    public var onlyFailures = false

    /// Whether `to` is merely the time of the request: the same request a little later then resumes
    /// the started window instead of starting another one.
    public var endsNow = false

    public init(
        bundleId: BundleId, environment: Environment, from: Timestamp, to: Timestamp
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.from = from
        self.to = to
    }

    /// Whether the whole window is requested, so that finishing it confirms completeness.
    public var isWhole: Bool { types.isEmpty && id == nil && !onlyFailures }

    /// Identifies the recovery: the same request resumes where it stopped.
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

/// One kind of notification, as a filter of Apple's history.
public struct RecoveryType: Hashable, Sendable, CustomStringConvertible {
    public let type: NotificationType
    /// Nil: those without a subtype, which is what an omitted subtype means to Apple.
    public let subtype: Subtype?

    public var description: String {
        subtype.map { "\(type.rawValue).\($0.rawValue)" } ?? type.rawValue
    }

    /// Notifications that decide access come first: renewals and ends during the outage.
    static let urgent: [RecoveryType] = all(of: .didRenew) + all(of: .expired)

    /// A type without subtype, and with each of its subtypes.
    public static func all(of type: NotificationType) -> [RecoveryType] {
        ([nil] + type.subtypes).map { RecoveryType(type: type, subtype: $0) }
    }

    /// Parses a list of `TYPE` (with all its subtypes) and `TYPE.SUBTYPE`, separated by commas; nil
    /// when one is unknown.
    public static func read(_ text: String) -> [RecoveryType]? {
        var found: [RecoveryType] = []
        for word in text.split(separator: ",") {
            let parts = word.split(separator: ".", omittingEmptySubsequences: false)
            guard let type = NotificationType(rawValue: String(parts[0])) else { return nil }
            switch parts.count {
            case 1: found += all(of: type)
            case 2:
                guard let subtype = Subtype(rawValue: String(parts[1])),
                    type.subtypes.contains(subtype)
                else { return nil }
                found.append(RecoveryType(type: type, subtype: subtype))
            default: return nil
            }
        }
        var seen: Set<RecoveryType> = []
        let distinct = found.filter { seen.insert($0).inserted }
        return distinct.isEmpty ? nil : distinct
    }
}
