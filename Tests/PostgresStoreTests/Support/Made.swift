import AppStore
import Ledger
import LedgerStore
import Signing

/// Events as intake prepares them; the store never checks signatures.
enum Made {
    static let packer = EvidencePacker()

    static func event(
        _ id: String, kind: EventKind = .command, evidence: Evidence
    ) throws -> NewEvent {
        NewEvent(
            key: EventKey.make(kind, [id]),
            attributes: EventAttributes(
                kind: kind, source: .webhook, trust: .signed, bundleId: BundleId("com.example"),
                chain: OriginalTransactionId("chain-" + id), notificationUUID: NotificationUUID(id),
                signedAt: Timestamp(milliseconds: 500), rootFingerprint: SHA256.hash([1])),
            receivedAt: Timestamp(milliseconds: 1_000), evidence: try packer.pack(evidence))
    }

    /// A small event, stored verbatim.
    static func event(_ id: String, _ text: String = "{}") throws -> NewEvent {
        try event(id, evidence: .verbatim(Array(text.utf8)))
    }

    /// A token with a header of its own.
    static func token(_ id: String, header: String = "first", signature: UInt8 = 1) throws
        -> NewEvent
    {
        func text(_ bytes: [UInt8]) -> String {
            String(decoding: Base64.url.encode(bytes), as: UTF8.self)
        }
        let parts = [
            text(Array(#"{"alg":"ES256","x5c":["\#(header)"]}"#.utf8)),
            text(Array(#"{"transactionId":"\#(id)"}"#.utf8)),
            text([UInt8](repeating: signature, count: 64)),
        ]
        let token = Array(parts.joined(separator: ".").utf8)
        return try event(id, kind: .transaction, evidence: .jws(token))
    }

    static func events(_ range: Range<Int>) throws -> [NewEvent] {
        try range.map { try event("e\($0)") }
    }
}
