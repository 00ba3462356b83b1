public import AppStore
public import Ledger
public import LedgerStore

/// Which events of a log are listed; empty conditions admit all.
public struct EventFilter: Hashable, Sendable {
    /// Only this app's.
    public var bundleId: BundleId?
    /// Only these notification types, as on the wire, known to this release or not; or names of
    /// events, as `DID_RENEW/BILLING_RECOVERY` and `command`.
    public var types: Set<String> = []
    public var kinds: Set<EventKind> = []
    /// Received at or after.
    public var receivedFrom: Timestamp?
    /// Received before.
    public var receivedTo: Timestamp?

    /// Maximum events scanned for one page; the page ends there, even if empty, and `next`
    /// continues.
    public static let scannedCount = 10_000

    public init() {}

    /// Whether the filter may omit most events; evidence is then read only for admitted ones.
    package var isSelective: Bool {
        !types.isEmpty || !kinds.isEmpty || receivedFrom != nil || receivedTo != nil
    }

    public func admits(_ event: RecordedEvent) -> Bool {
        let attributes = event.attributes
        if let bundleId, attributes.bundleId != bundleId { return false }
        if !types.isEmpty, !types.contains(event.name),
            !(attributes.notificationType.map { types.contains($0) } ?? false)
        {
            return false
        }
        if !kinds.isEmpty, !kinds.contains(attributes.kind) { return false }
        if let receivedFrom, event.receivedAt < receivedFrom { return false }
        if let receivedTo, event.receivedAt >= receivedTo { return false }
        return true
    }
}

extension RecordedEvent {
    /// What happened, in Apple's words where there are any: type and subtype, else the kind.
    package var name: String {
        let parts = [attributes.notificationType, attributes.subtype].compactMap { $0 }
        return parts.isEmpty ? attributes.kind.rawValue : parts.joined(separator: "/")
    }
}

/// Where a page of events begins, and in which direction it goes.
public enum EventPlace: Hashable, Sendable {
    /// The events after a position, oldest first.
    case after(Int64)
    /// The events before a position, newest first; nil, and a position beyond the end, begin at
    /// the end.
    case before(Int64?)
}
