import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import Proofs
internal import Queries
internal import SQLiteStore
internal import Signing
internal import Simulator

extension BenchLedger {
    private static let origin = "bench.example.com/log"
    /// Proofs made, spread over the log.
    private static let proofCount: Int64 = 200
    /// Checkpoints signed, each after one event more.
    private static let checkpointCount = 50

    /// What an event of a bundle has beside its leaf data, inclusion proof and evidence.
    private func members(_ position: Int64) -> String {
        #"{"position":\#(position),"leafData":"","inclusion":,"evidence":"","#
            + #""evidenceEncoding":"text"}"#
    }

    /// Size and time of inclusion proofs and of checkpoints, over a log of generated events.
    ///
    /// - `report`: takes lines of progress.
    public func proof(
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> [BenchRow] {
        defer { remove() }
        _ = try await fill(report: report)
        let ledger = try await open()
        let count = try await ledger.log.head().position
        let prover = TreeProver(ledger.log, directory: ledger.directory)
        let prepared = try await BenchLedger.seconds { try await prover.prepare() }
        var (pathByteCount, byteCount) = (0, 0)
        let making = try await BenchLedger.seconds {
            for number in 0..<BenchLedger.proofCount {
                let position = number &* 7_919_977 % count + 1
                guard let event = try await ledger.log.event(at: position)?.event,
                    let proof = try await prover.proof(of: event)
                else { throw BenchProblem.refused }
                // As a bundle writes it: base64, each hash between quotes and with a comma.
                let path = proof.path.reduce(2) { $0 + ($1.bytes.count + 2) / 3 * 4 + 3 }
                let leaf = (event.leafData.count + 2) / 3 * 4
                pathByteCount = max(pathByteCount, path)
                byteCount = max(byteCount, path + leaf + members(position).utf8.count)
            }
        }
        let signer = CheckpointSigner(
            log: ledger.log, operations: ledger.operations, prover: prover,
            key: try NoteSignerKey(name: BenchLedger.origin)
        ) { Timestamp(milliseconds: 0) }
        var signed: [Double] = []
        let pool = EventPool(events: lives.lateEvents(1))
        for number in 0..<BenchLedger.checkpointCount {
            _ = try await ledger.log.append([pool.event(number)])
            signed.append(try await BenchLedger.seconds { _ = try await signer.sign() })
        }
        await ledger.close()
        return [
            BenchRow("proof.prepare", prepared, "s", events: count),
            BenchRow("proof.path", Double(pathByteCount), "bytes", events: count),
            BenchRow("proof.bytes", Double(byteCount), "bytes", events: count),
            .milliseconds("proof.make", making / Double(BenchLedger.proofCount), events: count),
            .milliseconds("proof.checkpoint", BenchLedger.median(signed), events: count),
        ]
    }
}

extension Bench {
    /// Events of the bundle that is checked.
    private static let bundledCount: Int64 = 100
    private static let checkCount = 10

    /// Checks a bundle of 100 signed events, from its bytes.
    public func check() async throws -> BenchRow {
        let scratch = try await scratch()
        _ = try await scratch.take(Array(sample.prefix(Int(2 * Bench.bundledCount))), name: "bench")
        let session = try await scratch.session()
        let prover = TreeProver(session.ledger.log)
        let signer = CheckpointSigner(
            log: session.ledger.log, operations: session.ledger.operations, prover: prover,
            key: try NoteSignerKey(name: "bench.example.com/log")
        ) { Timestamp(milliseconds: 0) }
        let maker = BundleMaker(session.snapshot, prover: prover, signer: signer)
        let positions = Array(1...min(Bench.bundledCount, session.head))
        let bytes = try await maker.events(positions).bytes
        let elapsed = try await BenchLedger.seconds {
            for _ in 0..<Bench.checkCount {
                let report = BundleCheck(
                    try ProofBundle(bytes), key: signer.key.verifier, roots: roots
                ).run()
                guard report.isProven else { throw BenchProblem.refused }
            }
        }
        try session.projections.close()
        await scratch.remove()
        return .milliseconds(
            "proof.check", elapsed / Double(Bench.checkCount), events: positions.count)
    }
}
