import AppStore
public import AppStoreAPI
public import LedgerStore

/// Why the requests about a customer ended early. Events taken in before remain.
public enum AppleRequestFailure: Error, Sendable, Equatable {
    /// Apple did not respond, or not as requested.
    case apple(APIFailure)
    /// The response could not be stored.
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

    /// Whether Apple refuses the key of the app, with which every request about it would fail.
    package var isRefusedKey: Bool {
        guard case .apple(let failure) = self else { return false }
        return [.unauthorized, .wrongSharedSecret].contains(failure.code)
    }

    /// Whether further requests would fail the same way for any customer: of the app, where its key
    /// is refused; of every app, after a failure of the store or a cancellation.
    package var concernsAllCustomers: Bool {
        switch self {
        case .apple(let failure):
            switch failure.code {
            case .unauthorized, .wrongSharedSecret, .cancelled: true
            default: false
            }
        case .store: true
        }
    }

    /// Whether the same request may succeed later, so that the failure is not about the customer.
    var mayPass: Bool {
        guard case .apple(let failure) = self else { return false }
        return failure.code.mayPass
    }

    /// Whether Apple does not know the id: 4040010, or 4040005 for an id of another kind.
    package var isUnknownId: Bool {
        guard case .apple(let failure) = self else { return false }
        return failure.appleCode == Raw(.transactionIdNotFound)
            || failure.appleCode == Raw(.originalTransactionIdNotFound)
            || failure.appleCode == Raw(.accountNotFound)
    }
}

extension APIFailure.Code {
    /// Whether the same request may succeed later; a status that Apple does not document is of a
    /// proxy, say.
    var mayPass: Bool { isRetryable || self == .unexpectedStatus }
}
