import AppStore
public import AppStoreAPI
internal import LedgerStore
internal import Projection
internal import Proofs
public import Queries

/// Signs a checkpoint of an environment's log when its head moved, and has witnesses sign it too.
/// A witness that is down delays nothing: it gets the newest checkpoint in the next round.
public struct CheckpointLoop: Sendable {
    private let served: ServedLedger
    private let settings: ServiceConfiguration.Audit
    private let signer: CheckpointSigner
    private let transport: any APITransport
    private let clock: any ServiceClock
    private let report: @Sendable (ServingNote) -> Void

    /// - `host`: owns the ledger; it must keep running.
    /// - `transport`: reaches the witnesses.
    ///
    /// Throws `ConfigurationError` for a key that cannot be used, and `ServingError` for an
    /// environment that is not served.
    public init(
        _ settings: ServiceConfiguration.Audit, host: LedgerHost, transport: any APITransport,
        clock: any ServiceClock, report: @escaping @Sendable (ServingNote) -> Void
    ) throws {
        served = try host.ledger(settings.environment)
        self.settings = settings
        self.transport = transport
        self.clock = clock
        self.report = report
        signer = CheckpointSigner(
            log: served.ledger.log, operations: served.ledger.operations, prover: served.proofs,
            key: try settings.signerKey()
        ) { clock.now }
    }

    /// Returns when the task is cancelled.
    public func run() async {
        let lease = KeptLease(.checkpoints, in: served.ledger)
        defer { lease.release() }
        var wait = CheckpointLoop.firstMilliseconds
        while true {
            do throws(CancellationError) { try await clock.sleep(milliseconds: wait) } catch {
                return
            }
            let interval = settings.intervalMilliseconds
            wait = interval
            guard (try? await lease.take(if: served.isCurrent)) == true else { continue }
            let started = clock.now.milliseconds
            let isSigned = await TraceContext.$current.withValue(TraceContext()) { await round() }
            if !isSigned { lease.release() }
            // Slow witnesses do not delay the next round. The clock may jump.
            wait = min(max(0, interval - (clock.now.milliseconds - started)), interval)
        }
    }

    /// Delay of the first round: short, so that a service that restarts often signs too.
    private static let firstMilliseconds: Int64 = 10_000

    /// Signs the head and asks the witnesses that have not signed it, all at once. An empty log is
    /// not signed.
    ///
    /// Returns false where signing failed: another node may be able to.
    @discardableResult
    func round() async -> Bool {
        do {
            guard try await served.ledger.log.head().position > 0 else { return true }
            let stored = try await signer.sign()
            let note = try SignedNote(stored.note)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for witness in settings.witnesses where !note.verify(witness.key).isValid {
                    group.addTask {
                        guard let signed = await ask(witness, note, stored.size) else { return }
                        var stored = stored
                        stored.note = signed.note
                        // Adds the signature to those kept meanwhile.
                        try await served.ledger.operations.keep(stored)
                    }
                }
                try await group.waitForAll()
            }
            return true
        } catch let error as ProofError {
            report(.unsigned(settings.environment, code: error.code.rawValue, error.message))
        } catch let error as StoreError {
            report(.unsigned(settings.environment, code: error.code.rawValue, error.description))
        } catch { report(.unsigned(settings.environment, code: "internal", "\(type(of: error))")) }
        return false
    }

    // MARK: Witnesses

    /// The checkpoint with a witness's signature; nil where it gave none.
    private func ask(
        _ witness: ServiceConfiguration.Audit.Witness, _ note: SignedNote, _ size: Int64
    ) async -> SignedNote? {
        let checkpoint = note.part(of: signer.key.verifier)
        do {
            var known = try await lastSigned(by: witness, before: size)
            // A witness that has another size returns it; one retry with that size.
            for _ in 0..<2 {
                let proof =
                    known > 0 ? try await served.proofs.consistency(from: known, to: size) : nil
                guard known == 0 || proof != nil else { return refused(witness, "unknownSize") }
                let answer = try await send(
                    WitnessExchange.request(old: known, proof: proof, checkpoint), to: witness,
                    about: checkpoint)
                switch answer {
                case .signed(let signatures): return note.adding(signatures)
                case .knows(let other): known = other
                case .refused(let code): return refused(witness, code)
                }
            }
            return refused(witness, "unknownSize")
        } catch let failure as TransportFailure {
            return refused(witness, WebhookOutcome(failure).reasonedText)
        } catch let error as StoreError {
            return refused(witness, error.code.rawValue)
        } catch { return refused(witness, "\(type(of: error))") }
    }

    private func refused(
        _ witness: ServiceConfiguration.Audit.Witness, _ code: String
    ) -> SignedNote? {
        report(
            ServingNote(
                .warning, "notWitnessed", in: settings.environment,
                "The witness \(witness.name.printable) did not sign the checkpoint (\(code)); it"
                    + " gets the next one."))
        return nil
    }

    private func send(
        _ body: [UInt8], to witness: ServiceConfiguration.Audit.Witness,
        about checkpoint: SignedNote
    ) async throws(TransportFailure) -> WitnessExchange.Answer {
        let base = witness.url.hasSuffix("/") ? String(witness.url.dropLast()) : witness.url
        let response = try await transport.send(
            TransportRequest(
                method: "POST", url: "\(base)/add-checkpoint",
                headers: [.init("content-type", "text/plain; charset=utf-8")], body: body))
        return WitnessExchange.answer(
            status: response.status, response.body, to: checkpoint, by: witness.key)
    }

    /// The size of the newest earlier checkpoint that a witness signed; 0 without one.
    private func lastSigned(
        by witness: ServiceConfiguration.Audit.Witness, before size: Int64
    ) async throws(StoreError) -> Int64 {
        let earlier = try await served.ledger.operations.checkpoints(
            before: size, limit: CheckpointLoop.earlierCount)
        return earlier.first { stored in
            (try? SignedNote(stored.note))?.verify(witness.key).isValid ?? false
        }?.size ?? 0
    }

    /// Earlier checkpoints that are searched for a witness's signature; without one the witness
    /// returns its size.
    private static let earlierCount = 100
}
