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

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "commitmentAutoRenewProductId": try cursor.read(&commitmentAutoRenewProductId, key)
        case "commitmentAutoRenewStatus": try cursor.read(&commitmentAutoRenewStatus, key)
        case "commitmentRenewalBillingPlanType":
            try cursor.read(&commitmentRenewalBillingPlanType, key)
        case "commitmentRenewalDate": try cursor.read(&commitmentRenewalDate, key)
        case "commitmentRenewalPrice": try cursor.read(&commitmentRenewalPrice, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("commitmentAutoRenewProductId", commitmentAutoRenewProductId)
        json.memberIfPresent("commitmentAutoRenewStatus", commitmentAutoRenewStatus)
        json.memberIfPresent("commitmentRenewalBillingPlanType", commitmentRenewalBillingPlanType)
        json.memberIfPresent("commitmentRenewalDate", commitmentRenewalDate?.milliseconds)
        json.memberIfPresent("commitmentRenewalPrice", commitmentRenewalPrice)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("commitmentAutoRenewStatus", commitmentAutoRenewStatus)
        names.check("commitmentRenewalBillingPlanType", commitmentRenewalBillingPlanType)
        return names.names
    }
}
