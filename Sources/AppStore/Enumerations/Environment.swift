/// Where a purchase was made (App Store Server API, `environment`). Absent from payloads signed
/// before 2022-02.
public enum Environment: String, Sendable, CaseIterable {
    /// Also TestFlight and App Review.
    case sandbox = "Sandbox"
    /// The App Store.
    case production = "Production"
    /// StoreKit testing in Xcode; not signed by Apple.
    case xcode = "Xcode"
    /// Apple's libraries' own tests; not signed by Apple.
    case localTesting = "LocalTesting"
}
