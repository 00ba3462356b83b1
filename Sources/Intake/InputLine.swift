import AppStore
import Ledger
import LedgerStore
import Signing

/// Splits an input line (or a whole JSON body) into pieces of evidence (`Contract.md`, `ingest`).
package enum InputLine {
    /// Largest line or body (`Log.md` §6): 4 MiB.
    package static let maximumByteCount = 4 * 1024 * 1024
    /// Largest line from quarantine: a body of the maximum size, sealed.
    static let maximumKeptByteCount = maximumByteCount + LogLimits.sealByteCount
    /// Maximum pieces of evidence in one body; Apple's pages hold 20.
    static let maximumPieces = 1_000
    /// Bytes that quarantine keeps of a line that is too long, or of an item that is not evidence.
    static let keptByteCount = 64 * 1024

    /// Throws `IngestError` for an unknown form.
    package static func submissions(
        _ line: [UInt8], input: String, upTo bound: Int = maximumByteCount
    ) throws(IngestError) -> [Submission] {
        guard line.count <= bound else { throw tooLong(input) }
        guard line.first == UInt8(ascii: "{") else {
            return [Submission(form: try bare(line, input), input: input)]
        }
        let body: JSONValue
        do throws(JSONError) { body = try JSONValue.parse(line) } catch {
            throw line.contains(0)
                ? notText(input)
                : unreadable("The line is not valid JSON (\(error.code.rawValue)).", input)
        }
        let receivedAt = try receivedAt(body, input)
        let forms = try forms(body, of: line, input)
        guard forms.count <= maximumPieces else {
            throw IngestError(
                input: input, code: VerificationCode.payloadTooLarge.rawValue,
                message: "The body holds more than \(maximumPieces) pieces of evidence.")
        }
        let isOnly = forms.count == 1
        return forms.enumerated().map { index, form in
            Submission(
                form: form, claimedReceivedAt: receivedAt, input: input,
                item: isOnly ? nil : index + 1)
        }
    }

    /// Evidence that is the whole line: a receipt or a JWS.
    private static func bare(
        _ line: [UInt8], _ input: String
    ) throws(IngestError) -> Submission.Form {
        if isReceipt(line) { return .receipt(line) }
        guard !line.contains(0) else { throw notText(input) }
        guard line.first != UInt8(ascii: "[") else {
            throw unreadable(
                "It is a JSON list: write its elements one per line, as `jq -c '.[]'` does.", input)
        }
        return .jws(line)
    }

    /// Whether a line of these bytes is read as a JWS, valid or not.
    static func isToken(_ line: [UInt8]) -> Bool {
        line.first != UInt8(ascii: "{") && line.first != UInt8(ascii: "[") && !line.contains(0)
            && !isReceipt(line)
    }

    private static func notText(_ input: String) -> IngestError {
        unreadable(
            "The line has NUL bytes, so it is not UTF-8 text; convert a file in UTF-16 with"
                + " `iconv -f UTF-16 -t UTF-8`.", input)
    }

    /// Whether a line can be a receipt: binary, or in base64, which starts with `MI` as any
    /// sequence of that size and has no dots as a JWS has.
    private static func isReceipt(_ line: [UInt8]) -> Bool {
        WholeReceipt.isBinary(line)
            || line.starts(with: "MI".utf8) && !line.contains(UInt8(ascii: "."))
    }

    package static func tooLong(_ input: String) -> IngestError {
        IngestError(
            input: input, code: VerificationCode.payloadTooLarge.rawValue,
            message: "The line has more than \(maximumByteCount) bytes.")
    }

    private static func forms(
        _ body: JSONValue, of line: [UInt8], _ input: String
    ) throws(IngestError) -> [Submission.Form] {
        if let payload = body["signedPayload"] {
            let kind = body["kind"]?.string.flatMap { EventKind(rawValue: $0) }
            return [try exported(payload, kind, input) ?? token(payload, "signedPayload")]
        }
        if body["signedTransactionInfo"] != nil { return [transaction(body)] }
        if let info = body["signedAppTransactionInfo"] {
            return [token(info, "signedAppTransactionInfo")]
        }
        if let list = body["signedTransactions"]?.array {
            return list.prefix(maximumPieces + 1).map { value in
                guard let text = value.string else {
                    return unreadable("An element of signedTransactions is not a string.", value)
                }
                return .transaction(Array(text.utf8))
            }
        }
        if let list = body["notificationHistory"]?.array {
            return list.prefix(maximumPieces + 1).map {
                token($0["signedPayload"], "signedPayload")
            }
        }
        if let groups = body["data"]?.array { return transactions(groups) }
        if let form = originalStoreKit(body, line) { return [form] }
        if body["signedRenewalInfo"] != nil {
            throw unreadable(
                "A renewal info names no app: it must come with its signedTransactionInfo.", input)
        }
        if body["leafHash"] != nil, body["kind"] != nil {
            throw IngestError(
                input: input, code: ownRecordCode,
                message: "This exported line has no evidence: its event was erased, or it was"
                    + " exported without --evidence. Export it again with --evidence; the evidence"
                    + " of an erased event no longer exists.",
                isKept: false)
        }
        throw unreadable(
            "The object has none of signedPayload, signedTransactionInfo, signedTransactions,"
                + " notificationHistory, data, signedAppTransactionInfo, and is neither a"
                + " verifyReceipt response nor a version 1 notification.", input)
    }

    /// A line of `export events --evidence`, which names the kind of its evidence; nil where it is
    /// a single JWS. Throws for records without a signature from Apple, which belong to another
    /// ledger.
    private static func exported(
        _ payload: JSONValue, _ kind: EventKind?, _ input: String
    ) throws(IngestError) -> Submission.Form? {
        guard let text = payload.string.map({ Array($0.utf8) }) else { return nil }
        switch kind {
        case .receipt: return .receipt(text)
        case .verifyReceipt: return .verifyReceipt(Redaction.withoutPasswords(text))
        case .notificationV1: return .notificationV1(NotificationV1Body(text))
        case .renewalPair: return (try? JSONValue.parse(text)).map { transaction($0) }
        case .command, .sweep, .erasure:
            throw IngestError(
                input: input, code: ownRecordCode,
                message:
                    "This line is a record of another ledger (a \(kind?.rawValue ?? "record")),"
                    + " and is not signed: links, grants and records of requests to Apple move"
                    + " with `backup` and `restore` only.",
                isKept: false)
        case .notification, .transaction, .appTransaction, nil: return nil
        }
    }

    /// The code of records that only a backup carries over.
    static let ownRecordCode = "ownRecord"

    /// Original StoreKit evidence: the body itself, or an object with the body as the text of a
    /// member, and a time.
    private static func originalStoreKit(
        _ body: JSONValue, _ line: [UInt8]
    ) -> Submission.Form? {
        // A receipt by itself, or the request body of verifyReceipt.
        if let text = (body["receipt"] ?? body["receipt-data"])?.string {
            return .receipt(Array(text.utf8))
        }
        if let text = body["notificationV1"]?.string {
            return .notificationV1(NotificationV1Body(Array(text.utf8)))
        }
        if let text = body["verifyReceipt"]?.string {
            return .verifyReceipt(Redaction.withoutPasswords(Array(text.utf8)))
        }
        if body["notification_type"] != nil || body["unified_receipt"] != nil {
            return .notificationV1(NotificationV1Body(line))
        }
        let isAnswer = body["receipt"]?.object != nil || body["latest_receipt_info"] != nil
        // Some clients store the request's secret with the response.
        return body["status"] != nil && isAnswer
            ? .verifyReceipt(Redaction.withoutPasswords(line)) : nil
    }

    /// The items of a status response, at most one more than a body may hold: four million bytes
    /// could name a million of them.
    private static func transactions(_ groups: [JSONValue]) -> [Submission.Form] {
        var forms: [Submission.Form] = []
        for group in groups {
            guard forms.count <= maximumPieces else { break }
            if let items = group["lastTransactions"]?.array {
                let room = maximumPieces + 1 - forms.count
                forms += items.prefix(room).map { transaction($0) }
            } else {
                forms.append(
                    unreadable("An element of data has no list lastTransactions.", group))
            }
        }
        return forms
    }

    private static func unreadable(_ message: String, _ item: JSONValue) -> Submission.Form {
        .unreadable(message, Array(item.encoded().prefix(keptByteCount)))
    }

    private static func transaction(_ item: JSONValue) -> Submission.Form {
        guard let transaction = item["signedTransactionInfo"]?.string else {
            return unreadable("signedTransactionInfo is missing or not a string.", item)
        }
        guard let info = item["signedRenewalInfo"], !info.isNull else {
            return .transaction(Array(transaction.utf8))
        }
        guard let renewal = info.string else {
            return unreadable("signedRenewalInfo is not a string.", item)
        }
        return .pair(
            transaction: Array(transaction.utf8), renewal: Array(renewal.utf8),
            status: item["status"]?.int64)
    }

    private static func token(_ value: JSONValue?, _ name: String) -> Submission.Form {
        guard let text = value?.string else {
            return unreadable("\(name) is missing or not a string.", value ?? .null)
        }
        return .jws(Array(text.utf8))
    }

    private static func receivedAt(
        _ body: JSONValue, _ input: String
    ) throws(IngestError) -> Timestamp? {
        guard let value = body["receivedAt"], !value.isNull else { return nil }
        // An exported event whose own line had none: this is the time of its import.
        if body["receivedAtClaimed"]?.bool == false,
            body["source"]?.string == EventSource.import.rawValue
        {
            return nil
        }
        let stated =
            value.int64.map { Timestamp(milliseconds: $0) }
            ?? value.string.flatMap { Timestamp(userInput: $0) }
        guard let stated, stated.isInRange else {
            throw unreadable(
                "receivedAt is neither RFC 3339 nor milliseconds since the Unix epoch, in the years"
                    + " 1 to 9999.", input)
        }
        return stated
    }

    private static func unreadable(_ message: String, _ input: String) -> IngestError {
        IngestError(
            input: input, code: VerificationCode.undecodablePayload.rawValue, message: message)
    }
}
