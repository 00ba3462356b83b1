/// The continuation of a commitment billed monthly (App Store Server API, `commitmentInfo` of a
/// renewal info).
public struct RenewalCommitmentInfo: WireObject {
    /// The product of the next commitment.
    public var commitmentAutoRenewProductId: ProductId?
    /// Whether another commitment follows.
    public var commitmentAutoRenewStatus: Raw<AutoRenewStatus>?
    /// How the next commitment is paid.
    public var commitmentRenewalBillingPlanType: Raw<BillingPlanType>?
    /// When the next commitment is due.
    public var commitmentRenewalDate: Timestamp?
    /// Milliunits of the currency.
    public var commitmentRenewalPrice: Int64?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("commitmentAutoRenewProductId", &commitmentAutoRenewProductId)
        visitor.visit("commitmentAutoRenewStatus", &commitmentAutoRenewStatus)
        visitor.visit("commitmentRenewalBillingPlanType", &commitmentRenewalBillingPlanType)
        visitor.visit("commitmentRenewalDate", &commitmentRenewalDate)
        visitor.visit("commitmentRenewalPrice", &commitmentRenewalPrice)
    }
}
