/// Random faults from a seed, independent for each attempt: the fault of one does not depend on the
/// outcome of another.
public struct RandomDeliveryFaults: Sendable, Equatable {
    /// Names the random sequence.
    public var seed: UInt64
    /// Of 100 attempts, how many are lost although Apple records a success.
    public var lost = 0
    /// … start late, by up to two days.
    public var late = 0
    /// … arrive twice, the second time up to a day later.
    public var duplicated = 0
    /// … arrive after the one that follows.
    public var reordered = 0
    /// … arrive, and the response is lost.
    public var dropped = 0
    /// … are refused with a 5xx before the receiver sees them.
    public var refused = 0
    /// … get no response.
    public var unreachable = 0

    /// No faults until their shares are set.
    public init(seed: UInt64) { self.seed = seed }

    /// The shares of all faults on a bad network.
    public static func rough(seed: UInt64) -> RandomDeliveryFaults {
        var chance = RandomDeliveryFaults(seed: seed)
        (chance.lost, chance.late, chance.duplicated, chance.reordered) = (4, 5, 6, 6)
        (chance.dropped, chance.refused, chance.unreachable) = (6, 8, 5)
        return chance
    }

    static let longestLateness = 2 * Pace.day
    static let longestRepetition = Pace.day

    /// The fault of the `number`-th attempt for the notification.
    func fault(_ index: Int, _ number: Int) -> DeliveryFault? {
        var random = RandomDeliveryFaults.generator(seed, index, number, salt: 0xFA)
        var draw = random.below(100)
        func isNext(_ share: Int) -> Bool {
            draw -= share
            return draw < 0
        }
        if isNext(lost) { return .lost }
        if isNext(late) {
            return .late(milliseconds: random.within(1_000...RandomDeliveryFaults.longestLateness))
        }
        if isNext(duplicated) {
            return .duplicated(
                milliseconds: random.within(1_000...RandomDeliveryFaults.longestRepetition))
        }
        if isNext(reordered) { return .reordered }
        if isNext(dropped) { return .dropped }
        if isNext(refused) { return .refused(status: random.pick([500, 502, 503, 504])) }
        return isNext(unreachable) ? .unreachable : nil
    }

    /// A generator for one attempt.
    static func generator(
        _ seed: UInt64, _ index: Int, _ number: Int, salt: UInt64
    ) -> SeededGenerator {
        var first = SeededGenerator(seed: seed ^ salt << 56)
        return SeededGenerator(seed: first.next() ^ UInt64(index) << 8 ^ UInt64(number))
    }
}
