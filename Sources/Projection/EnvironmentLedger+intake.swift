public import AppStore
public import Intake
public import Ledger
public import Signing

extension Ingest {
    /// Takes files into an open environment.
    public init(
        ledger: EnvironmentLedger, apps: [Configuration.App], verifier: EvidenceVerifier,
        source: EventSource = .import, isEnvironmentNamed: Bool = true, keepsRefused: Bool = true,
        revocation: RevocationChecks? = nil, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.init(
            log: ledger.log, quarantine: ledger.operations, environment: ledger.environment,
            apps: apps, otherApps: ledger.otherApps, verifier: verifier, source: source,
            isEnvironmentNamed: isEnvironmentNamed, keepsRefused: keepsRefused,
            revocation: revocation, clock: clock)
    }
}

extension Quarantine {
    /// The quarantine of an open environment.
    public init(ledger: EnvironmentLedger) {
        self.init(
            log: ledger.log, store: ledger.operations, environment: ledger.environment,
            otherApps: ledger.otherApps)
    }
}
