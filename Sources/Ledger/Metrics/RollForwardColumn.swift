/// The columns of a roll-forward between the active amounts at start and end (`Metrics.md`).
public enum RollForwardColumn: Hashable, Sendable {
    case gained(Gain)
    /// Paid variant: from a trial.
    case converted
    /// Money: an increase for a chain paid before and after, within one group.
    case expansion
    /// From another group, or from chains that a filter excludes.
    case movedIn
    case movedOut
    /// Paid variant: into a trial.
    case toFree
    /// Money: a decrease for a chain paid before and after, within one group.
    case contraction
    case churned(EndReason)

    /// In the order of the contract's keys.
    public static let all: [RollForwardColumn] =
        Gain.allCases.map { .gained($0) } + [
            .converted, .expansion, .movedIn, .movedOut, .toFree, .contraction,
        ] + EndReason.allCases.map { .churned($0) }

    /// Whether it adds to the active amount; the others subtract.
    public var isGain: Bool {
        switch self {
        case .gained, .converted, .expansion, .movedIn: true
        case .movedOut, .toFree, .contraction, .churned: false
        }
    }
}
