import AppStore
internal import AppStoreAPI
import Foundation
public import Intake

extension ServiceConfiguration {
    /// How clients reach the service (`Contract.md`, `server:`).
    public struct Server: Sendable, Equatable {
        /// The name or address to listen on. Without tokens, loopback only.
        public var host: String = "127.0.0.1"
        public var port: Int = 8080
        public var tokens: [Token] = []
        public var tls: TLS?
        /// How people reach the service, without a path: `https://ledger.example.com`.
        public var publicUrl: String?
        /// Proxies whose X-Forwarded-For is trusted; without any the header is ignored.
        public var trustedProxies: [NetworkRange] = []
        /// How one of these proxies names its user to the console; nil: not at all.
        public var proxyUsers: ProxyUsers?
        /// Networks that may send notifications; empty: any, since notifications are signed.
        public var notificationNetworks: [NetworkRange] = []
        public var log = Log()
        /// Whether the service detects outages and recovers from them, for apps with an API key.
        public var recovers = true
        /// Whether the service reconciles chains with open notices, for apps with an API key.
        public var reconcile = true

        public init() {}

        /// A token's name, digest and scopes.
        public struct Token: Sendable, Equatable {
            public var name: String
            /// SHA-256 of the token.
            public var digest: Digest
            public var scopes: [Scope]

            /// A token with at least one scope; no other may have its digest.
            public init(name: String, digest: Digest, scopes: [Scope]) {
                self.name = name
                self.digest = digest
                self.scopes = scopes
            }
        }

        /// The header in which a trusted proxy that authenticates names the user.
        public struct ProxyUsers: Sendable, Equatable {
            public var header: String
            /// What every such user may do in the console.
            public var scopes: [Scope]

            /// A header other than Authorization and Cookie, and at least one scope. It requires
            /// trusted proxies and tokens.
            public init(header: String, scopes: [Scope]) {
                self.header = header
                self.scopes = scopes
            }
        }

        /// PEM files, read again on SIGHUP.
        public struct TLS: Sendable, Equatable {
            public var certificateFile: String
            public var privateKeyFile: String

            /// The paths of the certificate chain and of its key.
            public init(certificateFile: String, privateKeyFile: String) {
                self.certificateFile = certificateFile
                self.privateKeyFile = privateKeyFile
            }
        }

        /// What is written to standard error.
        public struct Log: Sendable, Equatable {
            public var format = Format.text
            public var level = Level.info

            public init() {}

            public enum Format: String, Sendable, CaseIterable {
                case text
                case json
            }

            public enum Level: String, Sendable, CaseIterable {
                case debug
                case info
                case notice
                case warning
                case error
            }
        }

        /// Throws `invalidValue` when it would listen beyond loopback without tokens.
        public func requireGuarded() throws(ConfigurationError) {
            guard tokens.isEmpty, !NetworkRange.isLoopback(host) else { return }
            throw ConfigurationError(
                .invalidValue, key: "server.host",
                reason: "Without server.tokens only loopback is allowed: 127.0.0.1, ::1 or"
                    + " localhost.")
        }
    }

    mutating func readServer(_ mapping: inout YAMLMapping) throws(ConfigurationError) {
        server.host =
            try mapping.text(
                "host", "An address or a name is expected, without a port: it is server.port.",
                where: NetworkRange.isHost) ?? server.host
        if let port = try mapping.integer("port") {
            guard (0...65_535).contains(port) else {
                throw mapping.invalid("port", "0 to 65535.")
            }
            server.port = Int(port)
        }
        for var token in try mapping.mappings("tokens") {
            let read = try ServiceConfiguration.token(&token)
            guard !server.tokens.contains(where: { $0.digest == read.digest }) else {
                throw token.invalid("sha256", "An earlier token has the same; remove one of them.")
            }
            server.tokens.append(read)
        }
        // They may be commented out by mistake; without any the whole service is open.
        guard !server.tokens.isEmpty || !mapping.keys.contains("tokens") else {
            throw mapping.invalid("tokens", "At least one is expected; omit the key for none.")
        }
        server.tls = try mapping.read("tls") { (tls) throws(ConfigurationError) in
            Server.TLS(
                certificateFile: try tls.required("certificateFile"),
                privateKeyFile: try tls.required("privateKeyFile"))
        }
        server.publicUrl = try mapping.text(
            "publicUrl", "An address without a path is expected, e.g. https://ledger.example.com.",
            where: Server.isOrigin)
        server.trustedProxies = try ServiceConfiguration.networks(
            mapping.texts("trustedProxies"), mapping.name("trustedProxies"))
        if var users = try mapping.presentMapping("proxyUsers") {
            server.proxyUsers = try ServiceConfiguration.proxyUsers(&users, server)
        }
        server.notificationNetworks = try ServiceConfiguration.networks(
            mapping.values("notificationNetworks"), mapping.name("notificationNetworks"))
        server.recovers = try mapping.isOn("recovery") ?? server.recovers
        server.reconcile = try mapping.isOn("reconcile") ?? server.reconcile
        if var log = try mapping.mapping("log") {
            try log.choose("format", &server.log.format)
            try log.choose("level", &server.log.level)
            try log.requireNothingElse()
        }
        try mapping.requireNothingElse()
    }

    private static func token(
        _ mapping: inout YAMLMapping
    ) throws(ConfigurationError) -> Server.Token {
        let name = try mapping.required("name")
        let hexadecimal = try mapping.required("sha256")
        let names = try mapping.texts("scopes")
        try mapping.requireNothingElse()
        let scopes = try ServiceConfiguration.scopes(names, &mapping)
        guard let digest = Digest(hexadecimal: hexadecimal.lowercased()) else {
            throw mapping.invalid(
                "sha256",
                "64 hexadecimal digits are expected: the SHA-256 of the token, as"
                    + " `printf %s TOKEN | sha256sum` prints it.")
        }
        return Server.Token(name: name, digest: digest, scopes: scopes)
    }

    /// Requires tokens: without them the console has no sign-in.
    private static func proxyUsers(
        _ mapping: inout YAMLMapping, _ server: Server
    ) throws(ConfigurationError) -> Server.ProxyUsers {
        let header = try mapping.required("header")
        let names = try mapping.texts("scopes")
        try mapping.requireNothingElse()
        let scopes = try ServiceConfiguration.scopes(names, &mapping)
        let isName = header.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        // Their values are secrets, and the user's name is logged.
        guard isName, !["authorization", "cookie"].contains(header.lowercased()) else {
            throw mapping.invalid(
                "header", "A header other than Authorization and Cookie, e.g. X-Forwarded-User.")
        }
        guard !server.trustedProxies.isEmpty, !server.tokens.isEmpty else {
            throw mapping.invalid(
                "header", "It needs server.trustedProxies, which send it, and server.tokens.")
        }
        return Server.ProxyUsers(header: header, scopes: scopes)
    }

    private static func scopes(
        _ names: [String], _ mapping: inout YAMLMapping
    ) throws(ConfigurationError) -> [Scope] {
        guard !names.isEmpty else {
            throw ConfigurationError(
                .missingKey, key: mapping.name("scopes"),
                reason:
                    "At least one of \(Scope.allCases.map(\.rawValue).joined(separator: ", ")) is"
                    + " required.")
        }
        return try names.map { (scope) throws(ConfigurationError) in
            try mapping.choice(scope, of: "scopes")
        }
    }

    private static func networks(
        _ texts: [String], _ key: String
    ) throws(ConfigurationError) -> [NetworkRange] {
        try texts.map { (text) throws(ConfigurationError) in
            guard let range = NetworkRange(text) else {
                throw ConfigurationError(
                    .invalidValue, key: key,
                    reason: "Networks are expected, e.g. 17.0.0.0/8 or 2001:db8::/32.")
            }
            return range
        }
    }
}

extension ServiceConfiguration.Server {
    /// The prefix of the console's addresses: `publicUrl`, else the loopback address it listens on;
    /// empty without either.
    package var consoleOrigin: String {
        if let publicUrl { return publicUrl }
        guard NetworkRange.isLoopback(host), port > 0 else { return "" }
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(tls == nil ? "http" : "https")://\(name):\(port)"
    }

    /// Longest `publicUrl`, in bytes.
    static let publicUrlByteCount = 256

    /// Whether a text is an http or https address without a path (RFC 6454 §6.2) and with a usable
    /// port, if any.
    static func isOrigin(_ text: String) -> Bool {
        guard text.utf8.count <= publicUrlByteCount,
            let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) })
        else { return false }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        return !rest.isEmpty && URLComponents(string: text)?.hasUsablePort ?? false
            && rest.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !"/?#@\"<>\\".utf8.contains(byte)
            }
    }
}
