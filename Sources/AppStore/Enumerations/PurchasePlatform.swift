/// Platform of the first purchase of the app (App Store Server API, `originalPlatform`).
public enum PurchasePlatform: String, Sendable, CaseIterable {
    case iOS = "iOS"
    case macOS = "macOS"
    case tvOS = "tvOS"
    case visionOS = "visionOS"
}
