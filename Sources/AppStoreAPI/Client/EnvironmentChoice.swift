public import AppStore

/// The environment of a request.
public enum EnvironmentChoice: Sendable, Hashable {
    /// Only this one; Apple has no API for Xcode's data.
    case only(Environment)
    /// Production, then Sandbox if Production does not know the id, as Apple advises for an id of
    /// unknown environment (App Store Server API, 4040010 and 4040005).
    case productionFirst

    /// The environment whose rates apply, and the only one of calls without a fallback.
    package var environment: Environment {
        switch self {
        case .only(let environment): environment
        case .productionFirst: .production
        }
    }

    /// Every environment that may be requested.
    package var environments: Set<Environment> {
        switch self {
        case .only(let environment): [environment]
        case .productionFirst: [.production, .sandbox]
        }
    }
}
