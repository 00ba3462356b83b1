import AppStore
import Simulator

/// Delivery disorder that must not change any answer (`Lifecycle.md` §2: order, duplicates and
/// batching change nothing). Every draw follows from the seed.
struct Adversity {
    private var random: SeededGenerator
    private static let day: Int64 = 86_400_000

    /// A generator for the seed.
    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The deliveries in random order.
    mutating func shuffled(_ deliveries: [Delivery]) -> [Delivery] {
        deliveries.shuffled(using: &random)
    }

    /// Adds repetitions of some deliveries, byte for byte, later.
    mutating func repeated(_ deliveries: [Delivery], percent: Int) -> [Delivery] {
        var result = deliveries
        for delivery in deliveries where random.chance(percent) {
            var again = delivery
            again.receivedAt = delivery.receivedAt.advanced(
                byMilliseconds: random.within(1000...Adversity.day))
            result.append(again)
        }
        return result
    }

    /// Delays some notifications to one of Apple's later attempts, at most six and a half days;
    /// returns them in order of arrival.
    mutating func delayed(_ deliveries: [Delivery], percent: Int) -> [Delivery] {
        var result = deliveries
        for index in result.indices where random.chance(percent) {
            guard case .notification = result[index].evidence else { continue }
            let attempts = 1 + random.below(DeliverySchedule.waitHours.count)
            let hours = DeliverySchedule.waitHours[..<attempts].reduce(0, +)
            result[index].receivedAt = result[index].receivedAt.advanced(
                byMilliseconds: hours * 3_600_000)
        }
        return Delivery.inOrderOfArrival(result)
    }

    /// Adds some statements from a second source: the content of a notification also arrives as an
    /// upload from the app, or as an item of a status response. Not the latter while payment is
    /// failing or the subscription is over: nested parts are signed milliseconds before their
    /// envelope, and rule 5 then uses the signing time itself.
    mutating func echoed(_ deliveries: [Delivery], percent: Int) -> [Delivery] {
        var result = deliveries
        var ordinal = (deliveries.map(\.ordinal).max() ?? 0) + 1
        for delivery in deliveries where random.chance(percent) {
            guard
                case .notification(let notification, let transaction?, let renewal) =
                    delivery.evidence
            else { continue }
            let evidence: Delivery.Evidence
            if let renewal, renewal.expirationIntent == nil, random.chance(50) {
                evidence = .pair(transaction, renewal, notification.data?.status)
            } else {
                evidence = .transaction(transaction)
            }
            result.append(
                Delivery(
                    ordinal: ordinal,
                    receivedAt: delivery.receivedAt.advanced(
                        byMilliseconds: random.within(1000...Adversity.day)),
                    evidence: evidence))
            ordinal += 1
        }
        return result
    }

    /// The deliveries in order, split into batches of one to `most`.
    mutating func batches(_ deliveries: [Delivery], most: Int) -> [[Delivery]] {
        var result: [[Delivery]] = []
        var rest = deliveries[...]
        while !rest.isEmpty {
            let size = min(rest.count, 1 + random.below(max(1, most)))
            result.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return result
    }

    /// All of it: repeated, delayed, echoed, and in random order.
    mutating func wild(_ deliveries: [Delivery]) -> [Delivery] {
        let echoes = echoed(deliveries, percent: 15)
        return shuffled(delayed(repeated(echoes, percent: 25), percent: 20))
    }
}
