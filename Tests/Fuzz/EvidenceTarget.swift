import AppStore
import Ledger
import Signing
import Simulator

@testable import LedgerStore
@testable import SQLiteStore

/// Any evidence is stored packed and reproduced byte for byte; packing does not change its meaning;
/// damaged stored bytes are refused or read.
struct EvidenceTarget: FuzzTarget {
    let name = "evidence"
    let maximumByteCount = 32 * 1_024
    private let packer = EvidencePacker()

    private static let header = Base64.url.encode(Array(#"{"alg":"ES256","x5c":["A"]}"#.utf8))
    private static let signature = [UInt8](repeating: 7, count: CompactJWS.signatureByteCount)
    private static let kinds: [EventKind] = [.notification, .transaction, .renewalPair, .receipt]

    func seeds(_ source: SeedSource) throws -> [[UInt8]] {
        let notifications = try source.notifications
        let tokens = try notifications.prefix(4).map { try source.authority.sign($0) }
        let packed = try tokens.map { try packer.pack(.jws($0)).packed.body }
        return notifications + tokens + packed + source.transactions.prefix(2)
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let input = Array(bytes)
        check(.verbatim(input))
        check(.jws(input))
        // The input as a payload: anything in it that looks like a signed part is extracted.
        let token = CompactJWS.assemble(
            headerSegment: EvidenceTarget.header, payload: input,
            signature: EvidenceTarget.signature)
        check(.jws(token))
        let half = input.count / 2
        check(.pair(transaction: token, renewal: token, status: Int64(half)))
        check(.pair(transaction: Array(input[..<half]), renewal: token, status: nil))
        check(.pair(transaction: token, renewal: Array(input[half...]), status: -1))
        checkStored(input)
        requireSameMeaning(token)
    }

    /// The guarantee of `Log.md` §2: byte-exact, and the same hashes from the stored form.
    private func check(_ evidence: Evidence) {
        guard let original = try? evidence.bytes() else {
            guard case .pair = evidence else { return require(false, "only pairs are refused") }
            return
        }
        guard let prepared = try? packer.pack(evidence) else {
            return require(
                original.count > LogLimits.evidenceByteCount, "evidence below the bound is packed")
        }
        require((try? prepared.packed.originalBytes()) == original, "evidence round-trips")
        require(prepared.evidenceHash == SHA256.hash(original), "the hash is of the evidence")
        require(prepared.byteCount == original.count, "the length is of the evidence")
        let hashes = try? prepared.packed.computedHashes()
        require(hashes?.evidence == prepared.evidenceHash, "an audit finds the evidence's hash")
        require(hashes?.payload == prepared.payloadHash, "an audit finds the payload's hash")
        for kind in EvidenceTarget.kinds where prepared.packed.form != .pair {
            _ = try? prepared.packed.payloads(of: kind)
        }
    }

    /// Bytes of a damaged file.
    private func checkStored(_ body: [UInt8]) {
        let headers = ["e30", "eyJ9"].map { text in
            EvidenceHeader(hash: SHA256.hash(Array(text.utf8)), bytes: Array(text.utf8))
        }
        for form in [PackedEvidence.Form.verbatim, .token, .pair] {
            let packed = PackedEvidence(form: form, headers: headers, body: body)
            _ = try? packed.originalBytes()
            _ = try? packed.computedHashes()
            for kind in EvidenceTarget.kinds { _ = try? packed.payloads(of: kind) }
        }
    }

    /// The same notification, packed and verbatim, is the same fact.
    private func requireSameMeaning(_ token: [UInt8]) {
        guard let prepared = try? packer.pack(.jws(token)), prepared.packed.form == .token else {
            return
        }
        let verbatim = PackedEvidence(form: .verbatim, headers: [], body: token)
        let left = fact(prepared.packed, prepared.payloadHash)
        let right = fact(verbatim, prepared.payloadHash)
        require(left == right, "packing does not change a notification's meaning")
    }

    private func fact(_ packed: PackedEvidence, _ payloadHash: Digest) -> Fact? {
        let attributes = EventAttributes(
            kind: .notification, source: .webhook, trust: .signed,
            bundleId: BundleId("com.example.app"), chain: OriginalTransactionId("1"))
        let event = RecordedEvent(
            position: 1, key: payloadHash, attributes: attributes,
            receivedAt: Timestamp(milliseconds: 0), receivedAtClaimed: false, identity: nil,
            payloadHash: payloadHash, evidenceHash: payloadHash, leafHash: payloadHash)
        return FactDecoder.decode(LoggedEvent(event: event, evidence: packed)).first?.fact
    }
}
