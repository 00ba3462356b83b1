import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Projection
import Service

/// Apps, their clients, and the ledgers for the responses of a command that calls Apple. `result`
/// closes everything.
struct Asking {
    let apps: [Configuration.App]
    let books: EnvironmentLedgers
    let transport: HTTPTransport
    private let settings: Settings

    /// - Parameter takesSeveral: whether all apps with a key are meant where none is named.
    ///
    /// Throws when there is no key, or when several apps have one and none is named.
    init(_ settings: Settings, _ access: APIOptions, takesSeveral: Bool = false) throws {
        self.settings = settings
        apps =
            takesSeveral ? try settings.askedApps(access) : [try settings.askedApp(access)]
        let (accepted, verifier) = (try settings.requiredApps(), try settings.verifier())
        // Last, because nothing may throw once there is something to close.
        transport = HTTPTransport()
        books = EnvironmentLedgers(
            settings.configuration.ledger, apps: accepted, verifier: verifier,
            revocation: settings.revocation(transport)
        ) { Console.now }
    }

    /// The client of the only app.
    func client() throws(CommandFailure) -> AppStoreServerAPIClient {
        try settings.client(for: apps[0], transport)
    }

    /// The clients of all apps.
    func clients() throws(CommandFailure) -> [BundleId: AppStoreServerAPIClient] {
        var clients: [BundleId: AppStoreServerAPIClient] = [:]
        for app in apps { clients[app.bundleId] = try settings.client(for: app, transport) }
        return clients
    }

    /// The result of `body`, once connections and ledgers are closed.
    func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await transport.close()
        await books.close()
        return result
    }

    /// Brings every ledger's derived data up to the log. No requests follow. Returns the failure;
    /// one ledger's failure does not stop the others.
    func project() async -> Result<Void, any Error> {
        var result: Result<Void, any Error> = .success(())
        for ledger in books.surrender() {
            let derived = await settings.catchUp(appended: ledger)
            if case .success = result { result = derived }
        }
        return result
    }

    /// Closes a caught-up session.
    func close(_ session: LedgerSession) async {
        let others = books.surrender().filter { $0.environment != session.ledger.environment }
        await session.close()
        for ledger in others { await ledger.close() }
    }
}

extension SharedOptions {
    /// Whether the operator named an environment.
    var isEnvironmentStated: Bool {
        environment != nil || ProcessInfo.processInfo.environment["SUBLEDGER_ENVIRONMENT"] != nil
    }

    /// Which environment to query: the named one, else Production and then Sandbox.
    func choice(_ settings: Settings) -> EnvironmentChoice {
        isEnvironmentStated ? .only(settings.environment) : .productionFirst
    }
}

extension CommandFailure {
    init(_ failure: AppleRequestFailure) {
        switch failure {
        case .apple(let failure): self.init(failure)
        case .store(let error): self.init(error)
        }
    }
}
