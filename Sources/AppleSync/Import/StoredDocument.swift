import AppStore
import Intake
import Signing

/// The form of a piece of stored evidence and the ids it names, read without verification; used
/// only to select the ids to request.
struct StoredDocument: Sendable {
    enum Form: Sendable {
        case receipt
        case response
        case notification
        /// Of iOS 6: cannot be verified, so only its id is used.
        case transactionReceipt
    }

    let form: Form
    let bundleId: BundleId?
    let environment: Environment?
    /// Ids of the customers' chains, without duplicates.
    let ids: [String]

    /// Throws `IngestError` for anything else.
    init(_ piece: InputChunk, name: String) throws(IngestError) {
        guard piece.bytes.first != UInt8(ascii: "[") else { throw StoredDocument.list(name) }
        guard !piece.isTooLong else { throw InputLine.tooLong(name) }
        if let old = ReceiptForm.transactionReceipt(piece.bytes) {
            self.init(old)
            return
        }
        let submissions: [Submission]
        do throws(IngestError) {
            submissions = try InputLine.submissions(piece.bytes, input: name)
        } catch {
            // A refusal by Apple consists of a status only.
            if let answer = try? VerifyReceiptResponse(piece.bytes) {
                throw StoredDocument.refused(answer, name) ?? error
            }
            throw error
        }
        guard submissions.count == 1, let form = submissions.first?.form else {
            throw StoredDocument.foreign(name)
        }
        switch form {
        case .receipt(let bytes): self = try StoredDocument(receipt: bytes, name)
        case .verifyReceipt(let body): self = try StoredDocument(response: body, name)
        case .notificationV1(let body): self = try StoredDocument(notification: body.bytes, name)
        case .jws, .transaction, .pair: throw StoredDocument.foreign(name)
        case .unreadable(let message, _):
            throw IngestError(
                input: name, code: VerificationCode.undecodablePayload.rawValue, message: message)
        }
    }

    private init(
        form: Form, bundleId: BundleId?, environment: Environment?, chains: [String?]
    ) {
        self.form = form
        self.bundleId = bundleId
        self.environment = environment
        var seen: Set<String> = []
        ids = chains.compactMap { $0 }.filter { seen.insert($0).inserted }
    }

    private init(_ old: TransactionReceipt) {
        self.init(
            form: .transactionReceipt, bundleId: old.bundleId, environment: old.environment?.value,
            chains: [old.originalTransactionId?.rawValue ?? old.transactionId.rawValue])
    }

    private init(receipt: [UInt8], _ name: String) throws(IngestError) {
        // A transaction receipt inside a request body of verifyReceipt.
        if let old = ReceiptForm.transactionReceipt(receipt) {
            self.init(old)
            return
        }
        let read: AppReceipt
        do throws(VerificationError) { read = try ReceiptVerifier.readUnverified(receipt) } catch {
            throw IngestError(
                input: name, code: error.code.rawValue, message: error.reason)
        }
        self.init(
            form: .receipt, bundleId: read.bundleId, environment: read.environment,
            chains: read.originalTransactionIds.map(\.rawValue))
    }

    private init(response body: [UInt8], _ name: String) throws(IngestError) {
        let response: VerifyReceiptResponse
        do throws(JSONError) { response = try VerifyReceiptResponse(body) } catch {
            throw StoredDocument.undecodable(error, name)
        }
        if let refused = StoredDocument.refused(response, name) { throw refused }
        self.init(
            form: .response, bundleId: response.bundleId,
            environment: response.namedEnvironment.flatMap { Environment(rawValue: $0) },
            chains: StoredDocument.chains(response.transactions, response.pendingRenewalInfo))
    }

    private init(notification body: [UInt8], _ name: String) throws(IngestError) {
        let notification: NotificationV1
        do throws(JSONError) { notification = try NotificationV1(JSONValue.parse(body)) } catch {
            throw StoredDocument.undecodable(error, name)
        }
        self.init(
            form: .notification, bundleId: notification.bundleId,
            environment: notification.namedEnvironment.flatMap { Environment(rawValue: $0) },
            chains: [notification.originalTransactionId?.rawValue]
                + StoredDocument.chains(
                    notification.transactions, notification.pendingRenewalInfo))
    }

    private static func chains(
        _ transactions: [ReceiptTransaction], _ renewals: [PendingRenewalInfo]
    ) -> [String?] {
        transactions.map { $0.originalTransactionId?.rawValue ?? $0.transactionId?.rawValue }
            + renewals.map { $0.originalTransactionId?.rawValue }
    }

    /// Nil for a response with a receipt that Apple confirms.
    private static func refused(
        _ response: VerifyReceiptResponse, _ name: String
    ) -> IngestError? {
        guard response.status.value?.isGenuine != true else { return nil }
        return IngestError(
            input: name, code: VerificationCode.receiptRefusedByApple.rawValue,
            message: "Apple answered with status \(response.status.rawValue): the response"
                + " contains no receipt confirmed by Apple.")
    }

    private static func foreign(_ name: String) -> IngestError {
        IngestError(
            input: name, code: "notOriginalStoreKit",
            message: "It is not a receipt, verifyReceipt response or version 1 notification;"
                + " use `subledger ingest` for signed evidence.")
    }

    static let listCode = "jsonList"

    private static func list(_ name: String) -> IngestError {
        IngestError(
            input: name, code: listCode,
            message: "It is a JSON list: write its elements one per line, as `jq -c '.[]'` does."
                + " Bodies are stored byte for byte, so they are not extracted from it here.")
    }

    private static func undecodable(_ error: JSONError, _ name: String) -> IngestError {
        IngestError(
            input: name, code: VerificationCode.undecodablePayload.rawValue,
            message: "It cannot be read (\(error.code.rawValue)"
                + "\(error.field.map { " in \($0)" } ?? "")).")
    }
}
