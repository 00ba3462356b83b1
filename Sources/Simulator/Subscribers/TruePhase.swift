/// The pricing of a period (`Lifecycle.md` §2, `phase`).
public enum TruePhase: String, Sendable, CaseIterable {
    case trial
    case intro
    case offer
    case standard
}
