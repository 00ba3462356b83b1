import AppStore
internal import Intake
public import Ledger
internal import LedgerStore
internal import Projection
import Signing

/// Takes in single deliveries for all served environments: verifies, routes by the signed content,
/// and appends. When it returns, the event is durable.
///
/// Verification is pure computation and runs on the caller's thread; the log commits everything
/// waiting at once, across callers.
struct LiveIntake: Sendable {
    private let destinations: [Environment: Destination]
    /// Destination of evidence that names no served environment (`Contract.md`, `ingest`). Accepts
    /// what Apple delivers without an environment; refuses and quarantines the rest.
    private let home: Destination
    private let secrets: SharedSecrets
    let verifier: EvidenceVerifier
    let observer: any ServingObserver
    private let tally: IntakeTally
    let clockWatch: ClockWatch
    /// Whether evidence may come this way: Apple's endpoint must not accept what needs a token
    /// elsewhere.
    let admits: @Sendable (AcceptedEvidence) -> Bool
    /// Bounds what one chain adds; nil for deliveries from Apple.
    let budget: UploadBudget?
    /// Nil: no responder is queried.
    let revocation: RevocationChecks?

    private struct Destination {
        let served: ServedLedger
        let preparation: EventPreparation
    }

    /// - Parameter served: one or more. `home` is Production or, if that is not served, the first.
    init(
        served: [ServedLedger], apps: [Configuration.App], verifier: EvidenceVerifier,
        source: EventSource, secrets: SharedSecrets,
        observer: any ServingObserver, tally: IntakeTally, clockWatch: ClockWatch,
        budget: UploadBudget? = nil, revocation: RevocationChecks?,
        admits: @escaping @Sendable (AcceptedEvidence) -> Bool
    ) {
        self.admits = admits
        self.budget = budget
        self.revocation = revocation
        let all = served.map { served in
            Destination(
                served: served,
                preparation: EventPreparation(
                    verifier: verifier, packer: served.ledger.log.packer, apps: apps,
                    environment: served.environment, source: source, secrets: secrets,
                    // Users hold their own transactions of the Sandbox from before 2022, which name
                    // none; notifications go to the owner of the app alone.
                    isEnvironmentNamed: source != .client))
        }
        destinations = Dictionary(uniqueKeysWithValues: all.map { ($0.served.environment, $0) })
        home = destinations[.production] ?? all[0]
        self.secrets = secrets
        self.verifier = verifier
        self.observer = observer
        self.tally = tally
        self.clockWatch = clockWatch
    }

    /// Verifies, routes and appends. Throws the refusal when nothing is in the log; reports to the
    /// observer either way.
    ///
    /// - Parameters:
    ///   - wanted: the only environment the sender accepts; nil accepts all.
    ///   - account: the chain whose budget applies where the evidence names several; called after
    ///     the evidence was verified.
    func take(
        _ submission: Submission, only wanted: Environment? = nil,
        account: () -> OriginalTransactionId? = { nil }
    ) async throws(IntakeRefusal) -> IntakeReceipt {
        let wasAhead = clockWatch.jumpMilliseconds != nil
        let now = clockWatch.now
        let start = ContinuousClock.now
        let routed = route(submission, only: wanted, now: now)
        observer.verified(start.duration(to: .now))
        switch routed {
        case .prepared(.refused(let refusal), let served):
            throw await refuse(refusal, served, now: now)
        case .prepared(.event(let event, let chains), let served):
            confirmClock(event, served.environment)
            if let milliseconds = clockWatch.jumpMilliseconds {
                let refusal = IntakeRefusal(clockAhead: milliseconds, served.environment)
                emit(refusal, event, now: now)
                throw refusal
            }
            if wasAhead {
                // Repeated, to date the event by the clock now trusted.
                return try await take(submission, only: wanted, account: account)
            }
            let refusal = await revocation?.refusal(
                of: event, under: chains, submission, served.ledger.log, served.environment)
            if let refusal { throw await refuse(refusal, served, now: now) }
            let receipt = try await appendWithinBudget(
                event, served, submission, account(), now: now)
            await served.quarantine.removeWritten(payloadHash: event.evidence.payloadHash)
            return receipt
        case .misplaced:
            let refusal = IntakeRefusal.invalidBody(
                "The evidence is signed, but this endpoint does not accept it.")
            emit(refusal, nil, now: now)
            throw refusal
        case .unwanted(let bundleId, let environment, let found):
            // Neither lost nor quarantined: the sender does not accept it.
            report(LiveIntake.unwantedResult, bundleId, environment, now: now)
            throw IntakeRefusal(
                .notAcceptable, code: VerificationCode.wrongEnvironment.rawValue,
                message: "It is of \(found.named), and \(wanted?.rawValue ?? "none") was requested;"
                    + " nothing was kept.",
                bundleId: bundleId, environment: environment)
        }
    }

    /// Compares the clock with a signature, also while it is trusted: that decides about the next
    /// jump. A signature for Xcode proves nothing.
    private func confirmClock(_ event: NewEvent, _ environment: Environment) {
        guard event.attributes.trust == .signed, LedgerHost.usualEnvironments.contains(environment),
            let signedAt = event.attributes.signedAt
        else { return }
        let root = event.attributes.rootFingerprint
        clockWatch.confirm(
            signedAt: signedAt, byApple: root.map { TrustedRoots.isApple($0) } ?? false)
    }

    // MARK: Routing

    private enum Routed {
        case prepared(PreparedSubmission, ServedLedger)
        /// Genuine, but not accepted by this endpoint.
        case misplaced
        /// Genuine, but not of the environment the sender accepts: the environment it would go to,
        /// and the one it names.
        case unwanted(BundleId?, Environment, String)
    }

    /// The destination of evidence that names this environment.
    private func destination(of named: Environment?) -> Destination {
        named.flatMap { destinations[$0] } ?? home
    }

    private func route(
        _ submission: Submission, only wanted: Environment?, now: Timestamp
    ) -> Routed {
        do throws(VerificationError) {
            let accepted = try home.preparation.verifyEvidence(submission, receivedAt: now)
            guard admits(accepted) else { return .misplaced }
            // A JWS that names none is refused or accepted by its preparation.
            let stated = accepted.environment.map { Environment(rawValue: $0) }
            let named = stated ?? (accepted.namesNoEnvironment ? wanted : nil) ?? .production
            let destination = destination(of: named)
            guard wanted == nil || named == wanted else {
                return .unwanted(
                    accepted.bundleId, destination.served.environment,
                    accepted.environment ?? Environment.production.rawValue)
            }
            return .prepared(
                try destination.preparation.accept(accepted, submission, now), destination.served)
        } catch {
            let refusal = home.preparation.rejection(of: submission, error, now)
            return .prepared(
                .refused(refusal), destination(of: refusal.claimedEnvironment).served)
        }
    }

    // MARK: Refusing

    private func refuse(
        _ refusal: Refusal, _ served: ServedLedger, now: Timestamp
    ) async -> IntakeRefusal {
        let standing: IntakeRefusal.Standing =
            switch refusal.standing {
            case .quarantined: .notAcceptable
            case .rejected where refusal.isRetryable: .unavailable
            case .rejected: refusal.isGenuine ? .notAcceptable : .invalid
            }
        var reported = IntakeRefusal(
            standing, code: refusal.code, part: refusal.part, message: refusal.message,
            bundleId: refusal.bundleId, environment: served.environment)
        // A refusal that says nothing about the evidence is retried by the sender and not
        // quarantined.
        if standing != .unavailable || refusal.code == VerificationCode.sharedSecretMissing.rawValue
        {
            reported.isKept = await keep(NewQuarantineItem(refusal), served) != nil
            // Without a copy there is nothing to retry from quarantine.
            if !reported.isKept, !refusal.isConfiguredApp, refusal.bundleId != nil,
                refusal.code == VerificationCode.wrongApp.rawValue
            {
                reported.message = IntakeRefusal.noCopy
            }
        }
        emit(reported, nil, now: now)
        return reported
    }

    /// The id of the copy; nil without one.
    private func keep(_ item: NewQuarantineItem, _ served: ServedLedger) async -> Int64? {
        do throws(StoreError) {
            return try await served.quarantine.keep(item.withheld(by: secrets))
        } catch {
            observer.noted(
                .failure("Quarantine cannot be written", error, served.environment))
            return nil
        }
    }

    // MARK: Appending

    /// Throws `uploadBudgetExhausted` for a new event of a chain that has added enough today; where
    /// it cannot be read whether the event is new, the failure.
    private func appendWithinBudget(
        _ event: NewEvent, _ served: ServedLedger, _ submission: Submission,
        _ account: OriginalTransactionId?, now: Timestamp
    ) async throws(IntakeRefusal) -> IntakeReceipt {
        guard let budget, let id = event.attributes.chain ?? account else {
            return try await append(event, served, submission, now: now)
        }
        let environment = served.environment
        let chain = ChainId(bundleId: event.attributes.bundleId, originalTransactionId: id)
        guard budget.take(chain, environment, at: now) else {
            // A duplicate adds nothing: a retry is answered as usual.
            let known: Int64?
            do throws(StoreError) {
                known = try await served.ledger.log.position(ofKnown: event)
            } catch {
                let refusal = IntakeRefusal(
                    .unavailable, code: error.code.rawValue,
                    message: "Whether the event is known could not be read: \(error.reason)",
                    bundleId: chain.bundleId, environment: environment)
                emit(refusal, event, now: now)
                throw refusal
            }
            if let position = known {
                // Another node's event counts once it is durable, which only an append establishes.
                guard !served.ledger.isShared else {
                    return try await append(event, served, submission, now: now)
                }
                return taken(event, .duplicate(of: position), served, now: now)
            }
            let refusal = UploadBudget.refusal(chain, environment, at: now)
            emit(refusal, event, now: now)
            throw refusal
        }
        var isWritten = false
        defer { if !isWritten { budget.giveBack(chain, environment, at: now) } }
        let receipt = try await append(event, served, submission, now: now)
        isWritten = receipt.appended.isWritten
        return receipt
    }

    private func append(
        _ event: NewEvent, _ served: ServedLedger, _ submission: Submission, now: Timestamp
    ) async throws(IntakeRefusal) -> IntakeReceipt {
        do throws(StoreError) {
            let results = try await served.append([event])
            return taken(event, results[0], served, now: now)
        } catch {
            // A durable duplicate needs no write. When the queue is full, the lookup is skipped to
            // save reads; in a shared log, because a row may be visible before it is durable.
            if error.code != .queueFull, !served.ledger.isShared,
                let position = try? await served.ledger.log.position(ofKnown: event)
            {
                return taken(event, .duplicate(of: position), served, now: now)
            }
            var refusal = IntakeRefusal(
                .unavailable, code: error.code.rawValue,
                message: "The event could not be made durable: \(error.reason)",
                bundleId: event.attributes.bundleId, environment: served.environment)
            let id = await keep(
                NewQuarantineItem(
                    receivedAt: now, standing: .genuineConfigured, code: error.code.rawValue,
                    message: error.reason, bundleId: event.attributes.bundleId,
                    environment: served.environment.rawValue, bytes: submission.line,
                    input: submission.input), served)
            if let id {
                served.quarantine.noteUnwritten(id, payloadHash: event.evidence.payloadHash)
            }
            refusal.isKept = id != nil
            emit(refusal, event, now: now)
            throw refusal
        }
    }

    private func taken(
        _ event: NewEvent, _ result: AppendResult, _ ledger: ServedLedger, now: Timestamp
    ) -> IntakeReceipt {
        report(
            result.name, event.attributes.bundleId, ledger.environment, position: result.position,
            signedAt: event.attributes.signedAt, now: now)
        return IntakeReceipt(
            appended: result, served: ledger,
            chain: event.attributes.chainId, bundleId: event.attributes.bundleId)
    }

    // MARK: Reporting

    /// Reports the outcome of one delivery; `position` where it is in the log.
    private func report(
        _ result: String, _ bundleId: BundleId?, _ environment: Environment?,
        position: Int64? = nil,
        signedAt: Timestamp? = nil, isKept: Bool = false, now: Timestamp
    ) {
        let outcome = IntakeOutcome(
            result: result, source: home.preparation.source.rawValue, environment: environment,
            bundleId: bundleId, latenessMilliseconds: signedAt.map { now.milliseconds(since: $0) },
            isKept: isKept, position: position, receivedAt: now)
        tally.count(outcome)
        observer.took(outcome)
    }

    private func emit(_ refusal: IntakeRefusal, _ event: NewEvent?, now: Timestamp) {
        observer.noted(.refused(refusal))
        report(
            refusal.code, refusal.bundleId, refusal.environment,
            signedAt: event?.attributes.signedAt, isKept: refusal.isKept, now: now)
    }

    /// The result for a delivery of an environment the sender does not accept: other refusals for a
    /// wrong environment may lose evidence and raise an alert.
    static let unwantedResult = "otherEnvironment"

    /// Reports a delivery that was refused before verification.
    func emitUnread(_ refusal: IntakeRefusal) { emit(refusal, nil, now: clockWatch.now) }
}

/// A durable event.
public struct IntakeReceipt: Sendable {
    let appended: AppendResult
    /// The ledger that has it.
    public let served: ServedLedger
    /// Its chain; nil for none.
    public let chain: ChainId?
    let bundleId: BundleId

    /// `appended`, `duplicate` or `conflict`.
    public var result: String { appended.name }
    /// Its position in the log.
    public var position: Int64 { appended.position }
}

extension AppendResult {
    /// The name in answers and metrics.
    var name: String {
        switch self {
        case .appended: "appended"
        case .duplicate: "duplicate"
        case .conflict: "conflict"
        }
    }
}
