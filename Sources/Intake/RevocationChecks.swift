public import AppStore
import LedgerStore
public import Signing
import Synchronization

/// Whether evidence that has just arrived is checked for revoked certificates
/// (`verification.revocation`).
public enum RevocationPolicy: String, Sendable, CaseIterable {
    /// No responder is queried.
    case off
    /// Evidence is accepted; a certificate chain that is revoked or of unknown status is logged and
    /// counted.
    case report
    /// Evidence under a revoked certificate chain is refused and kept in quarantine; evidence under
    /// one of unknown status has to be sent again.
    case require
}

/// The revocation status of certificate chains, requested once per lifetime of the response and
/// cached for all evidence under the chain.
///
/// Only evidence that is not in the log yet causes requests: re-verification, rebuild, audit and
/// repetitions of known events send none.
public final class RevocationChecks: Sendable {
    /// Maximum cached certificate chains; Apple signs with few.
    public static let capacity = 64
    /// Lifetime of a response, as in Apple's Swift library.
    public static let answerLifetimeMilliseconds: Int64 = 15 * 60_000
    /// Lifetime of an unknown status: until then a failing responder gets no further request.
    public static let unknownLifetimeMilliseconds: Int64 = 60_000

    /// The result without its reason: a label of metrics.
    public enum Outcome: String, Sendable, CaseIterable {
        case good
        case revoked
        case unknown

        init(_ status: RevocationStatus) {
            switch status {
            case .good: self = .good
            case .revoked: self = .revoked
            case .unknown: self = .unknown
            }
        }
    }

    /// The status that responders returned for one certificate chain.
    public struct Finding: Sendable {
        /// SHA-256 of the leaf certificate.
        public let leaf: Digest
        let status: RevocationStatus
        /// Whether the chain had no such outcome before, while it was cached.
        let isFirst: Bool
    }

    private struct Entry {
        var answer: RevocationStatus?
        var requestedAt: Timestamp
        var request: Task<RevocationStatus, Never>?
        /// Outcomes reported so far.
        var reported: Set<Outcome> = []

        /// The status; nil after its lifetime, or when the clock was set back.
        func status(at now: Timestamp) -> RevocationStatus? {
            guard let answer else { return nil }
            let lifetime =
                switch Outcome(answer) {
                case .good, .revoked: RevocationChecks.answerLifetimeMilliseconds
                case .unknown: RevocationChecks.unknownLifetimeMilliseconds
                }
            return (0..<lifetime).contains(now.milliseconds(since: requestedAt)) ? answer : nil
        }
    }

    private let policy: RevocationPolicy
    private let check: RevocationCheck
    private let clock: @Sendable () -> Timestamp
    private let report: @Sendable (Finding) -> Void
    private let entries = Mutex<[Digest: Entry]>([:])

    /// Nil when the policy is `off`. `transport` bounds the time and the bytes of a response;
    /// `report` is called after every request.
    public init?(
        _ policy: RevocationPolicy, transport: (any RevocationTransport)?,
        clock: @escaping @Sendable () -> Timestamp,
        report: @escaping @Sendable (Finding) -> Void
    ) {
        guard policy != .off else { return nil }
        self.policy = policy
        check = RevocationCheck(transport: transport)
        self.clock = clock
        self.report = report
    }

    /// Admits evidence under these certificate chains. `report` does not wait for the responders;
    /// `require` does. `isStored` returns whether the evidence is in the log; it is called
    /// only before a request or a refusal.
    ///
    /// Throws `certificateRevoked` or `revocationUnknown`, under `require` alone.
    package func admit(
        _ chains: [VerifiedCertificateChain], isStored: () async -> Bool
    ) async throws(VerificationError) {
        let now = clock()
        guard !chains.allSatisfy({ isSettled($0, at: now) }), await !isStored() else { return }
        let requests = chains.map { request(for: $0, now) }
        guard policy == .require else { return }
        var refusals: [VerificationError] = []
        for request in requests {
            if let refusal = await request.value.refusal { refusals.append(refusal) }
        }
        // Revoked outweighs unknown.
        if let refusal = refusals.first(where: { !$0.isRetryable }) ?? refusals.first {
            throw refusal
        }
    }

    /// Certificate chains that are cached or have a request in progress.
    var rememberedCount: Int { entries.withLock { $0.count } }

    /// Whether `admit` would return at once: neither a request nor a refusal follows.
    package func isSettled(_ chain: VerifiedCertificateChain) -> Bool {
        isSettled(chain, at: clock())
    }

    private func isSettled(_ chain: VerifiedCertificateChain, at now: Timestamp) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[chain.fingerprint] else { return false }
            let status = entry.status(at: now)
            return policy == .require ? status == .good : status != nil || entry.request != nil
        }
    }

    /// The request in progress or its result; else a new request.
    private func request(
        for chain: VerifiedCertificateChain, _ now: Timestamp
    ) -> Task<RevocationStatus, Never> {
        entries.withLock { entries in
            let known = entries[chain.fingerprint]
            if let request = known?.request { return request }
            if let status = known?.status(at: now) { return Task { status } }
            guard known != nil || RevocationChecks.makeRoom(&entries) else {
                return Task { .unknown("Too many certificate chains are being checked.") }
            }
            // Other deliveries wait for it, too, so none of them may cancel it.
            let request = Task { await send(for: chain, now) }
            entries[chain.fingerprint, default: Entry(requestedAt: now)].request = request
            return request
        }
    }

    /// Removes the oldest result at the bound; false when every request is in progress.
    private static func makeRoom(_ entries: inout [Digest: Entry]) -> Bool {
        guard entries.count >= capacity else { return true }
        let oldest = entries.filter { $0.value.request == nil }
            .min { $0.value.requestedAt < $1.value.requestedAt }
        guard let oldest else { return false }
        entries[oldest.key] = nil
        return true
    }

    private func send(for chain: VerifiedCertificateChain, _ now: Timestamp) async
        -> RevocationStatus
    {
        let status = await check.status(of: chain, now: now)
        let isFirst = entries.withLock { entries in
            var entry = entries[chain.fingerprint] ?? Entry(requestedAt: now)
            entry.request = nil
            (entry.answer, entry.requestedAt) = (status, now)
            let isFirst = entry.reported.insert(Outcome(status)).inserted
            entries[chain.fingerprint] = entry
            return isFirst
        }
        report(Finding(leaf: SHA256.hash(chain.leaf), status: status, isFirst: isFirst))
        return status
    }
}

extension RevocationChecks.Finding {
    /// The result without its reason.
    public var outcome: RevocationChecks.Outcome { RevocationChecks.Outcome(status) }

    /// Whether to log it: once for each outcome of a certificate chain other than `good`.
    public var isNews: Bool { isFirst && outcome != .good }

    /// One sentence.
    public var message: String {
        let chain = "the certificate chain whose leaf has the SHA-256 \(leaf.hexadecimal)"
        return switch status {
        case .good: "No certificate of \(chain) is revoked."
        case .revoked: "A certificate of \(chain) was revoked by its issuer."
        case .unknown(let reason):
            "Whether a certificate of \(chain) was revoked is unknown. \(reason)"
        }
    }
}

extension RevocationChecks {
    /// The refusal of an event whose evidence verifies, but whose certificate chain is revoked or
    /// of unknown status; nil where its chains are admitted. While the log cannot be read, it
    /// counts as not stored.
    ///
    /// Evidence under a revoked chain may be forged, so its room in quarantine is bounded like that
    /// of apps that are not configured.
    package func refusal(
        of event: NewEvent, under chains: [VerifiedCertificateChain], _ submission: Submission,
        _ log: any LedgerLog, _ environment: Environment
    ) async -> Refusal? {
        do throws(VerificationError) {
            try await admit(chains) { (try? await log.position(ofKnown: event)) != nil }
            return nil
        } catch {
            return Refusal(
                standing: error.isRetryable ? .rejected : .quarantined,
                code: error.code.rawValue, part: error.part.rawValue,
                message: EventPreparation.message(error, submission),
                bundleId: event.attributes.bundleId, isConfiguredApp: error.isRetryable,
                environment: environment.rawValue, submission: submission,
                receivedAt: event.receivedAt, isGenuine: true, isRetryable: error.isRetryable)
        }
    }
}
