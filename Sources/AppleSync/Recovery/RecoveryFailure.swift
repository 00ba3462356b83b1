public import AppStoreAPI
public import LedgerStore

/// Why a recovery stopped before its end. What it had brought stays, and the same request again
/// goes on from there.
public enum RecoveryFailure: Error, Sendable {
    /// Apple did not answer, or said no.
    case api(APIFailure)
    /// What came could not be made durable.
    case store(StoreError)
    /// Somebody else recovers in the same ledger, and did not come to an end in time.
    case running
    /// Apple's history begins after the end of the window.
    case tooOld

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .api(let failure): failure.code.rawValue
        case .store(let error): error.code.rawValue
        case .running: "recoveryRunning"
        case .tooOld: "windowTooOld"
        }
    }
}

extension RecoveryFailure: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .api(let failure) where failure.isExpiredPlace:
            "\(failure.endpoint.name): \(failure.reason) The pages were begun anew"
                + " \(APILimits.restartCount) times, and Apple did not take its own tokens again."
                + " What came before is in the ledger; the same command goes on later, or in a"
                + " shorter window, which has fewer pages."
        case .api(let failure):
            "\(failure) What came before is in the ledger; the same command goes on from there."
        case .store(let error): error.description
        case .running:
            "Another recovery runs in this ledger (another command, or the service's own). Wait for"
                + " its end and try again; nothing was asked."
        case .tooOld:
            "Apple's notification history does not go back so far (180 days in Production, 30 in"
                + " Sandbox). `subledger backfill` asks for the histories of customers instead."
        }
    }
}
