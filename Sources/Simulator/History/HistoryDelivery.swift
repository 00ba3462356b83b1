public import AppStore

/// One delivery of a generated history. A class, because histories are put in order, and what was
/// signed is large.
public final class HistoryDelivery: Sendable {
    /// What arrived, and when.
    public let delivery: Delivery
    /// Which life it is of, by its place in the plan.
    let life: Int
    /// The truth about the life; stated with its last delivery only.
    public let truth: HistoryTruth?

    init(_ delivery: Delivery, life: Int, truth: HistoryTruth?) {
        self.delivery = delivery
        self.life = life
        self.truth = truth
    }
}

/// What was true of a life all of whose evidence has been told.
public struct HistoryTruth: Sendable {
    /// The seed that `SubscriberWorld` made the life from.
    public let seed: UInt64
    /// The chain.
    public let originalTransactionId: OriginalTransactionId
    /// What the ledger must say: adjacent intervals, in order.
    public let intervals: [TrueInterval]

    /// One line of a truth file: a JSON object without its line feed.
    public func line() -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 1_024)
        json.object { json in
            json.member("originalTransactionId", originalTransactionId)
            json.member("seed", String(seed))
            json.array("intervals", intervals) { json, interval in
                json.object { json in
                    json.member("state", interval.state.rawValue)
                    json.member("from", interval.from)
                    json.member("to", interval.to)
                    json.member("productId", interval.productId)
                    json.member("transactionId", interval.transactionId)
                    json.member("reason", interval.reason?.rawValue)
                }
            }
        }
        return json.bytes
    }
}
