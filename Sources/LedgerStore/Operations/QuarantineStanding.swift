/// Why an input is kept, which decides how long (`design.md` §6).
public enum QuarantineStanding: String, Sendable, CaseIterable {
    /// Apple signed it, for an app configured here: always kept.
    case genuineConfigured
    /// Apple signed it, for an app not configured here: kept while there is room.
    case genuineForeign
    /// Nobody we trust vouches for it: a bounded copy, the oldest dropped first.
    case unverifiable
    /// A version 1 notification that names an app configured here without its shared secret, so that
    /// nobody can tell whether Apple sent it; or that has another password than its secret, and inside
    /// a receipt that Apple signed for the app, so that the secret here may be the wrong one. Kept
    /// whole while there is room. Nothing pushes it out, since everybody can name the app.
    case awaitingSecret

    /// The integer stored in `quarantine.standing`.
    package var code: Int64 {
        switch self {
        case .genuineConfigured: 1
        case .genuineForeign: 2
        case .unverifiable: 3
        case .awaitingSecret: 4
        }
    }

    /// Nil for a code this release does not know.
    package init?(code: Int64) {
        guard let standing = QuarantineStanding.allCases.first(where: { $0.code == code }) else {
            return nil
        }
        self = standing
    }
}
