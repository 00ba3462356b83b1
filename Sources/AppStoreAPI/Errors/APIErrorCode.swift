/// Apple's error numbers (App Store Server API, Error Codes). The first three digits are the HTTP
/// status.
public enum APIErrorCode: Int64, Sendable, CaseIterable {
    /// The request is invalid.
    case generalBadRequest = 4_000_000
    /// The bundle id is not this key's.
    case invalidAppIdentifier = 4_000_002
    /// Invalid limit.
    case invalidLimit = 4_000_004
    /// Invalid request revision.
    case invalidRequestRevision = 4_000_005
    /// Not a transaction id, or not of the required kind.
    case invalidTransactionId = 4_000_006
    /// Invalid original transaction id.
    case invalidOriginalTransactionId = 4_000_008
    /// Invalid extend by days.
    case invalidExtendByDays = 4_000_009
    /// Invalid extend reason code.
    case invalidExtendReasonCode = 4_000_010
    /// Invalid request identifier.
    case invalidRequestIdentifier = 4_000_011
    /// Before the 180 (Sandbox: 30) days that Apple keeps.
    case startDateTooFarInPast = 4_000_012
    /// The window is empty.
    case startDateAfterEndDate = 4_000_013
    /// The token belongs to another request.
    case invalidPaginationToken = 4_000_014
    /// Invalid start date.
    case invalidStartDate = 4_000_015
    /// Invalid end date.
    case invalidEndDate = 4_000_016
    /// The token has expired: restart the walk.
    case paginationTokenExpired = 4_000_017
    /// An unknown type, or a subtype of another type.
    case invalidNotificationType = 4_000_018
    /// Both a type and a transaction id.
    case multipleFiltersSupplied = 4_000_019
    /// Invalid test notification token.
    case invalidTestNotificationToken = 4_000_020
    /// Invalid sort.
    case invalidSort = 4_000_021
    /// Invalid product type.
    case invalidProductType = 4_000_022
    /// Invalid product id.
    case invalidProductId = 4_000_023
    /// Invalid subscription group identifier.
    case invalidSubscriptionGroupIdentifier = 4_000_024
    /// No longer sent.
    case invalidExcludeRevoked = 4_000_025
    /// Invalid in app ownership type.
    case invalidInAppOwnershipType = 4_000_026
    /// Invalid empty storefront country code list.
    case invalidEmptyStorefrontCountryCodeList = 4_000_027
    /// Invalid storefront country code.
    case invalidStorefrontCountryCode = 4_000_028
    /// Invalid revoked.
    case invalidRevoked = 4_000_030
    /// Invalid status.
    case invalidStatus = 4_000_031
    /// Invalid account tenure.
    case invalidAccountTenure = 4_000_032
    /// Invalid app account token.
    case invalidAppAccountToken = 4_000_033
    /// Invalid consumption status.
    case invalidConsumptionStatus = 4_000_034
    /// Invalid customer consented.
    case invalidCustomerConsented = 4_000_035
    /// Invalid delivery status.
    case invalidDeliveryStatus = 4_000_036
    /// Invalid lifetime dollars purchased.
    case invalidLifetimeDollarsPurchased = 4_000_037
    /// Invalid lifetime dollars refunded.
    case invalidLifetimeDollarsRefunded = 4_000_038
    /// Invalid platform.
    case invalidPlatform = 4_000_039
    /// Invalid play time.
    case invalidPlayTime = 4_000_040
    /// Invalid sample content provided.
    case invalidSampleContentProvided = 4_000_041
    /// Invalid user status.
    case invalidUserStatus = 4_000_042
    /// No longer sent.
    case invalidTransactionNotConsumable = 4_000_043
    /// Invalid refund preference.
    case invalidRefundPreference = 4_000_044
    /// Invalid transaction type not supported.
    case invalidTransactionTypeNotSupported = 4_000_047
    /// An app transaction id instead of a transaction id.
    case appTransactionIdNotSupported = 4_000_048
    /// Invalid image.
    case invalidImage = 4_000_161
    /// Header too long.
    case headerTooLong = 4_000_162
    /// Body too long.
    case bodyTooLong = 4_000_163
    /// Invalid locale.
    case invalidLocale = 4_000_164
    /// Alt text too long.
    case altTextTooLong = 4_000_175
    /// Invalid app account token UUID.
    case invalidAppAccountTokenUUID = 4_000_183
    /// A family member's transaction.
    case familyTransactionNotSupported = 4_000_185
    /// An id of the chain other than the original one.
    case transactionIdIsNotOriginalTransactionId = 4_000_187
    /// Consumption percentage auto renewable subscription.
    case consumptionPercentageAutoRenewableSubscription = 4_000_209
    /// Invalid performance test request.
    case invalidPerformanceTestRequest = 4_000_211
    /// Invalid request id.
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
    /// Invalid group id.
    case invalidGroupId = 4_000_225
    /// Invalid assigned transaction not supported.
    case invalidAssignedTransactionNotSupported = 4_000_227
    /// The subscription's state does not allow an extension.
    case subscriptionExtensionIneligible = 4_030_004
    /// Already extended twice within 365 days.
    case subscriptionMaxExtension = 4_030_005
    /// A family member's copy; it follows its purchaser's.
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
    /// Unknown customer.
    case accountNotFound = 4_040_001
    /// Not found; a later attempt may succeed.
    case accountNotFoundRetryable = 4_040_002
    /// The app is unknown to this environment.
    case appNotFound = 4_040_003
    /// Not found; a later attempt may succeed.
    case appNotFoundRetryable = 4_040_004
    /// Unknown chain.
    case originalTransactionIdNotFound = 4_040_005
    /// Not found; a later attempt may succeed.
    case originalTransactionIdNotFoundRetryable = 4_040_006
    /// App Store Connect has no address for notifications.
    case serverNotificationURLNotFound = 4_040_007
    /// Unknown test, or no result yet.
    case testNotificationNotFound = 4_040_008
    /// Unknown request.
    case statusRequestNotFound = 4_040_009
    /// Unknown to this environment; the other one may know it.
    case transactionIdNotFound = 4_040_010
    /// Image not found.
    case imageNotFound = 4_040_014
    /// Message not found.
    case messageNotFound = 4_040_015
    /// Performance test run not found.
    case performanceTestRunNotFound = 4_040_018
    /// The customer has no app transaction.
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
    /// Apple's rate limit is exceeded; the response states until when.
    case rateLimitExceeded = 4_290_000
    /// Internal failure of Apple's; try later.
    case generalInternal = 5_000_000
    /// Internal failure of Apple's; retry.
    case generalInternalRetryable = 5_000_001
}
