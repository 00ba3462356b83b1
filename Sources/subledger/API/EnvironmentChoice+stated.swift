import AppStore
import AppStoreAPI

extension EnvironmentChoice {
    /// The one to ask where there is no second one to fall back to.
    var environment: Environment {
        switch self {
        case .only(let environment): environment
        case .productionFirst: .production
        }
    }
}
