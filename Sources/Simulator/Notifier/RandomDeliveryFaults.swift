/// Random faults from a seed, independent for each attempt: the fault of one does not depend on the
/// outcome of another.
public struct RandomDeliveryFaults: Sendable, Equatable {
    /// Names the random sequence, also of the times from Apple to the receiver.
    let seed: UInt64
    private let isRough: Bool

    /// All faults of a bad network if `isRough`, otherwise none.
    public init(seed: UInt64, isRough: Bool) { (self.seed, self.isRough) = (seed, isRough) }

    static let longestLateness = 2 * Pace.day
    static let longestRepetition = Pace.day

    /// The fault of the `number`-th attempt for the notification.
    func fault(_ index: Int, _ number: Int) -> DeliveryFault? {
        guard isRough else { return nil }
        var random = RandomDeliveryFaults.generator(seed, index, number, salt: 0xFA)
        switch random.below(100) {
        case ..<4: return .lost
        case ..<9:
            return .late(milliseconds: random.within(1_000...RandomDeliveryFaults.longestLateness))
        case ..<15:
            return .duplicated(
                milliseconds: random.within(1_000...RandomDeliveryFaults.longestRepetition))
        case ..<21: return .reordered
        case ..<27: return .dropped
        case ..<35: return .refused(status: random.pick([500, 502, 503, 504]))
        case ..<40: return .unreachable
        default: return nil
        }
    }

    /// A generator for one attempt.
    static func generator(
        _ seed: UInt64, _ index: Int, _ number: Int, salt: UInt64
    ) -> SeededGenerator {
        var first = SeededGenerator(seed: seed ^ salt << 56)
        return SeededGenerator(seed: first.next() ^ UInt64(index) << 8 ^ UInt64(number))
    }
}
