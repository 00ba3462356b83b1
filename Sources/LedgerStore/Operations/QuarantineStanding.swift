/// Why an input is kept; determines for how long (`Log.md` §6).
public enum QuarantineStanding: String, Sendable, CaseIterable, StoredCode {
    /// Apple signed it, for an app configured here: always kept.
    case genuineConfigured
    /// Apple signed it, for an app not configured here; or it is signed under a certificate that
    /// Apple revoked. Kept while there is room.
    case genuineForeign
    /// No trusted signature: a bounded copy, the oldest dropped first.
    case unverifiable
    /// A version 1 notification that names an app configured here without its shared secret, so
    /// that it cannot be determined whether Apple sent it; or one with a password other than the
    /// secret but with a receipt that Apple signed for the app, so that the configured secret may
    /// be wrong. Kept whole while there is room. Never dropped for newer items, since anyone can
    /// send one that names the app.
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
}
