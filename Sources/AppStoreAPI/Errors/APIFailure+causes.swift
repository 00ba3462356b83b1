import AppStore

/// The failures there are, in one place, so that their sentences agree.
extension APIFailure {
    static func invalid(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        APIFailure(
            .invalidRequest, endpoint, reason: reason,
            remedy: "Nothing was sent; correct the request.")
    }

    /// Apple's refusal. Its words are left out: they are not ours to vouch for.
    static func refused(
        _ endpoint: Endpoint, status: Int, code: Raw<APIErrorCode>
    ) -> APIFailure {
        let name = code.value.map { " (\($0))" } ?? ""
        return APIFailure(
            .refusedByApple, endpoint, status: status, appleCode: code,
            reason: "Apple refused with \(code.rawValue)\(name), HTTP \(status).",
            remedy: code.value?.remedy
                ?? "This version does not know the number; look it up under Error Codes of the App"
                + " Store Server API.")
    }

    static func unauthorized(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            .unauthorized, endpoint, status: 401, reason: "Apple does not accept the key (401).",
            remedy: "Check keyId, issuerId and bundleId, that the file holds an In-App Purchase key"
                + " (not one of the App Store Connect API) that was not revoked, and this machine's"
                + " clock. An app that was never released is known to Sandbox only.")
    }

    static func rateLimited(_ endpoint: Endpoint, until date: Timestamp?) -> APIFailure {
        let time = date.map { " until \($0.rfc3339)" } ?? ""
        return APIFailure(
            .rateLimited, endpoint, status: 429, appleCode: Raw(.rateLimitExceeded),
            retryAt: date, reason: "Apple takes no more requests of this kind\(time) (429).",
            remedy: "Ask again then; other servers may use the same app's allowance.")
    }

    static func unavailable(_ endpoint: Endpoint, status: Int, attempts: Int) -> APIFailure {
        APIFailure(
            .appleUnavailable, endpoint, status: status,
            reason: "Apple answered \(status), \(attempts) times.",
            remedy: "Ask again later; Apple's System Status page tells of outages.")
    }

    static func transport(
        _ endpoint: Endpoint, _ failure: TransportFailure, attempts: Int
    ) -> APIFailure {
        switch failure {
        case .timedOut:
            APIFailure(
                .appleTimedOut, endpoint,
                reason: "No whole answer came within \(APILimits.timeoutMilliseconds / 1_000) s,"
                    + " \(attempts) times.",
                remedy: "Ask again later; check the connection if it stays so.")
        case .notConnected, .disconnected:
            APIFailure(
                .appleUnreachable, endpoint,
                reason: "The connection could not be made or broke off, \(attempts) times.",
                remedy: "Check name resolution, firewall and certificates between this machine and"
                    + " Apple's host (or api.baseUrl).")
        case .tooLarge:
            APIFailure(
                .answerTooLarge, endpoint,
                reason: "The answer has more than \(APILimits.answerByteCount) bytes.",
                remedy: "Nothing of it was used; check that api.baseUrl is the API.")
        case .cancelled: cancelled(endpoint)
        }
    }

    static func cancelled(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            .cancelled, endpoint, reason: "The request was given up.",
            remedy: "What was fetched before it is kept; ask again.")
    }

    static func unknownOutcome(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            .unknownOutcome, endpoint,
            reason: "The request was sent, and no usable answer came: Apple may have acted on it.",
            remedy: "It was not sent again. Look first whether it took effect (statuses, or the"
                + " status of the request), then repeat it if it did not.")
    }

    static func unexpectedStatus(_ endpoint: Endpoint, status: Int) -> APIFailure {
        guard !(300..<400).contains(status) else {
            return APIFailure(
                .unexpectedStatus, endpoint, status: status,
                reason: "The answer is a redirect (\(status)), which Apple never sends and nobody"
                    + " follows here.",
                remedy: "Check that api.baseUrl (--base-url) is the API itself, https and all, and"
                    + " that no proxy or login page answers in its place.")
        }
        return APIFailure(
            .unexpectedStatus, endpoint, status: status,
            reason: "The answer has status \(status) and no error of Apple's.",
            remedy: "Check that api.baseUrl is the API and that no proxy answers in its place.")
    }

    static func unreadable(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        APIFailure(
            .unreadableAnswer, endpoint,
            reason: "The answer is not what Apple documents: \(reason).",
            remedy: "Nothing of it was used; ask again, and check that no proxy changes answers.")
    }

    static func anotherApp(_ endpoint: Endpoint) -> APIFailure {
        APIFailure(
            .answerForAnotherApp, endpoint, reason: "The answer is about another bundle id.",
            remedy: "Nothing of it was used; check that the key and bundleId belong together.")
    }

    static func endless(_ endpoint: Endpoint, _ reason: String) -> APIFailure {
        APIFailure(
            .endlessPages, endpoint, reason: reason,
            remedy: "What came before is kept; ask again with a smaller window.")
    }
}
