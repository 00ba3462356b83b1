internal import AppStore
internal import Ledger
internal import LedgerStore
public import Signing

/// Checks a bundle from its file alone: no ledger, no network (`Proof.md`).
public struct BundleCheck: Sendable {
    let bundle: ProofBundle
    /// The key that the reader trusts; nil: that of the bundle, which proves that the bundle was
    /// not altered, but not whose log it is.
    let key: NoteVerifierKey?
    let roots: TrustedRoots

    public init(_ bundle: ProofBundle, key: NoteVerifierKey?, roots: TrustedRoots) {
        self.bundle = bundle
        self.key = key
        self.roots = roots
    }

    /// What was found, line by line.
    public struct Report: Sendable {
        public struct Line: Sendable, Hashable {
            /// `checkpoint`, `seal`, `inclusion`, `evidence`, `signatures`, `answer`, `limits`.
            public let part: String
            public let isGood: Bool
            public let text: String
        }

        public fileprivate(set) var lines: [Line] = []

        /// The answer that is proven, in one sentence; nil where none is.
        public fileprivate(set) var summary: String?

        public var isProven: Bool { lines.allSatisfy(\.isGood) }

        fileprivate mutating func note(_ part: String, _ text: String) {
            lines.append(Line(part: part, isGood: true, text: text))
        }

        fileprivate mutating func fail(_ part: String, _ text: String) {
            lines.append(Line(part: part, isGood: false, text: text))
        }
    }

    public func run() -> Report {
        var report = Report()
        let checkpoint = checkCheckpoint(&report)
        if bundle.isSealed {
            report.note("seal", "Nothing in the bundle was changed since that key's owner made it.")
        } else {
            report.fail("seal", "The bundle was changed, or was not made by that key's owner.")
        }
        if let checkpoint { checkInclusion(in: checkpoint, &report) }
        let events = checkEvents(&report)
        if let events, let checkpoint, let answer = bundle.answer {
            check(answer, events, in: checkpoint, &report)
        }
        if report.isProven {
            report.note(
                "limits",
                "Not proven by a bundle: that the log holds no other event about this, that this is"
                    + " the newest answer, and that everything Apple sent has arrived. `audit verify`"
                    + " of the log, and its completeThrough, say that.")
        } else {
            report.summary = nil
        }
        return report
    }

    // MARK: Parts

    private func checkCheckpoint(_ report: inout Report) -> LogCheckpoint? {
        do throws(ProofError) {
            let checkpoint = try LogCheckpoint(bundle.checkpoint)
            if let key, key != bundle.key {
                throw ProofError(
                    .foreignCheckpoint, "The bundle is of the key \(bundle.key), not of \(key).")
            }
            guard bundle.key.algorithm == .ed25519, bundle.checkpoint.signatures.count == 1,
                bundle.checkpoint.verify(bundle.key).isValid
            else {
                throw ProofError(
                    .malformedCheckpoint, "The checkpoint is not signed by \(bundle.key).")
            }
            guard checkpoint.origin == bundle.key.name else {
                throw ProofError(
                    .foreignCheckpoint,
                    "The checkpoint is of \(checkpoint.origin), its key of"
                        + " \(bundle.key.name).")
            }
            guard bundle.checkpoint.text == checkpoint.text else {
                throw ProofError(
                    .malformedCheckpoint, "The checkpoint has more lines than origin, size, root.")
            }
            let whose = key == nil ? " (compare this key: \(bundle.key))" : ", the key given"
            report.note(
                "checkpoint",
                "The log of \(checkpoint.size.named("event", "events"))"
                    + " (\(bundle.environment.rawValue)) is signed by"
                    + " \(checkpoint.origin)\(whose).")
            return checkpoint
        } catch {
            report.fail("checkpoint", error.message)
            return nil
        }
    }

    private func checkInclusion(in checkpoint: LogCheckpoint, _ report: inout Report) {
        let positions = bundle.events.map(\.position)
        guard zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }), !positions.isEmpty
        else {
            return report.fail("inclusion", "The events are not in order, or there are none.")
        }
        for event in bundle.events {
            let proof = InclusionProof(
                leafHash: SHA256.hash([0x00] + event.leafData), leafIndex: event.position - 1,
                treeSize: checkpoint.size, path: event.inclusion, root: checkpoint.root)
            guard proof.isValid else {
                return report.fail(
                    "inclusion", "Event \(event.position) is not in the log that was signed."
                )
            }
        }
        report.note(
            "inclusion",
            "\(positions.count.named("event is", "events are")) in it: #\(listed(positions)).")
    }

    /// The events in order; nil where one is not what its leaf commits to.
    private func checkEvents(_ report: inout Report) -> [LoggedEvent]? {
        let verifier = EvidenceVerifier(
            roots: roots, allowedLocalEnvironments: [bundle.environment])
        let packer = EvidencePacker()
        var events: [LoggedEvent] = []
        var positions: [BundledEvent.Signature: [Int64]] = [:]
        var statuses: [Int64] = []
        for event in bundle.events {
            do {
                let read = try BundledEvent(event, bundle.environment, verifier, packer)
                events.append(read.logged)
                positions[read.signature, default: []].append(event.position)
                if try read.statesUnsignedStatus { statuses.append(event.position) }
            } catch {
                let reason = (error as? BundledEvent.Flaw)?.reason ?? "its evidence cannot be read"
                let end = reason.hasSuffix(".") ? "" : "."
                report.fail("evidence", "Event \(event.position): \(reason)\(end)")
                return nil
            }
        }
        if let contradiction = contradiction(in: events) {
            report.fail("evidence", contradiction)
            return nil
        }
        let absent = positions[.absent].map { "; that of #\(listed($0)) is not in this bundle" }
        report.note("evidence", "Their evidence is what the log commits to\(absent ?? "").")
        var parts = [
            "Apple signed \(positions[.apple]?.count ?? 0) of them (certificate chain, pinned root,"
                + " dates, signature)"
        ]
        let roots = positions.keys.compactMap { signature -> Digest? in
            if case .other(let root) = signature { root } else { nil }
        }.sorted { $0.hexadecimal < $1.hexadecimal }
        for root in roots {
            let list = listed(positions[.other(root)] ?? [])
            parts.append("#\(list) by another root that you trust, \(root.hexadecimal)")
        }
        if let list = positions[.xcode] {
            parts.append("#\(listed(list)) by Xcode or a test, which proves nothing")
        }
        if let list = positions[.none] {
            parts.append("#\(listed(list)) not signed by Apple, but recorded by the operator")
        }
        if !statuses.isEmpty {
            parts.append("the status in #\(listed(statuses)) is not signed")
        }
        report.note("signatures", parts.joined(separator: "; ") + ".")
        return events
    }

    /// How the events contradict each other; nil where they do not. What they state would be
    /// counted twice.
    private func contradiction(in events: [LoggedEvent]) -> String? {
        var keys: [Digest: Int64] = [:]
        for event in events.map(\.event) {
            guard let first = keys.updateValue(event.position, forKey: event.key) else { continue }
            return "Events \(first) and \(event.position) have one key: a log has each event once."
        }
        let present = Set(events.filter { $0.evidence != nil }.map(\.event.position))
        for event in events where event.event.attributes.kind == .erasure {
            guard let bytes = try? event.evidence?.originalBytes(),
                let erased = Erasure.positions(inEvidence: bytes)?.first(where: present.contains)
            else { continue }
            return "Event \(erased): event \(event.event.position) erased its evidence, which is"
                + " here all the same."
        }
        return nil
    }

    private func check(
        _ answer: ProofBundle.Answer, _ events: [LoggedEvent], in checkpoint: LogCheckpoint,
        _ report: inout Report
    ) {
        guard (0...checkpoint.size).contains(answer.query.knownPosition) else {
            return report.fail(
                "answer",
                "It claims to know position \(answer.query.knownPosition), which the log"
                    + " that was signed does not have.")
        }
        guard answer.query.isInOrder else {
            return report.fail(
                "answer",
                "Its cell ends after its report, or its report after the time asked about: the"
                    + " figure would be of a shorter interval than it states.")
        }
        guard answer.reducerVersion == Int64(Lifecycle.reducerVersion) else {
            return report.fail(
                "answer",
                "The answer was made by reducer version \(answer.reducerVersion); this release has"
                    + " \(Lifecycle.reducerVersion). Check it with that release.")
        }
        guard let catalogue = Catalogue(bundled: answer.catalogue) else {
            return report.fail(
                "answer",
                "Its settings cannot be read, or their leeway is none of 0 to 90 days in whole"
                    + " seconds.")
        }
        let facts = BundleFold.facts(of: events)
        let value: JSONValue?
        do {
            value = try BundleFold.value(
                answer.query, in: bundle.environment, catalogue, of: facts)
        } catch {
            return report.fail(
                "answer", (error as? ProofError)?.message ?? "These events cannot be folded.")
        }
        guard let value, value.encoded() == answer.value.encoded() else {
            return report.fail("answer", "Folding these events does not give this answer.")
        }
        let unrelated = BundleFold.unrelated(to: answer.query.subject, events, facts)
        let rest = unrelated.isEmpty ? "" : " #\(listed(unrelated)) state nothing about it."
        report.note(
            "answer",
            "Folding exactly these events (reducer version"
                + " \(answer.reducerVersion)) gives exactly this answer,"
                + " \(catalogue.bundleWords(of: answer.value)).\(rest)")
        report.summary = answer.summary(by: facts)
    }

    private func listed(_ positions: [Int64]) -> String {
        positions.map(String.init).shortened
    }
}
