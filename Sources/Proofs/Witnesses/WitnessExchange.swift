internal import AppStore
public import LedgerStore
internal import Signing

/// What a log and a witness exchange (C2SP tlog-witness, `add-checkpoint`).
public enum WitnessExchange {
    /// Largest answer that is read.
    public static let maximumByteCount = 16 * 1_024

    /// The body of a request:
    ///
    ///     old 20
    ///     base64 of each hash of the consistency proof
    ///
    ///     the signed checkpoint
    public static func request(
        old size: Int64, proof: ConsistencyProof?, _ checkpoint: SignedNote
    ) -> [UInt8] {
        let hashes = (proof?.path ?? []).map {
            String(decoding: Base64.standard.encode($0.bytes), as: UTF8.self) + "\n"
        }
        return Array("old \(size)\n\(hashes.joined())\n\(checkpoint.note)".utf8)
    }

    /// What a witness answered.
    public enum Answer: Sendable, Hashable {
        /// Its signatures of the checkpoint.
        case signed([SignedNote.Signature])
        /// 409: the size of the newest checkpoint that it knows.
        case knows(Int64)
        case refused(String)
    }

    /// Reads an answer; a signature that does not verify is refused.
    public static func answer(
        status: Int, _ body: [UInt8], to checkpoint: SignedNote, by key: NoteVerifierKey
    ) -> Answer {
        guard body.count <= maximumByteCount else { return .refused("answerTooLarge") }
        let text = String(decoding: body, as: UTF8.self)
        switch status {
        case 200:
            let lines = text.split(separator: "\n")
            var signatures: [SignedNote.Signature] = []
            for line in lines {
                guard let signature = SignedNote.Signature(line: line) else {
                    return .refused("unreadableAnswer")
                }
                if signature.isOf(key) { signatures.append(signature) }
            }
            guard signatures.count == 1, checkpoint.adding(signatures).verify(key).isValid else {
                return .refused("invalidSignature")
            }
            return .signed(signatures)
        case 409:
            let size = text.split(separator: "\n").first.flatMap { Int64(plain: $0) }
            return size.map { .knows($0) } ?? .refused("unreadableAnswer")
        default: return .refused("status\(status)")
        }
    }
}
