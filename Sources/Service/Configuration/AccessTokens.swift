import AppStore
internal import Intake
import Signing

/// The tokens that open the service, known by their SHA-256 only.
public struct AccessTokens: Sendable {
    private let entries: [ServiceConfiguration.Server.Token]

    /// Longest token looked at, bytes.
    public static let maximumTokenByteCount = 4_096

    /// Who asks: the token's name, and what it may be used for.
    public struct Principal: Sendable, Equatable {
        public let name: String
        public let scopes: Set<Scope>
    }

    public init(_ tokens: [ServiceConfiguration.Server.Token]) { entries = tokens }

    /// Whether nobody is asked for a token.
    public var isEmpty: Bool { entries.isEmpty }

    /// Whose token it is; nil for nobody's. Takes the same time whichever it is, and however much
    /// of a digest agrees.
    public func principal(of token: some Collection<UInt8>) -> Principal? {
        guard token.count <= AccessTokens.maximumTokenByteCount else { return nil }
        let digest = SHA256.hash(Array(token))
        var found: ServiceConfiguration.Server.Token?
        for entry in entries where entry.digest.equalsInConstantTime(digest) { found = entry }
        return found.map { Principal(name: $0.name, scopes: Set($0.scopes)) }
    }
}
