public import AppStore
import Signing

/// A client of verifyReceipt (deprecated 2023-06-05) for one app: Production first, the other
/// environment if Apple assigns the receipt to it, with retries where they may help.
/// https://developer.apple.com/documentation/appstorereceipts/verifyreceipt
///
/// The response is unsigned: evidence that rests on the connection (`Trust.transport`).
public final class VerifyReceiptClient: Sendable, Undisclosed {
    /// Never printed: neither description nor mirror contain it.
    private let sharedSecret: String?
    private let hosts: APIHosts
    private let sender: RequestSender

    /// Without a shared secret (from App Store Connect) Apple accepts only receipts without
    /// subscriptions. `policy` applies to each of Apple's environments; `chance` returns a random
    /// number in the range, for jitter.
    public init(
        sharedSecret: String?, hosts: APIHosts = .verifyReceipt, transport: any APITransport,
        clock: any RequestClock = SystemRequestClock(), policy: RetryPolicy = RetryPolicy(),
        chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        self.sharedSecret = sharedSecret
        self.hosts = hosts
        sender = RequestSender(
            transport: transport, clock: clock, policy: policy, chance: chance)
    }

    /// Apple's response for a confirmed receipt: status 0, or 21006 for old receipts. The receipt
    /// is binary or in base64, an app receipt or a transaction receipt of iOS 6. Apple advises to
    /// try Production first.
    ///
    /// Throws `invalidRequest` if the input is not a receipt, `wrongSharedSecret` for 21004,
    /// `appleUnavailable` for 21005, 21009 and retryable 21100 to 21199 after all attempts,
    /// `receiptRefusedByApple` for every other status, and the other failures of a request.
    public func verify(
        _ receipt: [UInt8], first: Environment = .production
    ) async throws(APIFailure) -> APIResponse<VerifyReceiptResponse> {
        guard first == .production || first == .sandbox else {
            throw .invalid(
                .verifyReceipt, "Apple has only Production and Sandbox.")
        }
        let body = try body(receipt)
        let response = try await answer(body, first)
        guard let other = response.value.status.value.flatMap({ first.elsewhere($0) }) else {
            return try confirmed(response)
        }
        // Once: a response that sends it back again is an error.
        return try confirmed(try await answer(body, other))
    }

    // MARK: The request

    private func body(_ receipt: [UInt8]) throws(APIFailure) -> [UInt8] {
        let data = try VerifyReceiptClient.receiptData(receipt)
        var json = JSONWriter(reservingCapacity: data.count + 256)
        json.object { json in
            json.member("receipt-data", String(decoding: data, as: UTF8.self))
            json.memberIfPresent("password", sharedSecret)
            json.member("exclude-old-transactions", false)
        }
        return json.bytes
    }

    /// The receipt in Apple's format: base64 without line breaks.
    private static func receiptData(_ receipt: [UInt8]) throws(APIFailure) -> [UInt8] {
        guard receipt.count <= AppReceiptLimits.byteCount else {
            throw .invalid(
                .verifyReceipt, "A receipt has at most \(AppReceiptLimits.byteCount) bytes.")
        }
        if let bytes = try? ReceiptForm.decode(receipt), !bytes.isEmpty {
            return Base64.standard.encode(bytes)
        }
        guard ReceiptForm.transactionReceipt(receipt) != nil else {
            throw .invalid(.verifyReceipt, "The input is neither a binary nor a base64 receipt.")
        }
        return Base64.standard.encode(receipt)
    }

    private func outgoing(_ body: [UInt8], _ environment: Environment) -> TransportRequest {
        TransportRequest(
            method: "POST", url: hosts.base(environment) + "/verifyReceipt",
            headers: [
                .init("accept", "application/json"), .init("content-type", "application/json"),
                .init("user-agent", "subledger"),
            ], body: body)
    }

    // MARK: Requests

    private func answer(
        _ body: [UInt8], _ environment: Environment
    ) async throws(APIFailure) -> APIResponse<VerifyReceiptResponse> {
        try await sender.send(.verifyReceipt, environment) {
            outgoing(body, environment)
        } judge: { answer, attempts in
            (200...299).contains(answer.status)
                ? judge(answer, environment, attempts)
                : sender.verdict(answer, nil, .verifyReceipt, attempts: attempts)
        }
    }

    // MARK: Evaluation

    private func judge(
        _ answer: TransportResponse, _ environment: Environment, _ attempts: Int
    ) -> Verdict<APIResponse<VerifyReceiptResponse>> {
        guard answer.body.count <= APILimits.answerByteCount else {
            return .failed(.transport(.verifyReceipt, .tooLarge, attempts: attempts))
        }
        let response: VerifyReceiptResponse
        do throws(JSONError) { response = try VerifyReceiptResponse(answer.body) } catch {
            return .failed(.unreadable(.verifyReceipt, error.description))
        }
        let status = response.status
        switch status.value {
        case .malformedOrTemporary:
            return .again(.receiptRefused(status, attempts: attempts))
        case .unavailable, .internalDataAccess:
            return .again(.receiptUnavailable(status, attempts: attempts))
        case .wrongSharedSecret:
            return .failed(.wrongSharedSecret(isSent: sharedSecret != nil))
        case nil where VerifyReceiptStatus.dataAccess.contains(status.rawValue):
            guard response.isRetryable == true else { break }
            return .again(.receiptUnavailable(status, attempts: attempts))
        default: break
        }
        return .done(
            APIResponse(
                endpoint: .verifyReceipt, value: response, body: answer.body,
                environment: environment, date: answer.appleDate))
    }

    private func confirmed(
        _ answer: APIResponse<VerifyReceiptResponse>
    ) throws(APIFailure) -> APIResponse<VerifyReceiptResponse> {
        guard answer.value.status.value?.isGenuine == true else {
            throw .receiptRefused(answer.value.status, attempts: 1).from(answer.environment)
        }
        return answer
    }
}

extension Environment {
    /// The environment to which Apple assigns a receipt sent to this one; nil: this one.
    fileprivate func elsewhere(_ status: VerifyReceiptStatus) -> Environment? {
        switch status {
        case .isSandboxReceipt where self == .production: .sandbox
        case .isProductionReceipt where self == .sandbox: .production
        default: nil
        }
    }
}
