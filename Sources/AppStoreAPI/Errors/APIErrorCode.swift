/// Apple's error numbers (App Store Server API, Error Codes). The first three digits are the HTTP
/// status.
public enum APIErrorCode: Int64, Sendable, CaseIterable {
    case generalBadRequest = 4_000_000
    /// The bundle id is not this key's.
    case invalidAppIdentifier = 4_000_002
    case invalidLimit = 4_000_004
    case invalidRequestRevision = 4_000_005
    /// Not a transaction id, or not of the required kind.
    case invalidTransactionId = 4_000_006
    case invalidOriginalTransactionId = 4_000_008
    case invalidExtendByDays = 4_000_009
    case invalidExtendReasonCode = 4_000_010
    case invalidRequestIdentifier = 4_000_011
    /// Before the 180 (Sandbox: 30) days that Apple keeps.
    case startDateTooFarInPast = 4_000_012
    /// The window is empty.
    case startDateAfterEndDate = 4_000_013
    /// The token belongs to another request.
    case invalidPaginationToken = 4_000_014
    case invalidStartDate = 4_000_015
    case invalidEndDate = 4_000_016
    /// The token has expired: restart the walk.
    case paginationTokenExpired = 4_000_017
    /// An unknown type, or a subtype of another type.
    case invalidNotificationType = 4_000_018
    /// Both a type and a transaction id.
    case multipleFiltersSupplied = 4_000_019
    case invalidTestNotificationToken = 4_000_020
    case invalidSort = 4_000_021
    case invalidProductType = 4_000_022
    case invalidProductId = 4_000_023
    case invalidSubscriptionGroupIdentifier = 4_000_024
    /// No longer sent.
    case invalidExcludeRevoked = 4_000_025
    case invalidInAppOwnershipType = 4_000_026
    case invalidEmptyStorefrontCountryCodeList = 4_000_027
    case invalidStorefrontCountryCode = 4_000_028
    case invalidRevoked = 4_000_030
    case invalidStatus = 4_000_031
    case invalidAccountTenure = 4_000_032
    case invalidAppAccountToken = 4_000_033
    case invalidConsumptionStatus = 4_000_034
    case invalidCustomerConsented = 4_000_035
    case invalidDeliveryStatus = 4_000_036
    case invalidLifetimeDollarsPurchased = 4_000_037
    case invalidLifetimeDollarsRefunded = 4_000_038
    case invalidPlatform = 4_000_039
    case invalidPlayTime = 4_000_040
    case invalidSampleContentProvided = 4_000_041
    case invalidUserStatus = 4_000_042
    /// No longer sent.
    case invalidTransactionNotConsumable = 4_000_043
    case invalidRefundPreference = 4_000_044
    case invalidTransactionTypeNotSupported = 4_000_047
    /// An app transaction id instead of a transaction id.
    case appTransactionIdNotSupported = 4_000_048
    case invalidImage = 4_000_161
    case headerTooLong = 4_000_162
    case bodyTooLong = 4_000_163
    case invalidLocale = 4_000_164
    case altTextTooLong = 4_000_175
    case invalidAppAccountTokenUUID = 4_000_183
    /// A family member's transaction.
    case familyTransactionNotSupported = 4_000_185
    /// An id of the chain other than the original one.
    case transactionIdIsNotOriginalTransactionId = 4_000_187
    case consumptionPercentageAutoRenewableSubscription = 4_000_209
    case invalidPerformanceTestRequest = 4_000_211
    case invalidRequestId = 4_000_212
    case existingPerformanceTestRun = 4_000_213
    case badRequestRealtimeUrl = 4_000_215
    case badRequestImageSize = 4_000_216
    case tooManyBulletPoints = 4_000_218
    case bulletPointTextTooLong = 4_000_219
    case aboveImageRequiresAnImage = 4_000_224
    case invalidGroupId = 4_000_225
    case invalidAssignedTransactionNotSupported = 4_000_227
    /// The subscription's state does not allow an extension.
    case subscriptionExtensionIneligible = 4_030_004
    /// Already extended twice within 365 days.
    case subscriptionMaxExtension = 4_030_005
    /// A family member's copy; it follows its purchaser's.
    case familySharedSubscriptionExtensionIneligible = 4_030_007
    case maximumNumberOfImagesReached = 4_030_014
    case maximumNumberOfMessagesReached = 4_030_016
    case messageNotApproved = 4_030_017
    case imageNotApproved = 4_030_018
    case imageInUse = 4_030_019
    case forbiddenNoPassingTest = 4_030_026
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
    case imageNotFound = 4_040_014
    case messageNotFound = 4_040_015
    case performanceTestRunNotFound = 4_040_018
    /// The customer has no app transaction.
    case appTransactionDoesNotExist = 4_040_019
    case defaultMessageNotFound = 4_040_020
    case realtimeUrlNotFound = 4_040_021
    case groupNotFound = 4_040_022
    case imageAlreadyExists = 4_090_000
    case messageAlreadyExists = 4_090_001
    /// Apple's rate limit is exceeded; the response states until when.
    case rateLimitExceeded = 4_290_000
    /// Internal failure of Apple's; try later.
    case generalInternal = 5_000_000
    /// Internal failure of Apple's; retry.
    case generalInternalRetryable = 5_000_001
}
