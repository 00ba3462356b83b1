/// The columns of a roll-forward between what was active at its start and at its end (`metrics.md`).
public enum RollForwardColumn: Hashable, Sendable {
    case gained(Gain)
    /// Paid variant: from a trial.
    case converted
    /// Money: more for a chain that was paid before and after, within one group.
    case expansion
    /// From another group, or from what a filter left out.
    case movedIn
    case movedOut
    /// Paid variant: into a trial.
    case toFree
    /// Money: less for a chain that was paid before and after, within one group.
    case contraction
    case churned(EndReason)

    /// In the order of the contract's keys.
    public static let all: [RollForwardColumn] =
        Gain.allCases.map { .gained($0) } + [
            .converted, .expansion, .movedIn, .movedOut, .toFree, .contraction,
        ] + EndReason.allCases.map { .churned($0) }

    /// Whether it adds to what is active; the others take away.
    public var isGain: Bool {
        switch self {
        case .gained, .converted, .expansion, .movedIn: true
        case .movedOut, .toFree, .contraction, .churned: false
        }
    }
}
