internal import AppStore
internal import Service
internal import Signing
import Synchronization

/// Sessions of browsers that signed in with a token, in memory: random 256-bit keys, of which only
/// the digests are kept. A restart or a removed token ends them.
final class ConsoleSessions: Sendable {
    /// Longest life of a session, and its longest time without a request.
    static let lifetime: Duration = .seconds(12 * 3_600)
    static let idleLimit: Duration = .seconds(30 * 60)
    /// Maximum sessions; beyond it the one idle longest ends.
    static let maximumCount = 1_000
    /// Bytes of a key: 256 bits.
    private static let keyByteCount = 32

    private struct Session {
        let tokenDigest: Digest
        let startedAt: ContinuousClock.Instant
        var usedAt: ContinuousClock.Instant
    }

    private let tokens: AccessTokens
    private let sessions = Mutex<[Digest: Session]>([:])

    init(_ tokens: AccessTokens) { self.tokens = tokens }

    /// Starts a session; nil for a token that is not configured.
    ///
    /// Returns the key for the cookie.
    func start(token: [UInt8], at now: ContinuousClock.Instant = .now) -> String? {
        guard tokens.principal(of: token) != nil else { return nil }
        let bytes = (0..<ConsoleSessions.keyByteCount).map { _ in UInt8.random(in: .min ... .max) }
        let key = String(decoding: Base64.url.encode(bytes), as: UTF8.self)
        let session = Session(
            tokenDigest: SHA256.hash(token), startedAt: now, usedAt: now)
        sessions.withLock { sessions in
            sessions = sessions.filter { !ConsoleSessions.isOver($0.value, now) }
            if sessions.count >= ConsoleSessions.maximumCount,
                let idle = sessions.min(by: { $0.value.usedAt < $1.value.usedAt })
            {
                sessions[idle.key] = nil
            }
            sessions[SHA256.hash(Array(key.utf8))] = session
        }
        return key
    }

    /// The principal of a session; nil for one that is unknown or over.
    ///
    /// - Parameter isUse: whether it counts as a request of the viewer's, and not of a script's.
    func principal(
        of key: String, isUse: Bool = true, at now: ContinuousClock.Instant = .now
    ) -> AccessTokens.Principal? {
        guard key.utf8.count <= AccessTokens.maximumTokenByteCount else { return nil }
        let id = SHA256.hash(Array(key.utf8))
        let digest = sessions.withLock { sessions -> Digest? in
            guard var session = sessions[id] else { return nil }
            guard !ConsoleSessions.isOver(session, now) else {
                sessions[id] = nil
                return nil
            }
            if isUse { session.usedAt = now }
            sessions[id] = session
            return session.tokenDigest
        }
        return digest.flatMap { tokens.principal(ofDigest: $0) }
    }

    func end(_ key: String) {
        let id = SHA256.hash(Array(key.utf8))
        sessions.withLock { $0[id] = nil }
    }

    private static func isOver(_ session: Session, _ now: ContinuousClock.Instant) -> Bool {
        session.startedAt.duration(to: now) > lifetime
            || session.usedAt.duration(to: now) > idleLimit
    }
}
