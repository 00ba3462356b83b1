import AppStore
public import AppStoreAPI
public import LedgerStore

/// Why questions about a customer came to an end before their answers did. What was taken in before
/// stays.
public enum AskingFailure: Error, Sendable, Equatable {
    /// Apple did not answer, or not what was asked.
    case apple(APIFailure)
    /// The answer could not be kept.
    case store(StoreError)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .apple(let failure): failure.code.rawValue
        case .store(let error): error.code.rawValue
        }
    }

    /// What happened, and what to do. Holds no payload and no token.
    public var message: String {
        switch self {
        case .apple(let failure): failure.description
        case .store(let error): error.description
        }
    }

    /// Whether the next question would end like this one: nobody is to be asked any more.
    var concernsEverybody: Bool {
        switch self {
        case .apple(let failure):
            switch failure.code {
            case .unauthorized, .wrongSharedSecret, .cancelled: true
            default: false
            }
        case .store: true
        }
    }

    /// Whether the same question may be answered later: then it was not about the customer.
    var mayPass: Bool {
        guard case .apple(let failure) = self else { return false }
        return failure.isRetryable || failure.code == .unexpectedStatus
    }

    /// Whether Apple knows nothing of the id: 4040010, or 4040005 of an id of another kind.
    package var isUnknownId: Bool {
        guard case .apple(let failure) = self else { return false }
        return failure.appleCode == Raw(.transactionIdNotFound)
            || failure.appleCode == Raw(.originalTransactionIdNotFound)
            || failure.appleCode == Raw(.accountNotFound)
    }
}
