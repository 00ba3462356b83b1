public import AppStore
import Signing

/// A client of verifyReceipt (deprecated 2023-06-05) for one app: Production first, the other
/// environment if Apple assigns the receipt to it, with retries where they may help.
/// https://developer.apple.com/documentation/appstorereceipts/verifyreceipt
///
/// The response is unsigned: evidence that rests on the connection (`Trust.transport`).
public final class VerifyReceiptClient: Sendable {
    /// Never printed: neither description nor mirror contain it.
    private let sharedSecret: String?
    private let hosts: APIHosts
    private let transport: any APITransport
    private let pace: RequestPace

    /// - Parameters:
    ///   - sharedSecret: from App Store Connect; nil sends none, which Apple accepts only for
    ///     receipts without subscriptions.
    ///   - hosts: Apple's, or replacements.
    ///   - transport: sends requests.
    ///   - clock: time of day, elapsed time, and sleeping.
    ///   - policy: attempts and waiting, for each of Apple's environments.
    ///   - chance: returns a random number in the range, for jitter.
    public init(
        sharedSecret: String?, hosts: APIHosts = .verifyReceipt, transport: any APITransport,
        clock: any RequestClock = SystemRequestClock(), policy: RetryPolicy = RetryPolicy(),
        chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        self.sharedSecret = sharedSecret
        self.hosts = hosts
        self.transport = transport
        pace = RequestPace(
            limiter: RateLimiter(), clock: clock, policy: policy, chance: chance)
    }

    /// Apple's response for a confirmed receipt: status 0, or 21006 for old receipts.
    ///
    /// - Parameters:
    ///   - receipt: binary or in base64; an app receipt, or a transaction receipt of iOS 6.
    ///   - excludesOldTransactions: only the newest transaction of each subscription.
    ///   - first: the environment to try first; Apple advises Production.
    ///
    /// Throws `invalidRequest` if the input is not a receipt, `wrongSharedSecret` for 21004,
    /// `receiptRefusedByApple` for every other status that persists after retries, and the other
    /// failures of a request.
    public func verify(
        _ receipt: [UInt8], excludesOldTransactions: Bool = false,
        first: Environment = .production
    ) async throws(APIFailure) -> APIAnswer<VerifyReceiptResponse> {
        guard first == .production || first == .sandbox else {
            throw .invalid(
                .verifyReceipt, "Apple has only Production and Sandbox.")
        }
        let body = try body(receipt, excludesOldTransactions)
        let asked = try await answer(body, first)
        guard let other = asked.value.status.value.flatMap({ first.elsewhere($0) }) else {
            return try confirmed(asked)
        }
        // Once: a response that sends it back again is an error.
        return try confirmed(try await answer(body, other))
    }

    // MARK: The request

    private func body(
        _ receipt: [UInt8], _ excludesOldTransactions: Bool
    ) throws(APIFailure) -> [UInt8] {
        let data = try VerifyReceiptClient.receiptData(receipt)
        var json = JSONWriter(reservingCapacity: data.count + 256)
        json.object { json in
            json.member("receipt-data", String(decoding: data, as: UTF8.self))
            json.memberIfPresent("password", sharedSecret)
            json.member("exclude-old-transactions", excludesOldTransactions)
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
            return Base64Standard.encode(bytes)
        }
        guard ReceiptForm.transactionReceipt(receipt) != nil else {
            throw .invalid(.verifyReceipt, "The input is neither a binary nor a base64 receipt.")
        }
        return Base64Standard.encode(receipt)
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

    /// The next step after an attempt.
    private enum Verdict {
        case done(APIAnswer<VerifyReceiptResponse>)
        /// Retry if attempts and budget allow, else fail with this failure.
        case again(APIFailure, notBefore: Timestamp?)
        case failed(APIFailure)
    }

    private func answer(
        _ body: [UInt8], _ environment: Environment
    ) async throws(APIFailure) -> APIAnswer<VerifyReceiptResponse> {
        do throws(APIFailure) {
            var budget = RetryBudget(pace.policy)
            while true {
                try await pace.waitForPlace(.verifyReceipt, environment)
                budget.beginAttempt()
                switch await attempt(body, environment, attempts: budget.attempts) {
                case .done(let answer): return answer
                case .failed(let failure): throw failure
                case .again(let failure, let date):
                    try await pace.waitBeforeRetry(failure, until: date, environment, &budget)
                }
            }
        } catch {
            var failure = error
            failure.environment = environment
            throw failure
        }
    }

    private func attempt(
        _ body: [UInt8], _ environment: Environment, attempts: Int
    ) async -> Verdict {
        let answer: TransportAnswer
        do throws(TransportFailure) {
            answer = try await transport.send(outgoing(body, environment))
        } catch {
            let reported = APIFailure.transport(.verifyReceipt, error, attempts: attempts)
            return switch error {
            case .notConnected, .disconnected, .timedOut: .again(reported, notBefore: nil)
            case .tooLarge, .cancelled: .failed(reported)
            }
        }
        switch answer.status {
        case 200...299: return judge(answer, environment, attempts)
        case 429:
            let date = RetryAfter.read(answer.retryAfter, now: pace.appleNow)
            return .again(.rateLimited(.verifyReceipt, until: date), notBefore: date)
        case 500...:
            return .again(
                .unavailable(.verifyReceipt, status: answer.status, attempts: attempts),
                notBefore: nil)
        default: return .failed(.unexpectedStatus(.verifyReceipt, status: answer.status))
        }
    }

    // MARK: Evaluation

    private func judge(
        _ answer: TransportAnswer, _ environment: Environment, _ attempts: Int
    ) -> Verdict {
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
            return .again(.receiptRefused(status, attempts: attempts), notBefore: nil)
        case .unavailable, .internalDataAccess:
            return .again(.receiptUnavailable(status, attempts: attempts), notBefore: nil)
        case .wrongSharedSecret:
            return .failed(.wrongSharedSecret(isSent: sharedSecret != nil))
        case nil where VerifyReceiptStatus.dataAccess.contains(status.rawValue):
            guard response.isRetryable == true else { break }
            return .again(.receiptUnavailable(status, attempts: attempts), notBefore: nil)
        default: break
        }
        return .done(
            APIAnswer(
                value: response, body: answer.body, environment: environment,
                date: answer.date.flatMap { HTTPDate.read($0) }))
    }

    private func confirmed(
        _ answer: APIAnswer<VerifyReceiptResponse>
    ) throws(APIFailure) -> APIAnswer<VerifyReceiptResponse> {
        guard answer.value.status.value?.isGenuine == true else {
            var failure = APIFailure.receiptRefused(answer.value.status, attempts: 1)
            failure.environment = answer.environment
            throw failure
        }
        return answer
    }
}

extension VerifyReceiptClient: CustomReflectable {
    /// Empty, because the parts include the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
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
