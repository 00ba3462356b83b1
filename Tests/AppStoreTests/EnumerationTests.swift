import AppStore
import Testing

@Suite("Enumerated values")
struct EnumerationTests {
    /// Every listed value is known and round-trips, and no other is known.
    private func expectExactly<Value>(_ type: Value.Type, _ values: [Value.RawValue])
    where
        Value: RawRepresentable & CaseIterable & Hashable & Sendable,
        Value.RawValue: Hashable & Sendable
    {
        #expect(Set(Value.allCases.map(\.rawValue)) == Set(values))
        #expect(Value.allCases.count == values.count)
        for value in values {
            #expect(Raw<Value>(rawValue: value).value?.rawValue == value)
        }
    }

    @Test("Notification types and subtypes are the reference's 23 and 19")
    func notifications() {
        expectExactly(
            NotificationType.self,
            [
                "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS",
                "OFFER_REDEEMED", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED",
                "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
                "CONSUMPTION_REQUEST", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION",
                "ONE_TIME_CHARGE", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "METADATA_UPDATE",
                "MIGRATION", "PRICE_CHANGE", "TEST",
            ])
        expectExactly(
            Subtype.self,
            [
                "INITIAL_BUY", "RESUBSCRIBE", "BILLING_RECOVERY", "UPGRADE", "DOWNGRADE",
                "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED", "GRACE_PERIOD", "VOLUNTARY",
                "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "PENDING", "ACCEPTED",
                "SUMMARY", "FAILURE", "CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED",
            ])
        expectExactly(
            ConsumptionRequestReason.self,
            [
                "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL",
                "OTHER",
            ])
        expectExactly(
            ExternalPurchaseTokenType.self, ["ACQUISITION", "SERVICES", "CORE_TECHNOLOGY"])
    }

    @Test("Values of transactions and app transactions")
    func transactions() {
        expectExactly(Environment.self, ["Sandbox", "Production", "Xcode", "LocalTesting"])
        expectExactly(
            ProductType.self,
            [
                "Auto-Renewable Subscription", "Non-Consumable", "Consumable",
                "Non-Renewing Subscription",
            ])
        expectExactly(InAppOwnershipType.self, ["PURCHASED", "FAMILY_SHARED", "ASSIGNED"])
        expectExactly(TransactionReason.self, ["PURCHASE", "RENEWAL"])
        expectExactly(RevocationReason.self, [0, 1])
        expectExactly(
            RevocationType.self,
            [
                "REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE", "ASSIGNMENT_REVOKE",
            ])
        expectExactly(OfferType.self, [1, 2, 3, 4])
        expectExactly(
            OfferDiscountType.self,
            [
                "FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME",
            ])
        expectExactly(BillingPlanType.self, ["BILLED_UPFRONT", "MONTHLY"])
        expectExactly(PurchasePlatform.self, ["iOS", "macOS", "tvOS", "visionOS"])
        expectExactly(StoreType.self, ["CONSUMER"])
    }

    @Test("Values of renewal infos")
    func renewals() {
        expectExactly(SubscriptionStatus.self, [1, 2, 3, 4, 5])
        expectExactly(AutoRenewStatus.self, [0, 1])
        expectExactly(ExpirationIntent.self, [1, 2, 3, 4, 5])
        expectExactly(PriceIncreaseStatus.self, [0, 1])
    }

    @Test("Values of Advanced Commerce")
    func advancedCommerce() {
        expectExactly(AdvancedCommercePeriod.self, ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"])
        expectExactly(AdvancedCommerceOfferReason.self, ["ACQUISITION", "WIN_BACK", "RETENTION"])
        expectExactly(AdvancedCommerceRefundType.self, ["FULL", "PRORATED", "CUSTOM"])
        expectExactly(
            AdvancedCommerceRefundReason.self,
            [
                "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL",
                "OTHER", "MODIFY_ITEMS_REFUND", "SIMULATE_REFUND_DECLINE",
            ])
        expectExactly(
            AdvancedCommercePriceIncreaseInfoStatus.self, ["SCHEDULED", "PENDING", "ACCEPTED"])
    }

    @Test(
        "Every period of Advanced Commerce is a calendar period",
        arguments: AdvancedCommercePeriod.allCases)
    func periods(_ period: AdvancedCommercePeriod) throws {
        let length = try #require(ISO8601Period(period.rawValue))
        #expect(length.months + length.days > 0)
    }
}
