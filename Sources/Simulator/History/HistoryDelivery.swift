public import AppStore

/// One delivery of a generated history. A class, because deliveries are sorted and their payloads
/// are large.
public final class HistoryDelivery: Sendable {
    /// The delivery and its arrival time.
    public let delivery: Delivery
    /// The index of its life in the plan.
    let life: Int
    /// The truth about the life; present on its last delivery only.
    public let truth: HistoryTruth?

    init(_ delivery: Delivery, life: Int, truth: HistoryTruth?) {
        self.delivery = delivery
        self.life = life
        self.truth = truth
    }
}

/// The truth about a life whose evidence is complete.
public struct HistoryTruth: Sendable {
    /// The seed from which `SubscriberWorld` generates the life.
    public let seed: UInt64
    public let originalTransactionId: OriginalTransactionId
    /// What the ledger must report: adjacent intervals, in order.
    public let intervals: [TrueInterval]

    /// One line of a truth file: a JSON object without its line feed.
    public func line() -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 1_024)
        json.object { json in
            json.member("originalTransactionId", originalTransactionId)
            json.member("seed", String(seed))
            json.objects("intervals", intervals) { json, interval in
                json.member("state", interval.state.rawValue)
                json.member("from", interval.from)
                json.member("to", interval.to)
                json.member("productId", interval.productId)
                json.member("transactionId", interval.transactionId)
                json.member("reason", interval.reason?.rawValue)
            }
        }
        return json.bytes
    }
}
