import AppStore
import AppStoreAPI

extension EnvironmentChoice {
    /// The only environment to query for calls without a fallback.
    var environment: Environment {
        switch self {
        case .only(let environment): environment
        case .productionFirst: .production
        }
    }
}
