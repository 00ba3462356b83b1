import AppStore
import Signing
import Synchronization

/// The bearer token of an app: made when needed, used again until shortly before it expires.
final class TokenSource: Sendable {
    private struct State {
        var token: String?
        /// Seconds since the epoch, by Apple's clock as far as it is known.
        var issuedAt: Int64 = 0
        /// What has to be added to this machine's clock to have Apple's.
        var correctionMilliseconds: Int64 = 0
    }

    private let credentials: APICredentials
    private let state = Mutex(State())

    init(_ credentials: APICredentials) { self.credentials = credentials }

    /// A token that holds for at least `APILimits.tokenMarginSeconds` more.
    func token(at now: Timestamp) throws(MintingError) -> String {
        let credentials = credentials
        return try state.withLock { (state) throws(MintingError) in
            let seconds =
                now.advanced(byMilliseconds: state.correctionMilliseconds)
                .milliseconds / 1_000
            let lasts = state.issuedAt + APILimits.tokenLifeSeconds - APILimits.tokenMarginSeconds
            // A clock that was set back makes a new one, too: the old one may be of the future.
            if let token = state.token, seconds >= state.issuedAt, seconds < lasts { return token }
            let token = try ClientToken(
                keyId: credentials.keyId, issuerId: credentials.issuerId,
                bundleId: credentials.bundleId, issuedAtSeconds: seconds,
                lifeSeconds: APILimits.tokenLifeSeconds
            ).sign(with: credentials.key)
            state.token = token
            state.issuedAt = seconds
            return token
        }
    }

    /// Apple refused `token`: the next one is made anew, by Apple's clock where it told it.
    /// Another task may have done so already; then its token stays.
    func refused(_ token: String, appleSays date: Timestamp?, at now: Timestamp) {
        state.withLock { state in
            guard state.token == token else { return }
            state.token = nil
            guard let date else { return }
            let difference = date.milliseconds(since: now)
            let isOff = difference.magnitude > UInt64(APILimits.clockToleranceMilliseconds)
            state.correctionMilliseconds = isOff ? difference : 0
        }
    }

    /// What has to be added to this machine's clock to have Apple's; 0 unless Apple refused a token
    /// because of it.
    var correctionMilliseconds: Int64 { state.withLock { $0.correctionMilliseconds } }
}
