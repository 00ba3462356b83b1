/// What an external purchase token is for (App Store Server Notifications, `tokenType`).
public enum ExternalPurchaseTokenType: String, Sendable, CaseIterable {
    case acquisition = "ACQUISITION"
    case services = "SERVICES"
    case coreTechnology = "CORE_TECHNOLOGY"
}
