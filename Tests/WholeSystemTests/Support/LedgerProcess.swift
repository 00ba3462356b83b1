import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Signing
import Simulator

/// A process that serves the ledger, from opening its files to its end: the server's intake and a
/// projector.
struct LedgerProcess {
    let directory: String
    let host: LedgerHost
    let served: ServedLedger
    let clock: VirtualClock
    let steps: Steps
    /// One per process: it caches verified certificates.
    let verifier = EvidenceVerifier(roots: TestAuthority.roots)
    private let projecting: CommandProjecting
    /// The latest projection.
    private(set) var snapshot: LedgerSnapshot?
    /// The newest acknowledged position.
    private(set) var acknowledged: Int64 = 0

    var ledger: EnvironmentLedger { served.ledger }

    static func start(
        _ directory: String, _ world: SmallWorld, clock: VirtualClock, steps: Steps
    ) async throws -> LedgerProcess {
        let host = try await LedgerHost.open(
            ServiceConfiguration(world.configuration(directory)), environments: [world.environment],
            roots: TestAuthority.roots, observer: StepObserver(steps: steps), steady: nil
        ) { clock.now }
        steps.begin(directory)
        steps.pass("opened")
        return LedgerProcess(
            directory: directory, host: host, served: try host.ledger(world.environment),
            clock: clock, steps: steps)
    }

    private init(
        directory: String, host: LedgerHost, served: ServedLedger, clock: VirtualClock,
        steps: Steps
    ) {
        self.directory = directory
        self.host = host
        self.served = served
        self.clock = clock
        self.steps = steps
        projecting = CommandProjecting(served.ledger) { [steps] progress in
            steps.pass("\(progress.phase)")
        }
    }

    /// Handles a notification from Apple; returns the result that Apple records.
    mutating func take(_ body: [UInt8]) async throws -> AttemptResult {
        steps.pass("posted")
        guard !steps.isDead else { return .noResponse }
        do throws(IntakeRefusal) {
            let receipt = try await host.takeNotification(body)
            if !steps.isDead { acknowledged = max(acknowledged, receipt.position) }
        } catch {
            guard steps.isDead else {
                throw Disagreement("A genuine notification was refused: \(error.code).")
            }
        }
        guard !steps.isDead else { return .prematureClose }
        steps.pass("acknowledged")
        return .success
    }

    /// Handles an upload from an app, or a response that its back end got from Apple; returns
    /// whether it was acknowledged.
    mutating func take(_ delivery: Delivery) async throws -> Bool {
        steps.pass("uploaded")
        guard !steps.isDead else { return false }
        let body = try SmallWorld.signer.line(delivery, isDated: false)
        if case .pair(_, _, .some) = delivery.evidence {
            let summary = try await intake.run(
                lines: [body], input: "allSubscriptionStatuses")
            guard summary.isClean || steps.isDead else {
                throw Disagreement("A genuine status was refused: \(summary.errors).")
            }
            if !steps.isDead { acknowledged = summary.position }
        } else {
            do throws(IntakeRefusal) {
                let position = try await host.takeUpload(try UploadBody(body)).position
                if !steps.isDead { acknowledged = max(acknowledged, position) }
            } catch {
                guard steps.isDead else {
                    throw Disagreement("A genuine upload was refused: \(error.code).")
                }
            }
        }
        return !steps.isDead
    }

    /// The intake of Apple's responses.
    var intake: Ingest {
        Ingest(
            ledger: ledger, apps: host.configuration.apps, verifier: verifier, source: .history
        ) { [clock, steps] in
            steps.pass("read")
            return clock.now
        }
    }

    /// Projects the log.
    mutating func project() async throws {
        steps.pass("projecting")
        guard !steps.isDead else { return }
        snapshot = try await projecting.snapshot()
        steps.pass("projected")
    }

    /// Requests a window from Apple, and records the missing notifications.
    func recover(
        _ request: RecoveryRequest, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> RecoveryReport {
        var recovery = Recovery(
            request, ledger: ledger, client: client, apps: host.configuration.apps,
            verifier: verifier, revocation: nil
        ) { [clock, steps] in
            steps.pass("read")
            return clock.now
        }
        // Concurrent requests would receive the run's faults in a nondeterministic order.
        recovery.width = 1
        return try await RecoveryRun(recovery) { [projecting] () async throws(StoreError) in
            try await projecting.snapshot()
        }.run { [steps] _ in steps.pass("recovered") }
    }

    /// Closes the files and removes the directory.
    func end() async throws {
        await projecting.close()
        try FileManager.default.removeItem(atPath: directory)
    }
}
