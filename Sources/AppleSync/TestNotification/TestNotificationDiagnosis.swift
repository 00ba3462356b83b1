public import AppStore
public import AppStoreAPI

/// What happened to a TEST notification, and what to do next.
public enum TestNotificationDiagnosis: Sendable, Equatable {
    /// It is in this ledger, and Apple reports success.
    case arrived
    /// It is in this ledger, but Apple got no accepted response.
    case arrivedUnanswered(Raw<SendAttemptResult>)
    /// It arrived here and was refused; it is in quarantine.
    case quarantined(code: String)
    /// A server accepted it, but it is not in this ledger.
    case arrivedElsewhere
    /// Apple could not deliver it.
    case undelivered(Raw<SendAttemptResult>)
    /// Apple did not report a result in time.
    case noResult
    /// Apple accepted the request but returned no token for its status.
    case noToken
    /// No address is set in App Store Connect for this environment (4040007).
    case noServerURL(Environment)
    /// The notification Apple reports to have sent does not verify here.
    case unverifiable(code: String)
    /// The request to Apple was not sent or was refused.
    case notRequested(APIFailure)

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
        case .notRequested(let failure): failure.code.rawValue
        }
    }

    /// What happened, and one thing to do next.
    public var message: String {
        switch self {
        case .arrived: "It arrived here: notifications of this environment are accepted."
        case .arrivedUnanswered(let result):
            "It arrived here, but Apple reports \(result.rawValue): "
                + TestNotificationDiagnosis.advice(result)
        case .quarantined(let code):
            "It arrived here and was refused (\(code)): `subledger quarantine list` shows why;"
                + " compare bundleId and appAppleId in the configuration with App Store Connect."
        case .arrivedElsewhere:
            "Apple delivered it, but not here: the address in App Store Connect leads to another"
                + " server, or the server it leads to uses another --data directory than this"
                + " command."
        case .undelivered(let result):
            "Apple could not deliver it (\(result.rawValue)): "
                + TestNotificationDiagnosis.advice(result)
        case .noResult:
            "Apple has not reported a result yet: check again with `subledger api test-status`"
                + " and the token, or wait longer with --wait."
        case .noToken:
            "Apple responded without a token, so the result cannot be queried: run this"
                + " again; if that repeats, check that api.baseUrl is Apple and that no proxy"
                + " changes responses."
        case .noServerURL(let environment):
            "App Store Connect has no address for \(environment.rawValue): enter"
                + " https://HOST/appstore/notifications under App Information, App Store Server"
                + " Notifications, version 2, or test the other environment with"
                + " --environment."
        case .unverifiable(let code):
            "The notification that Apple sent does not verify here (\(code)): check --trust-root,"
                + " and that api.baseUrl is Apple."
        case .notRequested(let failure): failure.description
        }
    }

    // MARK: Advice

    /// What to do about an attempt that failed (`sendAttemptResult`).
    static func advice(_ result: Raw<SendAttemptResult>) -> String {
        switch result.value {
        case .success: "no action is needed."
        case .timedOut:
            "no response came in time; check for a slow proxy or disk of the service, which"
                + " responds once the event is on disk."
        case .tlsIssue, .sslIssue:
            "the TLS handshake failed; offer TLS 1.2 or later, and a certificate of a public"
                + " authority for the host name, with its intermediates (check: openssl s_client"
                + " -connect HOST:443 -servername HOST -tls1_2)."
        case .circularRedirect:
            "a redirect leads back to itself; enter the final https address in App Store Connect."
        case .noResponse:
            "no response; check that the name resolves from outside (DNS), and that the"
                + " firewall lets 17.0.0.0/8 in on the port, which is 443, or 1024 and above."
        case .socketIssue:
            "the connection failed or was broken; check that the service listens on the"
                + " address's port, and that the firewall lets 17.0.0.0/8 in."
        case .unsupportedCharset:
            "the response names a charset Apple does not support; let no proxy rewrite responses."
        case .invalidResponse:
            "the response was not HTTP; check that the port is the service's, and that the address"
                + " begins with https."
        case .prematureClose:
            "the connection was closed while Apple sent; raise the time and size limits of proxies"
                + " in front of the service."
        case .unsuccessfulHTTPResponseCode:
            "the status was not 200 to 206; 401 or 403: a proxy in front of the service requires a"
                + " password, which Apple does not have; 404: the path is /appstore/notifications;"
                + " 400: the evidence did not verify; 503: the app is not configured, or the disk"
                + " is full (the service's log says which)."
        case .other, nil:
            "Apple gives no reason; look for its requests (17.0.0.0/8) in the logs of proxies"
                + " in front of the service."
        }
    }
}
