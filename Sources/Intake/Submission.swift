import AppStore
import Signing

/// One piece of evidence as submitted, before verification.
package struct Submission: Sendable {
    package enum Form: Sendable {
        /// A JWS of any kind; the verified payload determines it.
        case jws([UInt8])
        /// A transaction, according to its sender.
        case transaction([UInt8])
        /// A transaction and its renewal info, with Apple's unsigned status.
        case pair(transaction: [UInt8], renewal: [UInt8], status: Int64?)
        /// An app receipt, binary or in base64.
        case receipt([UInt8])
        /// A version 1 notification: the body, with its password or sealed.
        case notificationV1(NotificationV1Body)
        /// A verifyReceipt response: the body.
        case verifyReceipt([UInt8])
        /// An item that is not evidence: the reason, and (a prefix of) the item.
        case unreadable(String, [UInt8])
    }

    package let form: Form
    /// The arrival time claimed by the input; nil: now.
    let claimedReceivedAt: Timestamp?
    /// `file:line`, for reports.
    package let input: String
    /// The number among several pieces of one input, from 1; nil for a single one.
    let item: Int?

    package init(
        form: Form, claimedReceivedAt: Timestamp? = nil, input: String, item: Int? = nil
    ) {
        self.form = form
        self.claimedReceivedAt = claimedReceivedAt
        self.input = input
        self.item = item
    }

    /// The same without bytes to keep.
    var withoutBytes: Submission {
        Submission(
            form: .unreadable("", []), claimedReceivedAt: claimedReceivedAt, input: input,
            item: item)
    }

    /// The bytes to keep when it is not accepted: `ingest` accepts them as a line, with the claimed
    /// time.
    package var line: [UInt8] {
        switch form {
        case .unreadable(_, let bytes): return bytes
        case .jws(let token):
            return claimedReceivedAt == nil && InputLine.isToken(token)
                ? token : object([("signedPayload", token)])
        case .transaction(let token): return object([("signedTransactionInfo", token)])
        case .notificationV1(let body):
            // Secrets are never written, not even foreign ones.
            guard let sealed = try? body.sealed, !sealed.repeatsPassword else {
                return []
            }
            return claimedReceivedAt == nil
                ? sealed.bytes : object([("notificationV1", sealed.bytes)])
        case .receipt(let bytes):
            // Binary or base64: written as base64 either way, so that it fits on a line.
            let base64 =
                (try? ReceiptForm.decode(bytes)).map { Base64.standard.encode($0) } ?? bytes
            return object([("receipt", base64)])
        case .verifyReceipt(let body):
            return claimedReceivedAt == nil ? body : object([("verifyReceipt", body)])
        case .pair(let transaction, let renewal, let status):
            return object(
                [("signedTransactionInfo", transaction), ("signedRenewalInfo", renewal)],
                status: status)
        }
    }

    /// Bytes as the texts of members, after the claimed time.
    private func object(_ texts: [(name: String, bytes: [UInt8])], status: Int64? = nil) -> [UInt8]
    {
        let byteCount = texts.reduce(96) { $0 + $1.bytes.count + $1.bytes.count / 8 }
        var json = JSONWriter(reservingCapacity: byteCount)
        json.object { json in
            json.memberIfPresent("receivedAt", claimedReceivedAt?.milliseconds)
            for text in texts {
                json.member(text.name, String(decoding: text.bytes, as: UTF8.self))
            }
            json.memberIfPresent("status", status)
        }
        return json.bytes
    }
}
