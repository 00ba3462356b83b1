internal import AppStore
internal import Intake
internal import Ledger
internal import LedgerStore
internal import Signing

/// An event of a bundle, compared with what its leaf commits to.
struct BundledEvent {
    let logged: LoggedEvent
    let signature: Signature

    /// Who signed the evidence; verified: certificate chain, root, dates at signing.
    enum Signature: Hashable {
        case apple
        /// A root that the reader added.
        case other(Digest)
        /// Xcode or a local test, which proves nothing.
        case xcode
        /// Not signed: recorded by the operator, received from Apple over TLS, or by a shared
        /// secret.
        case none
        /// Not in the bundle: erased.
        case absent
    }

    /// Why an event proves nothing.
    struct Flaw: Error {
        let reason: String
    }

    /// Reads and verifies an event.
    ///
    /// The key and every attribute are computed again from the verified evidence: a genuine event
    /// that was logged under another chain is no proof about that chain.
    ///
    /// - Parameters:
    ///   - verifier: shared by all events, so that each certificate chain is verified once.
    ///   - packer: shared likewise, for their headers.
    init(
        _ event: ProofBundle.Event, _ environment: Environment, _ verifier: EvidenceVerifier,
        _ packer: EvidencePacker
    ) throws {
        guard let recorded = LeafReader.event(event.leafData) else {
            throw Flaw(reason: "its leafData is no leaf of a log")
        }
        guard recorded.position == event.position else {
            throw Flaw(reason: "its leaf is of position \(recorded.position)")
        }
        guard let evidence = event.evidence else {
            logged = LoggedEvent(event: recorded, evidence: nil)
            signature = .absent
            return
        }
        let kind = recorded.attributes.kind
        let prepared: PreparedEvidence
        if let submission = try Submission(evidence: evidence, of: kind) {
            let preparation = EventPreparation(
                verifier: verifier.clampingDates, packer: packer,
                apps: [Configuration.App(bundleId: recorded.attributes.bundleId)],
                environment: environment, source: recorded.attributes.source)
            let accepted: AcceptedEvidence
            do {
                accepted = try preparation.verifyEvidence(
                    submission, receivedAt: recorded.receivedAt)
            } catch { throw Flaw(reason: "\(error.code.rawValue): \(error.reason)") }
            guard
                case .event(let made, _) = try preparation.accept(
                    accepted, submission, recorded.receivedAt)
            else { throw Flaw(reason: "its evidence is of another app or environment") }
            guard accepted.isRecorded(as: recorded) else {
                throw Flaw(reason: "its evidence says something else than the leaf")
            }
            prepared = made.evidence
            signature = BundledEvent.signature(of: made.attributes)
        } else {
            prepared = try packer.pack(.verbatim(evidence))
            guard recorded.attributes.trust == kind.unsignedTrust else {
                throw Flaw(
                    reason: "its leaf claims the trust \(recorded.attributes.trust.rawValue)")
            }
            if let reason = BundledEvent.contradiction(of: evidence, to: recorded, environment) {
                throw Flaw(reason: reason)
            }
            signature = .none
        }
        guard prepared.evidenceHash == recorded.evidenceHash,
            prepared.payloadHash == recorded.payloadHash
        else { throw Flaw(reason: "its evidence is not what the leaf commits to") }
        logged = LoggedEvent(event: recorded, evidence: prepared.packed)
    }

    /// Whether it is a pair with a status, which no signature covers (`Log.md` §2).
    var statesUnsignedStatus: Bool {
        get throws {
            guard logged.event.attributes.kind == .renewalPair else { return false }
            return try logged.evidence?.payloads(of: .renewalPair).status != nil
        }
    }

    /// What evidence without a signature states otherwise than its leaf or its log; nil where it
    /// does not.
    private static func contradiction(
        of evidence: [UInt8], to recorded: RecordedEvent, _ environment: Environment
    ) -> String? {
        guard let json = try? JSONValue.parse(evidence) else { return nil }
        let attributes = recorded.attributes
        switch attributes.kind {
        case .notificationV1:
            guard let body = try? NotificationV1(json, clampsDates: true) else { return nil }
            let isHere =
                (body.namedEnvironment ?? environment.rawValue) == environment.rawValue
                && (body.bundleId ?? attributes.bundleId) == attributes.bundleId
            return isHere ? nil : "its evidence is of another app or environment"
        case .command:
            let chain = ChainId(json, id: "originalTransactionId")
            return chain == nil || chain == attributes.chainId
                ? nil : "its evidence is about another subscription"
        case .notification, .transaction, .renewalPair, .appTransaction, .receipt, .verifyReceipt,
            .sweep, .erasure:
            return nil
        }
    }

    private static func signature(of attributes: EventAttributes) -> Signature {
        switch (attributes.trust, attributes.rootFingerprint) {
        case (.signed, let root?): TrustedRoots.isApple(root) ? .apple : .other(root)
        case (.xcode, _): .xcode
        case (.signed, nil), (.transport, _), (.secret, _), (.operator, _): .none
        }
    }
}
