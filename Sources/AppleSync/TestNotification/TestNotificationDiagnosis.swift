public import AppStore
public import AppStoreAPI

/// What became of a TEST notification, and what to do next.
public enum TestNotificationDiagnosis: Sendable, Equatable {
    /// It is in this ledger, and Apple knows.
    case arrived
    /// It is in this ledger, but Apple took no answer for it, and will send again.
    case arrivedUnanswered(Raw<SendAttemptResult>)
    /// It arrived here and was not accepted; it waits in quarantine.
    case quarantined(code: String)
    /// Somebody took it, but not this ledger.
    case arrivedElsewhere
    /// Apple could not deliver it.
    case undelivered(Raw<SendAttemptResult>)
    /// Apple did not say in time what became of it.
    case noResult
    /// Apple accepted the request, and named no token to ask by.
    case noToken
    /// App Store Connect names no address for this environment (4040007).
    case noServerURL(Environment)
    /// What Apple says it sent does not verify here.
    case unverifiable(code: String)
    /// Apple was not asked, or refused.
    case notAsked(APIFailure)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .arrived: "arrived"
        case .arrivedUnanswered: "arrivedUnanswered"
        case .quarantined: "quarantined"
        case .arrivedElsewhere: "arrivedElsewhere"
        case .undelivered: "undelivered"
        case .noResult: "noResult"
        case .noToken: "noToken"
        case .noServerURL: "noServerURL"
        case .unverifiable: "unverifiable"
        case .notAsked(let failure): failure.code.rawValue
        }
    }

    /// What happened, and one thing to do next.
    public var message: String {
        switch self {
        case .arrived: "It arrived here: notifications of this environment are taken."
        case .arrivedUnanswered(let result):
            "It arrived here, but Apple reports \(result.rawValue): "
                + TestNotificationDiagnosis.advice(result)
        case .quarantined(let code):
            "It arrived here and was not accepted (\(code)): `subledger quarantine list` says why;"
                + " compare bundleId and appAppleId in the configuration with App Store Connect."
        case .arrivedElsewhere:
            "Apple delivered it, but not here: the address in App Store Connect leads to another"
                + " server, or the server it leads to uses another --data directory than this"
                + " command."
        case .undelivered(let result):
            "Apple could not deliver it (\(result.rawValue)): "
                + TestNotificationDiagnosis.advice(result)
        case .noResult:
            "Apple has not said yet what became of it: ask again with `subledger api test-status`"
                + " and the token, or wait longer with --wait."
        case .noToken:
            "Apple answered without a token, so that nobody can be asked what became of it: run this"
                + " again; if it stays so, check that api.baseUrl is Apple and that no proxy"
                + " changes answers."
        case .noServerURL(let environment):
            "App Store Connect names no address for \(environment.rawValue): enter"
                + " https://HOST/appstore/notifications under App Information, App Store Server"
                + " Notifications, version 2, or ask about the other environment with"
                + " --environment."
        case .unverifiable(let code):
            "What Apple says it sent does not verify here (\(code)): check --trust-root, and that"
                + " api.baseUrl is Apple."
        case .notAsked(let failure): failure.description
        }
    }

    // MARK: Advice

    /// What to do about an attempt that failed (`sendAttemptResult`).
    static func advice(_ result: Raw<SendAttemptResult>) -> String {
        switch result.value {
        case .success: "nothing is to be done."
        case .timedOut:
            "no answer came in time; look for a slow proxy or disk before the service, which"
                + " answers once the event is on the disk."
        case .tlsIssue, .sslIssue:
            "the TLS handshake failed; offer TLS 1.2 or later, and a certificate of a public"
                + " authority for the very name, with its intermediates (check: openssl s_client"
                + " -connect HOST:443 -servername HOST -tls1_2)."
        case .circularRedirect:
            "a redirect leads back to itself; enter the final https address in App Store Connect."
        case .noResponse:
            "nothing answered; check that the name resolves from outside (DNS), and that the"
                + " firewall lets 17.0.0.0/8 in on the port, which is 443, or 1024 and above."
        case .socketIssue:
            "the connection could not be made or broke; check that the service listens on the"
                + " address's port, and that the firewall lets 17.0.0.0/8 in."
        case .unsupportedCharset:
            "the answer names a charset Apple does not read; let no proxy rewrite answers."
        case .invalidResponse:
            "the answer was no HTTP; check that the port is the service's, and that the address"
                + " begins with https."
        case .prematureClose:
            "the connection was closed while Apple sent; raise limits of time and size of proxies"
                + " before the service."
        case .unsuccessfulHTTPResponseCode:
            "the answer was not 200 to 206; 401 or 403: something before the service asks for a"
                + " password, which Apple does not have; 404: the path is /appstore/notifications;"
                + " 400: the evidence did not verify; 503: the app is not configured, or the disk"
                + " is full (the service's log says which)."
        case .other, nil:
            "Apple gives no reason; look for its requests (17.0.0.0/8) in the logs of what stands"
                + " before the service."
        }
    }
}
