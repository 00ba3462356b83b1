public import AppStore
public import Intake
import Ledger
public import LedgerStore
public import Projection
public import Signing
import Synchronization

/// The ledgers that take in Apple's responses, one per environment. Each is opened with its first
/// response, unless it is already open.
public final class EnvironmentLedgers: Sendable {
    private let configuration: Configuration
    private let apps: [Configuration.App]
    private let verifier: EvidenceVerifier
    private let revocation: RevocationChecks?
    let clock: @Sendable () -> Timestamp
    private let opened: Mutex<[Environment: EnvironmentLedger]>
    /// Ledgers that the caller opened and closes.
    private let lent: Set<Environment>
    private let opening = AsyncLock()

    /// `close` is not called on `ledgers`, which are open already.
    public init(
        _ configuration: Configuration, apps: [Configuration.App], verifier: EvidenceVerifier,
        revocation: RevocationChecks?, ledgers: [EnvironmentLedger] = [],
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.apps = apps
        self.verifier = verifier
        self.revocation = revocation
        self.clock = clock
        lent = Set(ledgers.map(\.environment))
        opened = Mutex(Dictionary(uniqueKeysWithValues: ledgers.map { ($0.environment, $0) }))
    }

    /// The environment's ledger. Throws the error of opening it.
    public func ledger(
        _ environment: Environment
    ) async throws(StoreError) -> EnvironmentLedger {
        if let ledger = opened.withLock({ $0[environment] }) { return ledger }
        return try await opening.pass { () async throws(StoreError) -> EnvironmentLedger in
            if let ledger = opened.withLock({ $0[environment] }) { return ledger }
            let ledger = try await EnvironmentLedger.open(configuration, environment: environment)
            opened.withLock { $0[environment] = ledger }
            return ledger
        }
    }

    /// Takes the signed parts of a response body into the environment's ledger: verified and
    /// appended like other evidence, with the source `history`; reports name the request.
    func take(
        _ body: [UInt8], named name: String, into environment: Environment
    ) async throws(StoreError) -> IngestSummary {
        try await Ingest(
            ledger: try await ledger(environment), apps: apps, verifier: verifier,
            source: .history, revocation: revocation, clock: clock
        ).run(lines: [body], input: name)
    }

    /// Every open ledger, in order of name.
    public var all: [EnvironmentLedger] {
        opened.withLock { Array($0.values) }.sorted {
            $0.environment.rawValue < $1.environment.rawValue
        }
    }

    /// Removes and returns the ledgers opened here, for the caller to close. No bodies can be taken
    /// in afterwards.
    public func takeOpened() -> [EnvironmentLedger] {
        let own = all.filter { !lent.contains($0.environment) }
        opened.withLock { opened in for ledger in own { opened[ledger.environment] = nil } }
        return own
    }

    /// Closes the ledgers opened here. No bodies can be taken in afterwards.
    public func close() async {
        for ledger in takeOpened() { await ledger.close() }
    }
}
