public import AppStore
public import Intake
import Ledger
public import LedgerStore
public import SQLiteStore
public import Signing

/// Verifies the integrity of the ledger: every leaf hash and the tree, the evidence behind them,
/// the checkpoints of derived data, and on request every signature at its own date, and each row
/// by what is signed.
///
/// Reads the log alone and writes nothing: derived data is checked in place, and its absence or
/// damage does not affect the result for the log.
public struct Audit: Sendable {
    let log: any LedgerLog
    /// The environment's directory, with derived data beside the log.
    let directory: String
    /// The environment that the log must be of.
    let environment: Environment

    public struct Report: Sendable {
        public var log: LogAuditReport
        /// Whether facts and projections, as far as they exist, belong to this log; nil when they
        /// could not be compared.
        public var projectionsMatch: Bool?
        /// Why `projectionsMatch` is nil.
        public var projectionsFailure: StoreError?
        /// Events whose signatures were verified, without tombstones and unsigned events; nil when
        /// not requested.
        public var signaturesVerified: Int64?
        /// Version 1 notifications whose seal could not be verified, because the app's file does
        /// not hold its secret; nil when not requested. The log's hashes still prove their bytes.
        public var signaturesNotVerifiable: Int64?
        public var signatureFindings: [SignatureFinding] = []
        public var signatureFindingsOmitted = 0

        /// True when there are no findings. Derived data that cannot be compared does not count: it
        /// can be rebuilt, and `projectionsFailure` reports it.
        public var isSound: Bool {
            log.isSound && projectionsMatch != false && signatureFindings.isEmpty
        }

        mutating func add(_ finding: SignatureFinding) {
            signatureFindings.append(
                finding, upTo: Audit.maximumSignatureFindings, omitted: &signatureFindingsOmitted)
        }
    }

    /// An event whose evidence no longer verifies, is of another environment, or states something
    /// else than the event's row.
    public struct SignatureFinding: Sendable, Equatable {
        public let position: Int64
        public let code: String
        public let message: String
    }

    static let maximumSignatureFindings = 1_000
    /// Events read from the start to find the first whose evidence names its environment.
    static let environmentEventCount: Int64 = 100

    public init(log: any LedgerLog, directory: String, environment: Environment) {
        self.log = log
        self.directory = directory
        self.environment = environment
    }

    /// - `verifier`: if given, every JWS and receipt is verified again at its date, on all cores.
    /// - `apps`: the apps whose shared secrets verify version 1 notifications: all configured ones.
    ///
    /// Damage is reported, not thrown; throws only when the log cannot be read at all, or the task
    /// is cancelled.
    public func verify(
        verifier: EvidenceVerifier?, apps: [Configuration.App] = [],
        report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> Report {
        let found = try await log.verify { done, all in
            report(Projector.Progress(.verify, position: done, head: all))
        }
        var result = Report(log: found)
        do throws(StoreError) { result.projectionsMatch = try await derivedMatches() } catch {
            result.projectionsFailure = error
        }
        // The audit of the log reports rows that cannot be read.
        if let finding = try? await foreignEvidence() { result.add(finding) }
        guard let verifier else { return result }
        let judge = Judge(
            verifier: verifier, environment: environment, secrets: SharedSecrets(apps))
        try await verifySignatures(judge, &result, report)
        return result
    }

    // MARK: Derived data

    /// Whether every checkpoint belongs to this log; also true when nothing was derived yet. False
    /// where the log lacks events that this node has seen of it.
    package func derivedMatches() async throws(StoreError) -> Bool {
        var checkpoints: [ProjectionCursor] = []
        if let path = DerivedFiles.facts(in: directory).current() {
            let facts = try await FactsStore.open(path)
            defer { try? facts.close() }
            checkpoints.append(try await facts.checkpoint())
        }
        if let path = DerivedFiles.projections(in: directory).current() {
            let projections = try await ProjectionsStore.open(path)
            defer { try? projections.close() }
            checkpoints.append(try await projections.checkpoint())
        }
        if let memory = try NodeMemory(directory: directory) { checkpoints.append(memory.seen) }
        let witness = CursorVerifier(log)
        do throws(StoreError) {
            for checkpoint in checkpoints {
                guard try await witness.confirms(checkpoint) else { return false }
            }
        } catch {
            guard error.code == .logWentBack else { throw error }
            return false
        }
        return true
    }

    // MARK: Environment

    /// The event that shows that the log is of another environment; the log itself names none.
    package func foreignEvidence() async throws(StoreError) -> SignatureFinding? {
        // Other reads refuse a log that went back.
        let page = try await log.auditedPage(after: 0, through: Audit.environmentEventCount)
        for logged in page?.events ?? [] where logged.event.attributes.trust != .operator {
            guard let bytes = try? logged.originalBytes(),
                let named = Intake.EvidenceClaims.environment(of: bytes)
            else { continue }
            guard named != environment else { return nil }
            return SignatureFinding(
                position: logged.event.position, code: VerificationCode.wrongEnvironment.rawValue,
                message: "The evidence is for \(named.rawValue); expected \(environment.rawValue):"
                    + " the log is in another environment's place. Move it to its own, or restore"
                    + " the newest backup.")
        }
        return nil
    }

    // MARK: Signatures

    /// The means to verify evidence.
    package struct Judge: Sendable {
        let preparation: EventPreparation
        let secrets: SharedSecrets

        package init(
            verifier: EvidenceVerifier, environment: Environment,
            secrets: SharedSecrets = SharedSecrets([])
        ) {
            preparation = EventPreparation(
                verifier: verifier.clampingDates, packer: EvidencePacker(), apps: [],
                environment: environment, source: .import)
            self.secrets = secrets
        }
    }

    private func verifySignatures(
        _ judge: Judge, _ result: inout Report, _ report: Projector.Report
    ) async throws(StoreError) {
        let end = result.log.lastPosition
        var (verified, notVerifiable): (Int64, Int64) = (0, 0)
        var position: Int64 = 0
        do throws(StoreError) {
            while let page = try await log.auditedPage(after: position, through: end) {
                try StoreError.requireNotCancelled()
                position = page.last
                for verdict in await Parallel.map(page.events, { Audit.check($0, judge) }) {
                    switch verdict {
                    case .verified: verified += 1
                    case .nothingSigned: break
                    case .notVerifiable: notVerifiable += 1
                    case .failed(let finding): result.add(finding)
                    }
                }
                report(Projector.Progress(.signatures, position: position, head: end))
            }
        } catch {
            guard error.isAudited else { throw error }
            result.add(Audit.finding(position + 1, error))
        }
        result.signaturesVerified = verified
        result.signaturesNotVerifiable = notVerifiable
    }

    package enum Verdict: Sendable, Equatable {
        /// Every signature of the event verifies at its date, and the row is what follows from the
        /// evidence.
        case verified
        /// Unsigned, or its evidence was erased, which the audit of the log reports.
        case nothingSigned
        /// A seal whose secret is not available.
        case notVerifiable
        case failed(SignatureFinding)
    }

    package static func check(_ logged: LoggedEvent, _ judge: Judge) -> Verdict {
        let event = logged.event
        if let trust = event.attributes.kind.unsignedTrust {
            guard event.attributes.trust == trust else { return .failed(mismatch(event)) }
            return event.attributes.kind == .notificationV1
                ? checkSeal(logged, judge.secrets) : .nothingSigned
        }
        let evidence: [UInt8]?
        do throws(StoreError) { evidence = try logged.originalBytes() } catch {
            return .failed(finding(event.position, error))
        }
        guard let bytes = evidence else { return .nothingSigned }
        do throws(VerificationError) {
            let isConfirmed = try judge.preparation.confirms(event, bytes)
            return isConfirmed ? .verified : .failed(mismatch(event))
        } catch {
            return .failed(finding(event.position, error))
        }
    }

    /// A seal that matches no available secret is not a finding: the secret may have been changed.
    /// A row of another app than the body names, or than its secret is of, is one: earlier releases
    /// took the app from the purchases.
    private static func checkSeal(_ logged: LoggedEvent, _ secrets: SharedSecrets) -> Verdict {
        let event = logged.event
        do throws(StoreError) {
            guard let bytes = try logged.originalBytes() else { return .nothingSigned }
            guard let sealed = try? NotificationV1Body(bytes).sealed else { return .notVerifiable }
            let app = event.attributes.bundleId
            let named = sealed.bundleId.map { [$0] } ?? secrets.apps(of: sealed)
            guard named.isEmpty || named.contains(app) else {
                let error = AppIdentity.unexpected(named.first, [app])
                return .failed(finding(event.position, error))
            }
            guard let secret = secrets[app], sealed.isSealed(by: secret) else {
                return .notVerifiable
            }
            return .verified
        } catch { return .failed(finding(event.position, error)) }
    }

    private static func finding(_ position: Int64, _ error: VerificationError) -> SignatureFinding {
        SignatureFinding(position: position, code: error.code.rawValue, message: error.reason)
    }

    private static func finding(_ position: Int64, _ error: StoreError) -> SignatureFinding {
        SignatureFinding(position: position, code: error.code.rawValue, message: error.reason)
    }

    private static func mismatch(_ event: RecordedEvent) -> SignatureFinding {
        SignatureFinding(
            position: event.position, code: "attributesMismatch",
            message: "The row has another key, hash, trust, chain or other attribute than follows"
                + " from its kind and evidence. Restore the newest backup that verifies.")
    }
}
