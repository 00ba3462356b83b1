import AppStore
import Signing

/// The tokens that open the service, known by their SHA-256 only.
public struct AccessTokens: Sendable {
    private let entries: [Configuration.Server.Token]

    /// Longest token looked at, bytes.
    public static let maximumTokenByteCount = 4_096

    /// Who asks: the token's name, and what it may be used for.
    public struct Principal: Sendable, Equatable {
        public let name: String
        public let scopes: Set<Scope>
    }

    public init(_ tokens: [Configuration.Server.Token]) { entries = tokens }

    /// Whether nobody is asked for a token.
    public var isEmpty: Bool { entries.isEmpty }

    /// Whose token it is; nil for nobody's. Takes the same time whichever it is, and however much
    /// of a digest agrees.
    public func principal(of token: some Collection<UInt8>) -> Principal? {
        guard token.count <= AccessTokens.maximumTokenByteCount else { return nil }
        let digest = SHA256.hash(Array(token)).bytes
        var found: Configuration.Server.Token?
        for entry in entries where AccessTokens.areEqual(digest, entry.digest) { found = entry }
        return found.map { Principal(name: $0.name, scopes: Set($0.scopes)) }
    }

    /// Looks at every byte, whatever the first ones are.
    private static func areEqual(_ one: [UInt8], _ two: [UInt8]) -> Bool {
        var difference = UInt8(one.count == two.count ? 0 : 1)
        for index in 0..<min(one.count, two.count) { difference |= one[index] ^ two[index] }
        return difference == 0
    }
}
