import AppStore
import Signing

/// The access tokens of the service, stored as SHA-256 digests only.
public struct AccessTokens: Sendable {
    private let entries: [ServiceConfiguration.Server.Token]

    /// Longest token that is hashed, bytes.
    public static let maximumTokenByteCount = 4_096

    /// The authenticated client: the token's name and scopes, or those of a proxy's user.
    public struct Principal: Sendable, Equatable {
        public let name: String
        public let scopes: Set<Scope>
        /// Whether a proxy authenticated it (`ServiceConfiguration.Server.proxyUsers`).
        public let isProxyUser: Bool

        public init(name: String, scopes: Set<Scope>, isProxyUser: Bool = false) {
            self.name = name
            self.scopes = scopes
            self.isProxyUser = isProxyUser
        }
    }

    public init(_ tokens: [ServiceConfiguration.Server.Token]) { entries = tokens }

    /// Whether no token is required.
    public var isEmpty: Bool { entries.isEmpty }

    /// Whether a token has this name.
    public func isName(_ name: String) -> Bool { entries.map(\.name).contains(name) }

    /// The principal of a token; nil for an unknown one. Runs in constant time, whichever token
    /// matches and however much of a digest agrees.
    public func principal(of token: some Collection<UInt8>) -> Principal? {
        guard token.count <= AccessTokens.maximumTokenByteCount else { return nil }
        return principal(ofDigest: SHA256.hash(Array(token)))
    }

    /// The same by the token's SHA-256.
    public func principal(ofDigest digest: Digest) -> Principal? {
        var found: ServiceConfiguration.Server.Token?
        for entry in entries where entry.digest.equalsInConstantTime(digest) { found = entry }
        return found.map { Principal(name: $0.name, scopes: Set($0.scopes)) }
    }
}
