public import AppStore
import Signing

/// Asks verifyReceipt (deprecated 2023-06-05) for one app: Production first, the other environment
/// where Apple says that the receipt is of it, again where that may help.
/// https://developer.apple.com/documentation/appstorereceipts/verifyreceipt
///
/// What it answers is unsigned: evidence that rests on the connection (`Trust.transport`).
public final class VerifyReceiptClient: Sendable {
    /// Never told: neither a description nor a mirror of this class shows it.
    private let sharedSecret: String?
    private let hosts: APIHosts
    private let transport: any APITransport
    private let pace: RequestPace

    /// - Parameters:
    ///   - sharedSecret: of App Store Connect; nil asks without, which Apple takes for receipts
    ///     without subscriptions only.
    ///   - hosts: Apple's, or what takes their place.
    ///   - transport: carries requests.
    ///   - clock: time of day, elapsed time, and waiting.
    ///   - policy: how often and how long is tried, at each of Apple's environments.
    ///   - chance: a number of the range it is given: how long to wait.
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

    /// What Apple says of a receipt that it vouches for: status 0, or 21006 of old receipts.
    ///
    /// - Parameters:
    ///   - receipt: binary or in base64; an app receipt, or a transaction receipt of iOS 6.
    ///   - excludesOldTransactions: of each subscription only the newest transaction.
    ///   - first: whom to ask first; Apple advises Production.
    ///
    /// Throws `invalidRequest` for what is no receipt at all, `wrongSharedSecret` for 21004,
    /// `receiptRefusedByApple` for every other status that Apple does not take back when asked
    /// again, and what asking Apple may come to otherwise.
    public func verify(
        _ receipt: [UInt8], excludesOldTransactions: Bool = false,
        first: Environment = .production
    ) async throws(APIFailure) -> APIAnswer<VerifyReceiptResponse> {
        guard first == .production || first == .sandbox else {
            throw .invalid(
                .verifyReceipt, "Only Production and Sandbox are Apple's to answer for.")
        }
        let body = try body(receipt, excludesOldTransactions)
        let asked = try await answer(body, first)
        guard let other = asked.value.status.value.flatMap({ first.elsewhere($0) }) else {
            return try vouched(asked)
        }
        // Once: what the other one sends back is nobody's.
        return try vouched(try await answer(body, other))
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

    /// The receipt as Apple wants it: base64 without line breaks.
    private static func receiptData(_ receipt: [UInt8]) throws(APIFailure) -> [UInt8] {
        guard receipt.count <= AppReceiptLimits.byteCount else {
            throw .invalid(
                .verifyReceipt, "A receipt has at most \(AppReceiptLimits.byteCount) bytes.")
        }
        if let bytes = try? ReceiptForm.decode(receipt), !bytes.isEmpty {
            return Base64Standard.encode(bytes)
        }
        guard ReceiptForm.transactionReceipt(receipt) != nil else {
            throw .invalid(.verifyReceipt, "It is no receipt, neither binary nor in base64.")
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

    // MARK: Asking

    /// What follows from what came back.
    private enum Verdict {
        case done(APIAnswer<VerifyReceiptResponse>)
        /// Once more, if attempts and budget allow, else this failure.
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
            let told = APIFailure.transport(.verifyReceipt, error, attempts: attempts)
            return switch error {
            case .notConnected, .disconnected, .timedOut: .again(told, notBefore: nil)
            case .tooLarge, .cancelled: .failed(told)
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

    // MARK: Judging

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

    private func vouched(
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
    /// Nothing: the secret is among its parts.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Environment {
    /// Where Apple says that a receipt belongs that this one was asked about; nil: here.
    fileprivate func elsewhere(_ status: VerifyReceiptStatus) -> Environment? {
        switch status {
        case .isSandboxReceipt where self == .production: .sandbox
        case .isProductionReceipt where self == .sandbox: .production
        default: nil
        }
    }
}
