import AppStore

/// Where the API is.
public struct APIHosts: Sendable, Equatable {
    /// Scheme, host and perhaps a path, without a slash at the end.
    let production: String
    let sandbox: String

    /// Apple's own hosts (App Store Server API, documented since 2026-05).
    public static let apple = APIHosts(
        production: "https://api.storekit.apple.com",
        sandbox: "https://api.storekit-sandbox.apple.com")

    /// Apple's hosts of verifyReceipt.
    public static let verifyReceipt = APIHosts(
        production: "https://buy.itunes.apple.com", sandbox: "https://sandbox.itunes.apple.com")

    /// One address in place of both: a simulator's, or a test's.
    public init(baseUrl: String) {
        var base = baseUrl[...]
        while base.hasSuffix("/") { base.removeLast() }
        self.init(production: String(base), sandbox: String(base))
    }

    /// One address each, without a slash at the end.
    package init(production: String, sandbox: String) {
        self.production = production
        self.sandbox = sandbox
    }

    func base(_ environment: Environment) -> String {
        environment == .production ? production : sandbox
    }
}
