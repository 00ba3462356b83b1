public import AppStore

/// Whom to ask.
public enum EnvironmentChoice: Sendable, Hashable {
    /// Only this one; Xcode's data is asked of nobody.
    case only(Environment)
    /// Production, and Sandbox when Production does not know the id: as Apple advises where the
    /// environment of an id is not known (App Store Server API, 4040010).
    case productionFirst
}
