import AppStore

/// Payloads with every field of the wire reference, in documented order, with enumerated values
/// unknown to every version. Encoding must reproduce exactly these members.
enum FullPayloads {
    enum Kind: String, CaseIterable, Sendable {
        case transaction, renewal, appTransaction, notification

        var text: String {
            switch self {
            case .transaction: FullPayloads.transaction
            case .renewal: FullPayloads.renewal
            case .appTransaction: FullPayloads.appTransaction
            case .notification: FullPayloads.notification
            }
        }

        var type: any WireObject.Type {
            switch self {
            case .transaction: TransactionPayload.self
            case .renewal: RenewalPayload.self
            case .appTransaction: AppTransactionPayload.self
            case .notification: NotificationPayload.self
            }
        }
    }

    static let transaction = """
        {
          "transactionId":"transactionId-value",
          "originalTransactionId":"originalTransactionId-value",
          "webOrderLineItemId":"webOrderLineItemId-value",
          "bundleId":"bundleId-value",
          "productId":"productId-value",
          "subscriptionGroupIdentifier":"subscriptionGroupIdentifier-value",
          "purchaseDate":1700000000006,
          "originalPurchaseDate":1700000000007,
          "expiresDate":1700000000008,
          "quantity":109,
          "type":"NEW_VALUE",
          "appAccountToken":"appAccountToken-value",
          "inAppOwnershipType":"NEW_VALUE",
          "signedDate":1700000000013,
          "revocationDate":1700000000014,
          "revocationReason":7,
          "revocationType":"NEW_VALUE",
          "revocationPercentage":117,
          "isUpgraded":true,
          "offerType":7,
          "offerIdentifier":"offerIdentifier-value",
          "offerDiscountType":"NEW_VALUE",
          "offerPeriod":"offerPeriod-value",
          "environment":"NEW_VALUE",
          "storefront":"storefront-value",
          "storefrontId":"storefrontId-value",
          "transactionReason":"NEW_VALUE",
          "price":127,
          "currency":"currency-value",
          "appTransactionId":"appTransactionId-value",
          "billingPlanType":"NEW_VALUE",
          "commitmentInfo":{
            "billingPeriodNumber":100,
            "commitmentExpiresDate":1700000000001,
            "commitmentPrice":102,
            "totalBillingPeriods":103
          },
          "advancedCommerceInfo":{
            "descriptors":{
              "description":"description-value",
              "displayName":"displayName-value"
            },
            "estimatedTax":101,
            "items":[
              {
                "SKU":"SKU-value",
                "description":"description-value",
                "displayName":"displayName-value",
                "offer":{
                  "period":"period-value",
                  "periodCount":101,
                  "price":102,
                  "reason":"NEW_VALUE"
                },
                "price":104,
                "refunds":[
                  {
                    "refundAmount":100,
                    "refundDate":1700000000001,
                    "refundReason":"NEW_VALUE",
                    "refundType":"NEW_VALUE"
                  }
                ],
                "revocationDate":1700000000006
              }
            ],
            "period":"NEW_VALUE",
            "requestReferenceId":"requestReferenceId-value",
            "taxCode":"taxCode-value",
            "taxExclusivePrice":106,
            "taxRate":"taxRate-value"
          },
          "previousOriginalTransactionId":"previousOriginalTransactionId-value",
          "deviceVerification":"deviceVerification-value",
          "deviceVerificationNonce":"deviceVerificationNonce-value"
        }
        """

    static let renewal = """
        {
          "originalTransactionId":"originalTransactionId-value",
          "productId":"productId-value",
          "autoRenewProductId":"autoRenewProductId-value",
          "autoRenewStatus":7,
          "expirationIntent":7,
          "isInBillingRetryPeriod":true,
          "gracePeriodExpiresDate":1700000000006,
          "priceIncreaseStatus":7,
          "offerType":7,
          "offerIdentifier":"offerIdentifier-value",
          "offerDiscountType":"NEW_VALUE",
          "offerPeriod":"offerPeriod-value",
          "recentSubscriptionStartDate":1700000000012,
          "renewalDate":1700000000013,
          "renewalPrice":114,
          "currency":"currency-value",
          "eligibleWinBackOfferIds":[
            "a",
            "b"
          ],
          "appAccountToken":"appAccountToken-value",
          "appTransactionId":"appTransactionId-value",
          "environment":"NEW_VALUE",
          "signedDate":1700000000020,
          "renewalBillingPlanType":"NEW_VALUE",
          "commitmentInfo":{
            "commitmentAutoRenewProductId":"commitmentAutoRenewProductId-value",
            "commitmentAutoRenewStatus":7,
            "commitmentRenewalBillingPlanType":"NEW_VALUE",
            "commitmentRenewalDate":1700000000003,
            "commitmentRenewalPrice":104
          },
          "advancedCommerceInfo":{
            "consistencyToken":"consistencyToken-value",
            "descriptors":{
              "description":"description-value",
              "displayName":"displayName-value"
            },
            "items":[
              {
                "SKU":"SKU-value",
                "description":"description-value",
                "displayName":"displayName-value",
                "offer":{
                  "period":"period-value",
                  "periodCount":101,
                  "price":102,
                  "reason":"NEW_VALUE"
                },
                "price":104,
                "priceIncreaseInfo":{
                  "dependentSKUs":[
                    "a",
                    "b"
                  ],
                  "price":101,
                  "status":"NEW_VALUE"
                }
              }
            ],
            "period":"NEW_VALUE",
            "requestReferenceId":"requestReferenceId-value",
            "taxCode":"taxCode-value"
          },
          "deviceVerification":"deviceVerification-value",
          "deviceVerificationNonce":"deviceVerificationNonce-value"
        }
        """

    static let appTransaction = """
        {
          "receiptType":"NEW_VALUE",
          "appAppleId":101,
          "bundleId":"bundleId-value",
          "applicationVersion":"applicationVersion-value",
          "versionExternalIdentifier":104,
          "receiptCreationDate":1700000000005,
          "originalPurchaseDate":1700000000006,
          "originalApplicationVersion":"originalApplicationVersion-value",
          "preorderDate":1700000000008,
          "deviceVerification":"deviceVerification-value",
          "deviceVerificationNonce":"deviceVerificationNonce-value",
          "appTransactionId":"appTransactionId-value",
          "originalPlatform":"NEW_VALUE",
          "storeType":"NEW_VALUE",
          "requestDate":1700000000014
        }
        """

    static let notification = """
        {
          "notificationType":"NEW_VALUE",
          "subtype":"NEW_VALUE",
          "notificationUUID":"notificationUUID-value",
          "version":"version-value",
          "signedDate":1700000000004,
          "data":{
            "environment":"NEW_VALUE",
            "appAppleId":101,
            "bundleId":"bundleId-value",
            "bundleVersion":"bundleVersion-value",
            "signedTransactionInfo":"signedTransactionInfo-value",
            "signedRenewalInfo":"signedRenewalInfo-value",
            "status":7,
            "consumptionRequestReason":"NEW_VALUE"
          },
          "summary":{
            "requestIdentifier":"requestIdentifier-value",
            "environment":"NEW_VALUE",
            "appAppleId":102,
            "bundleId":"bundleId-value",
            "productId":"productId-value",
            "storefrontCountryCodes":[
              "a",
              "b"
            ],
            "succeededCount":106,
            "failedCount":107
          },
          "externalPurchaseToken":{
            "externalPurchaseId":"externalPurchaseId-value",
            "tokenCreationDate":1700000000001,
            "appAppleId":102,
            "bundleId":"bundleId-value",
            "tokenExpirationDate":1700000000004,
            "tokenType":"NEW_VALUE"
          },
          "appData":{
            "appAppleId":100,
            "bundleId":"bundleId-value",
            "environment":"NEW_VALUE",
            "signedAppTransactionInfo":"signedAppTransactionInfo-value"
          }
        }
        """

    /// Without the line breaks and indentation, which no value here contains.
    static func minified(_ text: String) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
    }
}
