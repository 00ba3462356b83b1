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

    /// Apple's part; nil after a failure of the store.
    private var failure: APIFailure? {
        guard case .apple(let failure) = self else { return nil }
        return failure
    }

    /// Apple's error number, if it sent one.
    var appleCode: APIErrorCode? { failure?.appleCode?.value }

    /// Apple's clock at the rejection, if the response stated it.
    var answeredAt: Timestamp? { failure?.answeredAt }

    /// Whether Apple refuses the app's key, or does not know the app for the key (4040003, 4000002:
    /// it was transferred, say), so that every request about the app would fail.
    package var isRefusedApp: Bool {
        switch failure?.code {
        case .unauthorized, .wrongSharedSecret: true
        default: appleCode == .appNotFound || appleCode == .invalidAppIdentifier
        }
    }

    /// Whether requests about other chains of the app would fail too, and those about other apps
    /// would not: Apple refuses the app or its key, or accepts no more of its requests of this
    /// kind.
    package var concernsApp: Bool { isRefusedApp || failure?.code == .rateLimited }

    /// Whether further requests would fail the same way for any customer: of the app, where Apple
    /// refuses it or its key; of every app, after a failure of the store or a cancellation.
    package var concernsAllCustomers: Bool {
        failure == nil || isRefusedApp || failure?.code == .cancelled
    }

    /// Whether Apple could not be reached, or limited the rate.
    var isOfConnection: Bool {
        failure?.code == .appleUnreachable || failure?.code == .rateLimited
    }

    /// Whether the same request may succeed later, so that the failure is not about the customer.
    var mayPass: Bool { failure?.code.mayPass ?? false }

    /// Whether Apple does not know the id or its account (4040001).
    package var isUnknownId: Bool {
        appleCode == .accountNotFound || failure?.isUnknownId ?? false
    }
}

extension APIFailure.Code {
    /// Whether the same request may succeed later; a status that Apple does not document is of a
    /// proxy, say.
    var mayPass: Bool { isRetryable || self == .unexpectedStatus }
}
