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
        self.init(production: baseUrl, sandbox: baseUrl)
    }

    /// One address each, such as a proxy's.
    public init(production: String, sandbox: String) {
        self.production = APIHosts.base(production)
        self.sandbox = APIHosts.base(sandbox)
    }

    /// The address without trailing slashes.
    private static func base(_ url: String) -> String {
        var base = url[...]
        while base.hasSuffix("/") { base.removeLast() }
        return String(base)
    }

    func base(_ environment: Environment) -> String {
        environment == .production ? production : sandbox
    }
}
