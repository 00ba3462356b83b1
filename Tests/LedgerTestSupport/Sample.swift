import AppStore
import Ledger
import LedgerStore
import Signing

/// Synthetic events shaped like Apple's; the store never checks signatures.
package enum Sample {
    /// As long as Apple's, and also an encoded object.
    package static let header = text(
        of: #"{"alg":"ES256","x5c":["\#(String(repeating: "A", count: 3_300))"]}"#)
    package static let otherHeader = text(of: #"{"alg":"ES256","x5c":["other"]}"#)
    package static let packer = EvidencePacker()

    package static func text(of string: String) -> String {
        String(decoding: Base64.url.encode(Array(string.utf8)), as: UTF8.self)
    }

    package static func token(_ payload: String, signature: UInt8 = 1, header: String = header)
        -> String
    {
        let signature = Base64.url.encode([UInt8](repeating: signature, count: 64))
        return header + "." + text(of: payload) + "." + String(decoding: signature, as: UTF8.self)
    }

    package static func transaction(_ id: String, price: Int = 990) -> String {
        #"{"transactionId":"\#(id)","bundleId":"com.example","price":\#(price)}"#
    }

    package static func renewal(_ id: String) -> String {
        #"{"originalTransactionId":"\#(id)","autoRenewStatus":1}"#
    }

    /// A notification payload with two signed parts.
    package static func notification(
        _ id: String, price: Int = 990, signature: UInt8 = 1, reversed: Bool = false
    ) -> String {
        let transaction = token(transaction(id, price: price), signature: signature)
        let renewal = token(renewal(id), signature: signature)
        let data = """
            "data":{"bundleId":"com.example","signedTransactionInfo":"\(transaction)",\
            "signedRenewalInfo":"\(renewal)","status":1}
            """
        let type = #""notificationType":"DID_RENEW""#
        let uuid = #""notificationUUID":"\#(id)""#
        return reversed ? "{\(uuid),\(data),\(type)}" : "{\(type),\(uuid),\(data)}"
    }

    package static func event(
        _ id: String, kind: EventKind = .notification, evidence: Evidence,
        at milliseconds: Int64 = 1_000,
        claimed: Bool = false
    ) throws -> NewEvent {
        NewEvent(
            key: EventKey.make(kind, [id]),
            attributes: EventAttributes(
                kind: kind, source: .webhook, trust: .signed, bundleId: BundleId("com.example"),
                chain: OriginalTransactionId("chain-" + id), notificationType: "DID_RENEW",
                notificationUUID: NotificationUUID(id), signedAt: Timestamp(milliseconds: 500),
                rootFingerprint: SHA256.hash([1])),
            receivedAt: Timestamp(milliseconds: milliseconds), receivedAtClaimed: claimed,
            evidence: try packer.pack(evidence))
    }

    /// A whole notification event.
    package static func event(
        _ id: String, price: Int = 990, signature: UInt8 = 1, reversed: Bool = false,
        header: String = header, at milliseconds: Int64 = 1_000, claimed: Bool = false
    ) throws -> NewEvent {
        let payload = notification(id, price: price, signature: signature, reversed: reversed)
        let token = token(payload, signature: signature, header: header)
        return try event(
            id, evidence: .jws(Array(token.utf8)), at: milliseconds, claimed: claimed)
    }

    package static func events(_ range: Range<Int>) throws -> [NewEvent] {
        try range.map { try event("n\($0)") }
    }

    /// Many events, for tests of their number: each fiftieth, from the third on, as in `events`,
    /// the others small commands, which cost a fraction.
    package static func crowd(_ range: Range<Int>) throws -> [NewEvent] {
        try range.map {
            try $0 % 50 == 2 ? event("n\($0)") : command("n\($0)", Array("\"n\($0)\"".utf8))
        }
    }

    /// A command: small, stored verbatim.
    package static func command(_ id: String, _ bytes: [UInt8]) throws -> NewEvent {
        try event(id, kind: .command, evidence: .verbatim(bytes))
    }
}
