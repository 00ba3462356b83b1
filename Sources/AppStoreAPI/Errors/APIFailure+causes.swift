import AppStore

/// Constructors of all failures, in one place to keep their wording consistent.
extension APIFailure {
    static func invalid(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        APIFailure(
            code: .invalidRequest, endpoint: endpoint, reason: reason,
            remedy: "Nothing was sent. Correct the request.")
    }

    /// Apple's rejection, without Apple's text, which may contain anything. One of Apple's "errors
    /// to retry" is `appleUnavailable`.
    static func refused(
        _ endpoint: Endpoint, status: Int, code: Raw<APIErrorCode>
    ) -> APIFailure {
        let name = code.value.map { " (\($0))" } ?? ""
        return APIFailure(
            code: code.value?.isRetryable ?? false ? .appleUnavailable : .refusedByApple,
            endpoint: endpoint, status: status, appleCode: code,
            reason: "Apple rejected the request with \(code.rawValue)\(name), HTTP \(status).",
            remedy: code.value?.remedy
                ?? "This version does not know the number; see Error Codes of the App"
                + " Store Server API.")
    }

    static func unauthorized(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            code: .unauthorized, endpoint: endpoint, status: 401,
            reason: "Apple rejects the key (401).",
            remedy: "Check keyId, issuerId and bundleId, that the file holds an In-App Purchase key"
                + " (not one of the App Store Connect API) that was not revoked, and this machine's"
                + " clock. An app that was never released is known to Sandbox only.")
    }

    static func rateLimited(_ endpoint: Endpoint, until date: Timestamp?) -> APIFailure {
        let time = date.map { " until \($0.rfc3339)" } ?? ""
        return APIFailure(
            code: .rateLimited, endpoint: endpoint, status: 429, appleCode: Raw(.rateLimitExceeded),
            retryAt: date, reason: "Apple accepts no more requests of this kind\(time) (429).",
            remedy: "Try again \(date == nil ? "later" : "then"). Other servers may use the same"
                + " app's allowance.")
    }

    static func unavailable(_ endpoint: Endpoint, status: Int, attempts: Int) -> APIFailure {
        APIFailure(
            code: .appleUnavailable, endpoint: endpoint, status: status,
            reason: "Apple returned status \(status), \(attempts) times.",
            remedy: "Try again later; Apple's System Status page lists outages.")
    }

    static func transport(
        _ endpoint: Endpoint, _ failure: TransportFailure, attempts: Int
    ) -> APIFailure {
        switch failure {
        case .timedOut:
            APIFailure(
                code: .appleTimedOut, endpoint: endpoint,
                reason: "No complete response within \(APILimits.timeoutMilliseconds / 1_000) s,"
                    + " \(attempts) times.",
                remedy: "Try again later; check the connection if it persists.")
        case .tlsFailed(let reason):
            APIFailure(
                code: .appleUnreachable, endpoint: endpoint,
                reason: "TLS failed (\(reason)), \(attempts) times.",
                remedy: "Check this machine's root certificates and clock, and whether a proxy or"
                    + " api.baseUrl presents a certificate that they do not trust.")
        case .notConnected, .connectTimedOut, .disconnected:
            APIFailure(
                code: .appleUnreachable, endpoint: endpoint,
                reason: "The connection failed, \(attempts) times.",
                remedy: "Check name resolution, firewall and certificates between this machine and"
                    + " Apple's host (or api.baseUrl).")
        case .tooLarge:
            APIFailure(
                code: .answerTooLarge, endpoint: endpoint,
                reason: "The response has more than \(APILimits.answerByteCount) bytes.",
                remedy: "The response was discarded. Check that api.baseUrl is the API.")
        case .cancelled: cancelled(endpoint)
        }
    }

    static func cancelled(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            code: .cancelled, endpoint: endpoint, reason: "The request was cancelled.",
            remedy: "Data fetched before is kept. Try again.")
    }

    static func unknownOutcome(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            code: .unknownOutcome, endpoint: endpoint,
            reason: "The request was sent without a usable response; Apple may have acted on it.",
            remedy: "It was not sent again. Check whether it took effect (statuses, or the status"
                + " of the request), and repeat it if it did not.")
    }

    static func unexpectedStatus(_ endpoint: Endpoint, status: Int) -> APIFailure {
        guard !(300..<400).contains(status) else {
            return APIFailure(
                code: .unexpectedStatus, endpoint: endpoint, status: status,
                reason: "The response is a redirect (\(status)), which Apple never sends and this"
                    + " client does not follow.",
                remedy: "Check that api.baseUrl (--base-url) is the API itself, including https,"
                    + " and that no proxy or login page responds instead.")
        }
        return APIFailure(
            code: .unexpectedStatus, endpoint: endpoint, status: status,
            reason: "The response has status \(status) without an Apple error.",
            remedy: "Check that api.baseUrl is the API and that no proxy responds instead.")
    }

    static func unreadable(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        APIFailure(
            code: .unreadableAnswer, endpoint: endpoint,
            reason: "The response is not as Apple documents: \(reason).",
            remedy: "It was discarded. Try again, and check that no proxy changes responses.")
    }

    /// A 2xx that cannot be read. Apple may have made a change nevertheless.
    static func unusable(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        endpoint.isRepeatable ? unreadable(endpoint, reason) : unknownOutcome(endpoint)
    }

    /// A 200 that says `"success": false`.
    static func notExtended(_ environment: Environment) -> APIFailure {
        APIFailure(
            code: .refusedByApple, endpoint: .extendRenewalDate, environment: environment,
            status: 200, reason: "Apple did not extend the subscription.",
            remedy: "Check its status: only active subscriptions are extended.")
    }

    static func anotherApp(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            code: .answerForAnotherApp, endpoint: endpoint,
            reason: "The response is about another bundle id.",
            remedy: "It was discarded. Check that the key and bundleId belong together.")
    }

    static func endless(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        APIFailure(
            code: .endlessPages, endpoint: endpoint, reason: reason,
            remedy: "Earlier pages are kept. Try again with a smaller window.")
    }
}
