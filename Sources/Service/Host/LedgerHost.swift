public import AppStore
import Foundation
public import Intake
import Ledger
public import LedgerStore
internal import Projection
public import Queries
public import Signing

/// All served environments on one endpoint: intake is routed by the signed environment, and each
/// environment answers from its own ledger.
public final class LedgerHost: Sendable {
    /// In the order production, sandbox, xcode, localTesting.
    public let ledgers: [ServedLedger]
    public let configuration: ServiceConfiguration
    /// The service's time: `clockWatch.now`.
    public let clock: @Sendable () -> Timestamp
    /// Whether the system clock is trusted.
    public let clockWatch: ClockWatch
    /// Makes a unique id.
    let makeId: @Sendable () -> String = { UUID().uuidString.lowercased() }
    /// The shared secrets that authenticate version 1 notifications, in every environment.
    let sharedSecrets: SharedSecrets
    let notifications: LiveIntake
    let uploads: LiveIntake
    /// Bounds what uploads add to one chain in a day.
    let uploadBudget: UploadBudget
    /// Large bodies are read one at a time.
    let largeBodies = AsyncLock()
    /// Uploads under one key are serialized: later ones reuse the record of the first.
    let uploadTurns = AsyncLock()
    public let observer: any ServingObserver
    /// The roots that evidence is verified against.
    public let roots: TrustedRoots
    /// Counts deliveries.
    let tally: IntakeTally
    /// Verifies the log, Apple's answers and evidence that operators take in again: without the
    /// budget of unknown certificate chains, which bounds clients.
    let verifier: EvidenceVerifier
    /// Work that operators started and do not wait for.
    let background = BackgroundTasks()
    /// The last suspected outages.
    public let outages = OutageRecord()
    /// Acts of operators under an Idempotency-Key, and the locks that serialize them by key and by
    /// name.
    let acts = ActMemory()
    let actKeyTurns = AsyncLock()
    let actTurns = AsyncLock()
    /// Decisions that were refused since the start.
    let refusedDecisions = RefusedDecisions()
    /// The clients of Apple and of the receivers of webhooks for operators, once set.
    public let reach = OperatorReach()
    /// The apps with an API key in the configuration, usable or not.
    public var appsWithKey: [BundleId] {
        configuration.apps.filter { $0.api != nil }.map(\.bundleId)
    }
    /// The apps with a usable API key, where Apple has the environment.
    public func appsWithClient(in environment: Environment) -> Set<BundleId> {
        LedgerHost.usualEnvironments.contains(environment) ? Set(reach.clients.keys) : []
    }
    /// Recoveries and audits that operators started.
    let recoveryJobs = RecoveryJobs()
    let auditRuns = AuditRuns()
    /// Long reports computed in the background, and the lock that serializes them.
    let reportJobs = ReportJobs()
    let jobTurns = AsyncLock()
    let pageAnswers = PageAnswers()
    /// Requests for retention messages.
    let retentionAnswers = RetentionAnswers()
    let retentionLimit: Duration
    /// Writers of retention records; the files are closed after them.
    let recording = BackgroundTasks()
    /// Checks the certificate chains of all evidence that is taken in, also from Apple's responses;
    /// nil if `verification.revocation` is `off`.
    public let revocation: RevocationChecks?
    /// Converts reports; nil: none is configured.
    let ratesFile: RatesFile?

    /// Environments that are always served; Xcode and LocalTesting are served only when configured,
    /// since Apple does not sign their data.
    public static let usualEnvironments: [Environment] = [.production, .sandbox]

    /// Opens the environments' files and creates missing ones. An environment that is named twice
    /// is opened once.
    ///
    /// - `steady`: a clock that is never set, to compare `clock` with (`ClockWatch`); nil: `clock`
    ///   is always trusted, also one that is not the system's.
    /// - `responders`: reaches OCSP responders, where the configuration has revocation checked;
    ///   without it every status is unknown.
    /// - `waitLimit`: how long a query waits for the projector before it fails.
    /// - `retentionLimit`: how long the answer to a request for a retention message may take.
    public static func open(
        _ configuration: ServiceConfiguration, environments: [Environment] = usualEnvironments,
        roots: TrustedRoots, responders: (any RevocationTransport)? = nil,
        observer: any ServingObserver = NoServingObserver(),
        steady: (@Sendable () -> Int64)? = ClockWatch.machineSteady(),
        waitLimit: Duration = ServedLedger.waitLimit,
        retentionLimit: Duration = LedgerHost.retentionLimit,
        clock: @escaping @Sendable () -> Timestamp
    ) async throws(StoreError) -> LedgerHost {
        let tally = IntakeTally(start: clock())
        let environments = environments.reduce(into: [Environment]()) { served, environment in
            if !served.contains(environment) { served.append(environment) }
        }
        let ledgers = try await openAll(environments, configuration, observer, waitLimit)
        let verifier = EvidenceVerifier(
            roots: roots, allowedLocalEnvironments: Set(environments))
        // Skips a database that could not be reached: each read would wait for it again.
        for served in ledgers where !served.isDatabaseAway {
            await RecentChains(served.ledger).learn(verifier)
        }
        return LedgerHost(
            ledgers, configuration, roots: roots, verifier: verifier,
            responders: responders, observer: observer, tally: tally,
            retentionLimit: retentionLimit,
            clockWatch: ClockWatch(wall: clock, steady: steady) { change in
                observer.noted(.clock(change))
            })
    }

    /// Opens the environments concurrently, since each waits for a database that does not answer.
    /// Where one cannot be opened all are closed.
    private static func openAll(
        _ environments: [Environment], _ configuration: ServiceConfiguration,
        _ observer: any ServingObserver, _ waitLimit: Duration
    ) async throws(StoreError) -> [ServedLedger] {
        typealias Opened = (environment: Environment, outcome: Outcome<ServedLedger>)
        let opened = await withTaskGroup(of: Opened.self) { group in
            for environment in environments {
                group.addTask {
                    let outcome = await Outcome { () throws(StoreError) in
                        try await LedgerHost.open(environment, configuration, observer, waitLimit)
                    }
                    return (environment, outcome)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.environment] = $1.outcome }
        }
        let all = environments.compactMap { opened[$0] }
        let ledgers = all.compactMap { try? $0.get() }
        for opened in all {
            do throws(StoreError) { _ = try opened.get() } catch {
                for served in ledgers { await served.ledger.close() }
                throw error
            }
        }
        return ledgers
    }

    private static func open(
        _ environment: Environment, _ configuration: ServiceConfiguration,
        _ observer: any ServingObserver, _ waitLimit: Duration
    ) async throws(StoreError) -> ServedLedger {
        let ledger = try await EnvironmentLedger.open(
            configuration.ledger, environment: environment)
        if ledger.hasLostOperations { observer.noted(.remark(environment, .operationsGone)) }
        let served = ServedLedger(ledger, observer: observer, waitLimit: waitLimit)
        // Failing to read it does not prevent the start.
        do throws(StoreError) { _ = try await ledger.log.head() } catch {
            served.noteStart(without: error)
        }
        return served
    }

    private init(
        _ ledgers: [ServedLedger], _ configuration: ServiceConfiguration, roots: TrustedRoots,
        verifier: EvidenceVerifier,
        responders: (any RevocationTransport)?, observer: any ServingObserver, tally: IntakeTally,
        retentionLimit: Duration, clockWatch: ClockWatch
    ) {
        self.ledgers = ledgers
        self.roots = roots
        self.retentionLimit = retentionLimit
        self.configuration = configuration
        ratesFile = configuration.ratesFile.map { RatesFile($0) }
        self.tally = tally
        self.verifier = verifier
        self.observer = observer
        self.clockWatch = clockWatch
        clock = { clockWatch.now }
        let sharedSecrets = SharedSecrets(configuration.apps + configuration.ledger.otherApps)
        self.sharedSecrets = sharedSecrets
        let revocation = RevocationChecks(
            configuration.verification.revocation, transport: responders,
            clock: { clockWatch.now }, report: { observer.learned($0) })
        self.revocation = revocation
        let uploadBudget = UploadBudget()
        self.uploadBudget = uploadBudget
        func intake(
            _ source: EventSource, _ chainBudget: CertificateChainBudget, _ budget: UploadBudget?,
            _ admits: @escaping @Sendable (AcceptedEvidence) -> Bool
        ) -> LiveIntake {
            LiveIntake(
                served: ledgers, apps: configuration.apps,
                verifier: verifier.budgeted(by: chainBudget), source: source,
                secrets: sharedSecrets, observer: observer, tally: tally, clockWatch: clockWatch,
                budget: budget, revocation: revocation, admits: admits)
        }
        // With notification networks configured, only they can use the budget of notifications.
        let isApart = !configuration.server.notificationNetworks.isEmpty
        let chainBudget = CertificateChainBudget()
        notifications = intake(.webhook, isApart ? CertificateChainBudget() : chainBudget, nil) {
            [.notification, .notificationV1].contains($0.kind)
        }
        uploads = intake(.client, chainBudget, uploadBudget) {
            [.transaction, .renewalPair, .receipt].contains($0.kind)
        }
        for served in ledgers { addErasureHandlers(to: served) }
        // One app's file does not keep the others from being served.
        noteUnusable(sharedSecrets.failures)
    }

    // MARK: Running

    /// Keeps every environment projected until `stop`; then checkpoints and closes the files.
    ///
    /// - `isServing`: false for a process beside the service. After its first state, it does not
    ///   replace projections built by other rules, and its queries fail with `otherRules`.
    public func run(isServing: Bool = true) async {
        let writing = ledgers.map { _ in AsyncStream<Void>.makeStream() }
        await withTaskGroup(of: Void.self) { group in
            for (ledger, writers) in zip(ledgers, writing) {
                group.addTask {
                    await ProjectionLoop(
                        served: ledger, isServing: isServing, otherWriters: writers.stream
                    ).run()
                }
            }
            // The first proof after the start need not read all leaves.
            background.start { [ledgers] in
                for ledger in ledgers { try? await ledger.proofs.prepare() }
            }
            group.addTask { [background] in await background.run() }
            group.addTask { [recording] in
                await recording.run()
                for writers in writing { writers.continuation.finish() }
            }
        }
    }

    /// Ends `run`. Call it after intake has stopped. Cancels the work that operators started; a
    /// recovery that is started again continues where it was.
    public func stop() {
        background.stop()
        recording.stop()
        for ledger in ledgers { ledger.stop() }
    }

    /// The change feed of every environment; each must be run and must end before `stop`.
    public func makeFeeds() -> [ChangeFeed] {
        ledgers.map { served in
            ChangeFeed(
                ledger: served.ledger, clock: SystemClock(clock),
                projections: { served.board.snapshot?.projections },
                isCurrent: { served.isCurrent })
        }
    }

    /// Reads the apps' shared secrets again and reports the result to the observer. An unusable
    /// file keeps the previous secret. Does nothing without configured secrets.
    public func reloadSharedSecrets() async {
        guard sharedSecrets.hasFiles else { return }
        let failures = await Blocking.run { [sharedSecrets] in sharedSecrets.reload() }
        noteUnusable(failures)
        guard failures.isEmpty else { return }
        observer.noted(
            ServingNote(
                .notice, "sharedSecretsReloaded", "The shared secrets were read again."))
    }

    private func noteUnusable(_ failures: [SharedSecrets.Failure]) {
        for failure in failures {
            observer.noted(
                ServingNote(
                    .error, "sharedSecretUnusable",
                    "The shared secret of \(failure.bundleId) is unusable. An earlier one stays in"
                        + " use; without one, version 1 notifications of the app are refused"
                        + " (sharedSecretMissing). \(failure.error)"))
        }
    }

    // MARK: Queries

    /// The ledger of an environment. Throws `environmentNotServed`.
    public func ledger(_ environment: Environment) throws(ServingError) -> ServedLedger {
        guard let found = ledgers.first(where: { $0.environment == environment }) else {
            throw .environmentNotServed(environment)
        }
        return found
    }

    /// The ledgers that Apple answers for, each with this node's lease of a task.
    func usualLedgers(for task: ExclusiveTask) -> [(served: ServedLedger, lease: KeptLease)] {
        ledgers.filter { LedgerHost.usualEnvironments.contains($0.environment) }
            .map { ($0, KeptLease(task, in: $0.ledger)) }
    }

    // MARK: Intake

    /// Largest body that Apple may post, of either version.
    public static let notificationByteCount = NotificationBody.maximumByteCount

    /// Appends a notification that Apple posted. Returns once the event is durable or a known
    /// duplicate.
    ///
    /// Bodies larger than version 2 allows are read one at a time, since any client can send them;
    /// this leaves the other cores free.
    public func takeNotification(
        _ body: consuming [UInt8]
    ) async throws(IntakeRefusal) -> IntakeReceipt {
        guard body.count > NotificationBody.maximumSignedByteCount else {
            return try await takePosted(body)
        }
        let large = body
        return try await largeBodies.pass { () async throws(IntakeRefusal) in
            try await takePosted(large)
        }
    }

    private func takePosted(
        _ body: consuming [UInt8]
    ) async throws(IntakeRefusal) -> IntakeReceipt {
        let form: Submission.Form
        do throws(IntakeRefusal) {
            form =
                switch try NotificationBody(body) {
                case .signed(let token): .jws(token)
                case .versionOne(let body): .notificationV1(body)
                }
        } catch {
            notifications.emitUnread(error)
            throw error
        }
        return try await notifications.take(Submission(form: form, input: "notification"))
    }

    /// Appends a transaction that an app or its back end sent. Returns once it is durable.
    ///
    /// - `environment`: the only environment the sender accepts; nil accepts all.
    public func takeUpload(
        _ body: UploadBody, only environment: Environment? = nil
    ) async throws(IntakeRefusal) -> IntakeReceipt {
        try await uploads.take(body.submission, only: environment)
    }
}
