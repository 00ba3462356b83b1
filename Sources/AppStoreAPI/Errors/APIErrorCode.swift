/// Apple's numbers for why a request was refused (App Store Server API, Error Codes). The first
/// three digits are the HTTP status.
public enum APIErrorCode: Int64, Sendable, CaseIterable {
    /// Something about the request is wrong.
    case generalBadRequest = 4_000_000
    /// The bundle id is not this key's.
    case invalidAppIdentifier = 4_000_002
    /// Not acceptable: limit.
    case invalidLimit = 4_000_004
    /// Not acceptable: request revision.
    case invalidRequestRevision = 4_000_005
    /// No transaction id, or not one of this kind.
    case invalidTransactionId = 4_000_006
    /// Not acceptable: original transaction id.
    case invalidOriginalTransactionId = 4_000_008
    /// Not acceptable: extend by days.
    case invalidExtendByDays = 4_000_009
    /// Not acceptable: extend reason code.
    case invalidExtendReasonCode = 4_000_010
    /// Not acceptable: request identifier.
    case invalidRequestIdentifier = 4_000_011
    /// Before the 180 (Sandbox: 30) days Apple keeps.
    case startDateTooFarInPast = 4_000_012
    /// The window is empty.
    case startDateAfterEndDate = 4_000_013
    /// Not a token of this request.
    case invalidPaginationToken = 4_000_014
    /// Not acceptable: start date.
    case invalidStartDate = 4_000_015
    /// Not acceptable: end date.
    case invalidEndDate = 4_000_016
    /// The token is too old: begin anew.
    case paginationTokenExpired = 4_000_017
    /// An unknown type, or a subtype that is none of the type's.
    case invalidNotificationType = 4_000_018
    /// Both a type and a transaction id.
    case multipleFiltersSupplied = 4_000_019
    /// Not acceptable: test notification token.
    case invalidTestNotificationToken = 4_000_020
    /// Not acceptable: sort.
    case invalidSort = 4_000_021
    /// Not acceptable: product type.
    case invalidProductType = 4_000_022
    /// Not acceptable: product id.
    case invalidProductId = 4_000_023
    /// Not acceptable: subscription group identifier.
    case invalidSubscriptionGroupIdentifier = 4_000_024
    /// No longer sent.
    case invalidExcludeRevoked = 4_000_025
    /// Not acceptable: in app ownership type.
    case invalidInAppOwnershipType = 4_000_026
    /// Not acceptable: empty storefront country code list.
    case invalidEmptyStorefrontCountryCodeList = 4_000_027
    /// Not acceptable: storefront country code.
    case invalidStorefrontCountryCode = 4_000_028
    /// Not acceptable: revoked.
    case invalidRevoked = 4_000_030
    /// Not acceptable: status.
    case invalidStatus = 4_000_031
    /// Not acceptable: account tenure.
    case invalidAccountTenure = 4_000_032
    /// Not acceptable: app account token.
    case invalidAppAccountToken = 4_000_033
    /// Not acceptable: consumption status.
    case invalidConsumptionStatus = 4_000_034
    /// Not acceptable: customer consented.
    case invalidCustomerConsented = 4_000_035
    /// Not acceptable: delivery status.
    case invalidDeliveryStatus = 4_000_036
    /// Not acceptable: lifetime dollars purchased.
    case invalidLifetimeDollarsPurchased = 4_000_037
    /// Not acceptable: lifetime dollars refunded.
    case invalidLifetimeDollarsRefunded = 4_000_038
    /// Not acceptable: platform.
    case invalidPlatform = 4_000_039
    /// Not acceptable: play time.
    case invalidPlayTime = 4_000_040
    /// Not acceptable: sample content provided.
    case invalidSampleContentProvided = 4_000_041
    /// Not acceptable: user status.
    case invalidUserStatus = 4_000_042
    /// No longer sent.
    case invalidTransactionNotConsumable = 4_000_043
    /// Not acceptable: refund preference.
    case invalidRefundPreference = 4_000_044
    /// Not acceptable: transaction type not supported.
    case invalidTransactionTypeNotSupported = 4_000_047
    /// An app transaction id where a transaction's is expected.
    case appTransactionIdNotSupported = 4_000_048
    /// Not acceptable: image.
    case invalidImage = 4_000_161
    /// Header too long.
    case headerTooLong = 4_000_162
    /// Body too long.
    case bodyTooLong = 4_000_163
    /// Not acceptable: locale.
    case invalidLocale = 4_000_164
    /// Alt text too long.
    case altTextTooLong = 4_000_175
    /// Not acceptable: app account token u u i d.
    case invalidAppAccountTokenUUID = 4_000_183
    /// A family member's transaction.
    case familyTransactionNotSupported = 4_000_185
    /// Another id of the chain than the original one.
    case transactionIdIsNotOriginalTransactionId = 4_000_187
    /// Consumption percentage auto renewable subscription.
    case consumptionPercentageAutoRenewableSubscription = 4_000_209
    /// Not acceptable: performance test request.
    case invalidPerformanceTestRequest = 4_000_211
    /// Not acceptable: request id.
    case invalidRequestId = 4_000_212
    /// Existing performance test run.
    case existingPerformanceTestRun = 4_000_213
    /// Bad request realtime url.
    case badRequestRealtimeUrl = 4_000_215
    /// Bad request image size.
    case badRequestImageSize = 4_000_216
    /// Too many bullet points.
    case tooManyBulletPoints = 4_000_218
    /// Bullet point text too long.
    case bulletPointTextTooLong = 4_000_219
    /// Above image requires an image.
    case aboveImageRequiresAnImage = 4_000_224
    /// Not acceptable: group id.
    case invalidGroupId = 4_000_225
    /// Not acceptable: assigned transaction not supported.
    case invalidAssignedTransactionNotSupported = 4_000_227
    /// Not in a state that can be extended.
    case subscriptionExtensionIneligible = 4_030_004
    /// Extended twice within 365 days already.
    case subscriptionMaxExtension = 4_030_005
    /// A family member's copy follows its purchaser's.
    case familySharedSubscriptionExtensionIneligible = 4_030_007
    /// Maximum number of images reached.
    case maximumNumberOfImagesReached = 4_030_014
    /// Maximum number of messages reached.
    case maximumNumberOfMessagesReached = 4_030_016
    /// Message not approved.
    case messageNotApproved = 4_030_017
    /// Image not approved.
    case imageNotApproved = 4_030_018
    /// Image in use.
    case imageInUse = 4_030_019
    /// Forbidden no passing test.
    case forbiddenNoPassingTest = 4_030_026
    /// Assigned subscription extension ineligible.
    case assignedSubscriptionExtensionIneligible = 4_030_028
    /// No such customer.
    case accountNotFound = 4_040_001
    /// Not found now; a later attempt may.
    case accountNotFoundRetryable = 4_040_002
    /// The app is not known to this environment.
    case appNotFound = 4_040_003
    /// Not found now; a later attempt may.
    case appNotFoundRetryable = 4_040_004
    /// No such chain here.
    case originalTransactionIdNotFound = 4_040_005
    /// Not found now; a later attempt may.
    case originalTransactionIdNotFoundRetryable = 4_040_006
    /// App Store Connect holds no address for notifications.
    case serverNotificationURLNotFound = 4_040_007
    /// No such test, or no result yet.
    case testNotificationNotFound = 4_040_008
    /// No such request.
    case statusRequestNotFound = 4_040_009
    /// Unknown to this environment: perhaps the other one's.
    case transactionIdNotFound = 4_040_010
    /// Image not found.
    case imageNotFound = 4_040_014
    /// Message not found.
    case messageNotFound = 4_040_015
    /// Performance test run not found.
    case performanceTestRunNotFound = 4_040_018
    /// The customer has none.
    case appTransactionDoesNotExist = 4_040_019
    /// Default message not found.
    case defaultMessageNotFound = 4_040_020
    /// Realtime url not found.
    case realtimeUrlNotFound = 4_040_021
    /// Group not found.
    case groupNotFound = 4_040_022
    /// Image already exists.
    case imageAlreadyExists = 4_090_000
    /// Message already exists.
    case messageAlreadyExists = 4_090_001
    /// More than Apple allows; the answer says until when.
    case rateLimitExceeded = 4_290_000
    /// Apple failed; try later.
    case generalInternal = 5_000_000
    /// Apple failed; try again.
    case generalInternalRetryable = 5_000_001
}
