public import AppStoreAPI
public import LedgerStore

/// Why a recovery stopped early. Fetched events remain, and the same request resumes from there.
public enum RecoveryFailure: Error, Sendable {
    /// Apple did not respond, or refused.
    case api(APIFailure)
    /// Fetched events could not be made durable.
    case store(StoreError)
    /// Another process is recovering in the same ledger and did not finish in time.
    case running
    /// Apple's history begins after the end of the window.
    case tooOld
    /// As many pages were fetched as the caller allowed for one turn (`Recovery.pageLimit`).
    case turnEnded

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .api(let failure): failure.code.rawValue
        case .store(let error): error.code.rawValue
        case .running, .turnEnded: "recoveryRunning"
        case .tooOld: "windowTooOld"
        }
    }

    /// The description without the path of a file, for clients of a service.
    package var message: String {
        guard case .store(let error) = self else { return description }
        return error.reason
    }
}

extension RecoveryFailure: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .api(let failure) where failure.isExpiredPlace:
            "\(failure.endpoint.name): \(failure.reason) Paging was restarted"
                + " \(APILimits.restartCount) times, and Apple did not accept its own tokens."
                + " Fetched events are in the ledger; run the same command again later, or with a"
                + " shorter window, which has fewer pages."
        case .api(let failure):
            "\(failure) Fetched events are in the ledger; the same command resumes from there."
        case .store(let error): error.description
        case .running:
            "Another recovery is running in this ledger (a command or the service). Wait for"
                + " it to end and try again; no request was sent."
        case .tooOld:
            "Apple's notification history does not go back so far (180 days in Production, 30 in"
                + " Sandbox). `subledger backfill` fetches the histories of customers instead."
        case .turnEnded:
            "The turn of this recovery ended. Fetched events are in the ledger; the next turn"
                + " resumes from there."
        }
    }
}
