/// Whose purchase gives access (App Store Server API, `inAppOwnershipType`).
public enum InAppOwnershipType: String, Sendable, CaseIterable {
    /// The customer's own.
    case purchased = "PURCHASED"
    /// A family member's.
    case familyShared = "FAMILY_SHARED"
    /// A seat of a multiseat purchase.
    case assigned = "ASSIGNED"
}
