/// Environment and kind of a receipt (App Store Receipts, `receipt_type`; attribute 0 of an app
/// receipt).
public enum ReceiptType: String, Sendable, CaseIterable {
    /// The App Store.
    case production = "Production"
    /// The App Store, bought by an organisation for its members.
    case productionVPP = "ProductionVPP"
    /// Also TestFlight and App Review.
    case productionSandbox = "ProductionSandbox"
    case productionVPPSandbox = "ProductionVPPSandbox"
    /// StoreKit testing in Xcode; not signed by Apple.
    case xcode = "Xcode"

    /// The environment of its purchases.
    public var environment: Environment {
        switch self {
        case .production, .productionVPP: .production
        case .productionSandbox, .productionVPPSandbox: .sandbox
        case .xcode: .xcode
        }
    }
}
