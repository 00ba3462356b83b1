import AppStore

/// Everything that goes wrong between Apple and a receiver: outages, a script, and chance from a
/// seed. Of several that fit an attempt the first counts, in this order.
public struct DeliveryFaults: Sendable, Equatable {
    public var outages: [DeliveryOutage] = []
    public var rules: [DeliveryFaultRule] = []
    public var chance: DeliveryChance?

    /// Nothing goes wrong.
    public init() {}

    /// The outage that an attempt begun at that time meets.
    func outage(_ date: Timestamp) -> DeliveryOutage? {
        outages.first { $0.window.contains(date) }
    }

    /// Which rule each notification meets, by its place in the books.
    func scripted(_ books: ServedBooks) -> [Int: DeliveryFaultRule] {
        guard !rules.isEmpty else { return [:] }
        var counts: [NotificationType: Int] = [:]
        var found: [Int: DeliveryFaultRule] = [:]
        for (index, sent) in books.sent.enumerated() {
            let type = sent.notification.notificationType?.value
            if let type { counts[type, default: 0] += 1 }
            found[index] = rules.first { rule in
                guard let only = rule.type else { return rule.hits(index + 1) }
                return only == type && rule.hits(counts[only] ?? 0)
            }
        }
        return found
    }
}
