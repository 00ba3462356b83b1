import AppStore

/// Base addresses of the API.
public struct APIHosts: Sendable, Equatable {
    /// Scheme, host and optional path, without a trailing slash.
    let production: String
    let sandbox: String

    /// Apple's own hosts (App Store Server API, documented since 2026-05).
    public static let apple = APIHosts(
        production: "https://api.storekit.apple.com",
        sandbox: "https://api.storekit-sandbox.apple.com")

    /// Apple's hosts for verifyReceipt.
    public static let verifyReceipt = APIHosts(
        production: "https://buy.itunes.apple.com", sandbox: "https://sandbox.itunes.apple.com")

    /// One address for both, such as a simulator's.
    public init(baseUrl: String) {
        var base = baseUrl[...]
        while base.hasSuffix("/") { base.removeLast() }
        self.init(production: String(base), sandbox: String(base))
    }

    /// One address each, without a trailing slash.
    package init(production: String, sandbox: String) {
        self.production = production
        self.sandbox = sandbox
    }

    func base(_ environment: Environment) -> String {
        environment == .production ? production : sandbox
    }
}
