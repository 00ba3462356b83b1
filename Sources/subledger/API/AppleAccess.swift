import AppStore
import AppStoreAPI
import AppleSync
import Intake
import Service

/// Apps, their clients, and the ledgers for the responses of a command that calls Apple.
struct AppleAccess {
    let apps: [Configuration.App]
    let ledgers: EnvironmentLedgers
    /// Nil where the configuration checks no revocation.
    let revocation: RevocationChecks?
    private let transport: HTTPTransport
    private let settings: Settings

    /// - Parameter takesSeveral: whether all apps with a key are meant where none is named.
    ///
    /// Throws when there is no key, or when several apps have one and none is named.
    fileprivate init(_ settings: Settings, _ options: APIOptions, takesSeveral: Bool) throws {
        self.settings = settings
        apps =
            takesSeveral
            ? try settings.selectedApps(options)
            : [try settings.selectedApp(options.key, baseUrl: options.baseUrl)]
        let (accepted, verifier) = (try settings.requiredApps(), try settings.verifier())
        // Last, because nothing may throw once there is something to close.
        transport = HTTPTransport()
        revocation = settings.revocation(transport)
        ledgers = EnvironmentLedgers(
            settings.configuration.ledger, apps: accepted, verifier: verifier,
            revocation: revocation
        ) { Terminal.now }
    }

    /// The client of the only app.
    func client() throws -> AppStoreServerAPIClient {
        try settings.client(for: apps[0], transport)
    }

    /// The clients of all apps.
    func clients() throws -> [BundleId: AppStoreServerAPIClient] {
        try settings.clients(of: apps, transport)
    }

    /// The clients of the apps whose keys were read before.
    func clients(with keys: [BundleId: APICredentials]) -> [BundleId: AppStoreServerAPIClient] {
        apps.reduce(into: [:]) { clients, app in
            clients[app.bundleId] = keys[app.bundleId].map {
                settings.client(for: app, $0, transport)
            }
        }
    }

    /// Brings every ledger's derived data up to the log. No requests follow. Returns the failure;
    /// one ledger's failure does not stop the others.
    func project() async -> (any Error)? {
        var failure: (any Error)?
        for ledger in ledgers.takeOpened() {
            let latest = await settings.catchUp(appended: ledger)
            failure = failure ?? latest
        }
        return failure
    }

    /// Closes connections and ledgers.
    fileprivate func close() async {
        await transport.close()
        await ledgers.close()
    }
}

extension Settings {
    /// Runs `body` with access to Apple; connections and ledgers are closed afterwards.
    func withApple<Value>(
        _ options: APIOptions, takesSeveral: Bool = false,
        _ body: (AppleAccess) async throws -> Value
    ) async throws -> Value {
        let apple = try AppleAccess(self, options, takesSeveral: takesSeveral)
        warnOfOpenKeys(of: apple.apps)
        return try await closing(apple.close) { try await body(apple) }
    }

    /// Which environment to query: the named one, else Production and then Sandbox.
    var environmentChoice: EnvironmentChoice {
        isEnvironmentNamed ? .only(environment) : .productionFirst
    }
}
