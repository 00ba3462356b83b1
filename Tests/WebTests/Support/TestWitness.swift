import AppStore
import AppStoreAPI
import LedgerStore
import Signing
import Synchronization

@testable import Proofs

/// A witness of one log (C2SP tlog-witness): it signs a checkpoint that extends the newest one that
/// it signed, and remembers that one. It can fail in ways that real ones do.
final class TestWitness: APITransport {
    enum Fault: Sendable {
        case down
        case untrusted
        case unavailable
        /// Signs with another key.
        case stranger
        /// Answers without a signature.
        case empty
    }

    private struct State {
        var known: LogCheckpoint?
        var fault: Fault?
        var requestCount = 0
    }

    let key: NoteSignerKey
    private let log: NoteVerifierKey
    private let state = Mutex(State())

    init(_ log: NoteVerifierKey) throws {
        key = try NoteSignerKey(name: "witness.example.com/w1", algorithm: .cosignature)
        self.log = log
    }

    var known: LogCheckpoint? { state.withLock { $0.known } }
    var requestCount: Int { state.withLock { $0.requestCount } }

    func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    func forget() { state.withLock { $0.known = nil } }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let fault = state.withLock { state in
            state.requestCount += 1
            return state.fault
        }
        switch fault {
        case .down: throw .notConnected
        case .untrusted: throw .tlsFailed(reason: "x")
        case .unavailable: return TransportResponse(status: 503)
        case .empty: return TransportResponse(status: 200)
        case .stranger, nil: break
        }
        guard request.method == "POST", request.url.hasSuffix("/add-checkpoint"),
            let answer = try? answer(request.body ?? [], isStrange: fault == .stranger)
        else { return TransportResponse(status: 400) }
        return answer
    }

    private func answer(_ body: [UInt8], isStrange: Bool) throws -> TransportResponse {
        let text = String(decoding: body, as: UTF8.self)
        guard let gap = text.ranges(of: "\n\n").first else {
            return TransportResponse(status: 400)
        }
        let lines = text[..<gap.lowerBound].split(separator: "\n")
        let note = try SignedNote(String(text[gap.upperBound...]))
        let checkpoint = try LogCheckpoint(note)
        guard let old = lines.first.flatMap({ Int64(plain: $0.dropFirst(4)) }),
            lines[0].hasPrefix("old "), note.verify(log).isValid
        else { return TransportResponse(status: 403) }
        let known = known
        guard old == known?.size ?? 0 else {
            return TransportResponse(status: 409, body: Array("\(known?.size ?? 0)\n".utf8))
        }
        if let known {
            let path = lines.dropFirst().compactMap {
                Base64.standard.decode(Array($0.utf8)).flatMap { Digest(bytes: $0) }
            }
            let proof = ConsistencyProof(
                from: known.size, to: checkpoint.size, path: path, fromRoot: known.root,
                toRoot: checkpoint.root)
            guard proof.isValid else { return TransportResponse(status: 422) }
        }
        let signer =
            isStrange ? try NoteSignerKey(name: key.verifier.name, algorithm: .cosignature) : key
        if !isStrange { state.withLock { $0.known = checkpoint } }
        let signature = try SignedNote.cosignature(of: note.text, by: signer, atSeconds: 1_774_000)
        return TransportResponse(status: 200, body: Array("\(signature.line)\n".utf8))
    }
}

/// Accepts everything, after other tasks have had time to run.
struct YieldingTransport: APITransport {
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        for _ in 0..<1_000 { await Task.yield() }
        return TransportResponse(status: 204)
    }
}
