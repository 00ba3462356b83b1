import AppStore
import Signing

/// One piece of evidence as it was handed in, before anything of it is believed.
package struct Submission: Sendable {
    package enum Form: Sendable {
        /// Whatever Apple signs on its own; told from its verified payload.
        case jws([UInt8])
        /// What its sender calls a transaction.
        case transaction([UInt8])
        /// A transaction and its renewal info, with Apple's unsigned status beside them.
        case pair(transaction: [UInt8], renewal: [UInt8], status: Int64?)
        /// An app receipt, binary or in base64.
        case receipt([UInt8])
        /// A version 1 notification: the body, its password as it came or sealed.
        case notificationV1(NotificationV1Body)
        /// An answer of verifyReceipt: the body.
        case verifyReceipt([UInt8])
        /// An item of a body that is none: what is wrong with it, and (a beginning of) the item.
        case unreadable(String, [UInt8])
    }

    package let form: Form
    /// What an input line claims; nil: now.
    let claimedReceivedAt: Timestamp?
    /// `file:line`, for reports.
    package let input: String
    /// Which of several pieces of one input, from 1; nil for the only one.
    let item: Int?

    package init(form: Form, claimedReceivedAt: Timestamp?, input: String, item: Int?) {
        self.form = form
        self.claimedReceivedAt = claimedReceivedAt
        self.input = input
        self.item = item
    }

    /// The same, of which nothing is to be kept.
    var withoutBytes: Submission {
        Submission(
            form: .unreadable("", []), claimedReceivedAt: claimedReceivedAt, input: input,
            item: item)
    }

    /// The bytes to keep when it cannot be accepted: `ingest` takes them again as a line, with
    /// the time that was claimed.
    package var line: [UInt8] {
        switch form {
        case .unreadable(_, let bytes): return bytes
        case .jws(let token):
            guard let claimedReceivedAt else { return token }
            var json = JSONWriter(reservingCapacity: token.count + 96)
            json.object {
                $0.member("receivedAt", claimedReceivedAt.milliseconds)
                $0.member("signedPayload", String(decoding: token, as: UTF8.self))
            }
            return json.bytes
        case .transaction(let token):
            var json = JSONWriter(reservingCapacity: token.count + 96)
            json.object {
                $0.memberIfPresent("receivedAt", claimedReceivedAt?.milliseconds)
                $0.member("signedTransactionInfo", String(decoding: token, as: UTF8.self))
            }
            return json.bytes
        case .notificationV1(let body):
            // A secret is never written down, not even one that is not ours.
            guard let sealed = try? body.sealed, !sealed.repeatsPassword else {
                return []
            }
            return envelope("notificationV1", sealed.bytes)
        case .receipt(let bytes):
            // Binary or text: as text either way, or there would be no line.
            let base64 =
                (try? ReceiptForm.decode(bytes)).map { Base64Standard.encode($0) } ?? bytes
            var json = JSONWriter(reservingCapacity: base64.count + 96)
            json.object {
                $0.memberIfPresent("receivedAt", claimedReceivedAt?.milliseconds)
                $0.member("receipt", String(decoding: base64, as: UTF8.self))
            }
            return json.bytes
        case .verifyReceipt(let body): return envelope("verifyReceipt", body)
        case .pair(let transaction, let renewal, let status):
            var json = JSONWriter(reservingCapacity: transaction.count + renewal.count + 96)
            json.object {
                $0.memberIfPresent("receivedAt", claimedReceivedAt?.milliseconds)
                $0.member("signedTransactionInfo", String(decoding: transaction, as: UTF8.self))
                $0.member("signedRenewalInfo", String(decoding: renewal, as: UTF8.self))
                $0.memberIfPresent("status", status)
            }
            return json.bytes
        }
    }

    /// A body as the text of one member, beside the time that was claimed; else the body itself.
    private func envelope(_ name: String, _ body: [UInt8]) -> [UInt8] {
        guard let claimedReceivedAt else { return body }
        var json = JSONWriter(reservingCapacity: body.count + body.count / 8 + 96)
        json.object {
            $0.member("receivedAt", claimedReceivedAt.milliseconds)
            $0.member(name, String(decoding: body, as: UTF8.self))
        }
        return json.bytes
    }
}

/// A line that is none of the forms `ingest` takes.
package struct UnreadableInput: Error, Sendable {
    package let code: String
    package let message: String
    package let input: String
    /// Whether quarantine keeps it: something else may make sense of it one day.
    var isKept = true

    package init(code: String, message: String, input: String, isKept: Bool = true) {
        self.code = code
        self.message = message
        self.input = input
        self.isKept = isKept
    }
}
