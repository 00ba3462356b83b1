/// Position of a transaction in a commitment billed monthly (App Store Server API, `commitmentInfo`
/// of a transaction). The transaction's expiresDate is then the end of one billing period.
public struct TransactionCommitmentInfo: WireObject {
    /// Number of this billing period, from 1.
    public var billingPeriodNumber: Int64?
    /// End of the whole commitment.
    public var commitmentExpiresDate: Timestamp?
    /// Price of the whole commitment, milliunits of the currency.
    public var commitmentPrice: Int64?
    /// Number of billing periods of the commitment.
    public var totalBillingPeriods: Int64?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("billingPeriodNumber", &billingPeriodNumber)
        visitor.visit("commitmentExpiresDate", &commitmentExpiresDate)
        visitor.visit("commitmentPrice", &commitmentPrice)
        visitor.visit("totalBillingPeriods", &totalBillingPeriods)
    }
}
