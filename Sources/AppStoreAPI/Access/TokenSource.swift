import AppStore
import Signing
import Synchronization

/// The bearer token of an app: created on demand and reused until shortly before it expires.
final class TokenSource: Sendable {
    private struct State {
        var token: String?
        /// Seconds since the epoch, by Apple's clock if known.
        var issuedAt: Int64 = 0
        /// Apple's clock minus the local clock.
        var correctionMilliseconds: Int64 = 0
    }

    private let credentials: APICredentials
    private let state = Mutex(State())

    init(_ credentials: APICredentials) { self.credentials = credentials }

    /// A token valid for at least `APILimits.tokenMarginSeconds` more.
    func token(at now: Timestamp) throws(SigningError) -> String {
        let credentials = credentials
        return try state.withLock { (state) throws(SigningError) in
            let seconds =
                now.advanced(byMilliseconds: state.correctionMilliseconds)
                .milliseconds / 1_000
            let lasts = state.issuedAt + APILimits.tokenLifeSeconds - APILimits.tokenMarginSeconds
            // Also renewed after the clock was set back, because the old token may be dated in the
            // future.
            if let token = state.token, seconds >= state.issuedAt, seconds < lasts { return token }
            let token = try credentials.requestToken(issuedAtSeconds: seconds)
            state.token = token
            state.issuedAt = seconds
            return token
        }
    }

    /// Apple rejected `token`: the next one is created, by Apple's clock if the response stated it.
    /// If another task has already replaced the token, its token is kept.
    func refused(_ token: String, appleDate date: Timestamp?, at now: Timestamp) {
        state.withLock { state in
            guard state.token == token else { return }
            state.token = nil
            guard let date else { return }
            let difference = date.milliseconds(since: now)
            let isOff = difference.magnitude > UInt64(APILimits.clockToleranceMilliseconds)
            state.correctionMilliseconds = isOff ? difference : 0
        }
    }

    /// Apple's clock minus the local clock; 0 unless Apple rejected a token because of the
    /// difference.
    var correctionMilliseconds: Int64 { state.withLock { $0.correctionMilliseconds } }
}
