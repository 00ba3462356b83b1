import AppStore

/// All faults between Apple and a receiver: outages, a script, and random ones from a seed. The
/// first that matches an attempt applies, in this order.
public struct DeliveryFaults: Sendable, Equatable {
    public var outages: [DeliveryOutage] = []
    public var rules: [DeliveryFaultRule] = []
    public var chance: RandomDeliveryFaults?

    public init() {}

    /// The rule that applies to each notification, by its index in the records.
    func scripted(_ books: ServedRecords) -> [Int: DeliveryFaultRule] {
        guard !rules.isEmpty else { return [:] }
        var counts: [NotificationType: Int] = [:]
        var found: [Int: DeliveryFaultRule] = [:]
        for (index, sent) in books.sent.enumerated() {
            let type = sent.notification.notificationType?.value
            if let type { counts[type, default: 0] += 1 }
            found[index] = rules.first { rule in
                guard let only = rule.only else { return rule.hits(index + 1) }
                return only == type && rule.hits(counts[only] ?? 0)
            }
        }
        return found
    }
}
