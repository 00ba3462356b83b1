import AppStore
import Intake
import LedgerTestSupport
import Signing
import TestSupport

@testable import Service

extension TemporaryLedger {
    /// Runs a service of this ledger while `body` does, by one of these clocks.
    func serve<Value>(
        _ configuration: ServiceConfiguration? = nil, roots: TrustedRoots? = nil,
        responders: (any RevocationTransport)? = nil,
        observer: any ServingObserver = NoServingObserver(),
        waitLimit: Duration = ServedLedger.waitLimit,
        at now: Timestamp = TemporaryLedger.end, by manual: ManualClock? = nil,
        clock: (@Sendable () -> Timestamp)? = nil,
        _ body: (LedgerHost) async throws -> Value
    ) async throws -> Value {
        try await Gate.ledgers.pass {
            let host = try await LedgerHost.open(
                configuration ?? ServiceConfiguration(self.configuration),
                environments: [environment], roots: roots ?? self.roots, responders: responders,
                observer: observer, steady: nil, waitLimit: waitLimit,
                clock: clock ?? { manual?.now ?? now })
            async let running: Void = host.run()
            let result = await Result { try await body(host) }
            host.stop()
            await running
            return try result.get()
        }
    }

    /// What the doctor finds in it.
    func examined(
        at now: Timestamp? = nil, _ change: (inout ServiceConfiguration) -> Void = { _ in }
    ) async -> [Doctor.Finding] {
        var configuration = ServiceConfiguration(configuration)
        change(&configuration)
        return await Doctor(
            configuration: configuration, environment: environment, roots: roots,
            now: now ?? self.now
        ).examine()
    }
}
