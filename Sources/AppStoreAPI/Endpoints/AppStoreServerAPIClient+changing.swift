public import AppStore
import Foundation

/// The endpoints that change something at Apple. Invalid requests are rejected before they are
/// sent.
extension AppStoreServerAPIClient {
    /// Extend a Subscription Renewal Date, by 1 to 90 days. Apple may show the reason to the
    /// customer. Sent once: if it is unknown whether Apple acted, the failure is `unknownOutcome`.
    /// If Apple answers that it did not extend, it is `refusedByApple`.
    public func extendRenewalDate(
        _ id: OriginalTransactionId, days: Int64, reason: Raw<ExtendReasonCode>,
        requestIdentifier: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<ExtendRenewalDateResponse> {
        var request = try APIRequest(.extendRenewalDate, [id.rawValue])
        try requireExtension(.extendRenewalDate, days, requestIdentifier)
        let json = JSONWriter.object { json in
            json.member("extendByDays", days)
            json.member("extendReasonCode", reason)
            json.member("requestIdentifier", requestIdentifier)
        }
        request.body = json
        let answer: APIResponse<ExtendRenewalDateResponse> = try await response(request, choice)
        guard answer.value.success == true else { throw .notExtended(answer.environment) }
        return answer
    }

    /// Extend Subscription Renewal Dates for All Active Subscribers of a product, in all
    /// storefronts or those listed (ISO 3166-1 alpha-3). The request identifier is a UUID. Sent
    /// once, as above.
    public func massExtendRenewalDate(
        _ product: ProductId, days: Int64, reason: Raw<ExtendReasonCode>,
        requestIdentifier: String, storefronts: [String]?, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<MassExtendRenewalDateResponse> {
        let endpoint = Endpoint.massExtendRenewalDate
        try requireExtension(endpoint, days, requestIdentifier)
        try endpoint.require(
            UUID(uuidString: requestIdentifier) != nil, "The request identifier is not a UUID.")
        try endpoint.require(!product.rawValue.isEmpty, "A product is required.")
        try endpoint.require(
            storefronts?.isEmpty != true,
            "A list of storefronts must not be empty; leave it out for all.")
        let json = JSONWriter.object { json in
            json.member("requestIdentifier", requestIdentifier)
            json.member("extendByDays", days)
            json.member("extendReasonCode", reason)
            json.member("productId", product)
            if let storefronts { json.array("storefrontCountryCodes", storefronts) }
        }
        return try await response(APIRequest(endpoint, body: json), .only(environment))
    }

    /// Request a Test Notification. Sent once, as above.
    public func requestTestNotification(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<SendTestNotificationResponse> {
        try await response(APIRequest(.requestTestNotification), .only(environment))
    }

    /// Send Consumption Information (version 2).
    public func sendConsumptionInformation(
        _ id: TransactionId, _ request: ConsumptionRequest, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        var sent = try APIRequest(.sendConsumptionInformation, [id.rawValue])
        try requireConsumption(request)
        sent.body = request.encoded()
        return try await emit(sent, choice)
    }

    /// Set App Account Token, for the current transaction and later ones. The token is a UUID.
    public func setAppAccountToken(
        _ id: OriginalTransactionId, _ token: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.setAppAccountToken
        let request = try APIRequest(
            endpoint, [id.rawValue], body: APIRequest.body("appAccountToken", token))
        try endpoint.require(
            UUID(uuidString: token) != nil, "The appAccountToken is not a UUID.")
        return try await emit(request, choice)
    }

    /// Finish Transaction: the app no longer sees it as unfinished.
    public func finishTransaction(
        _ id: TransactionId, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await emit(APIRequest(.finishTransaction, [id.rawValue]), choice)
    }

    // MARK: Validation

    private func requireExtension(
        _ endpoint: Endpoint, _ days: Int64, _ requestIdentifier: String
    ) throws(APIFailure) {
        try endpoint.require(
            APILimits.extensionDays.contains(days), "The days must be 1 to 90.")
        let longest = APILimits.requestIdentifierCharacterCount
        try endpoint.require(
            (1...longest).contains(requestIdentifier.count),
            "A request identifier of at most \(longest) characters is required.")
    }

    private func requireConsumption(_ request: ConsumptionRequest) throws(APIFailure) {
        let endpoint = Endpoint.sendConsumptionInformation
        try endpoint.require(
            request.customerConsented == true, "The customer's consent is required.")
        try endpoint.require(
            request.deliveryStatus != nil && request.sampleContentProvided != nil,
            "deliveryStatus and sampleContentProvided are required.")
        guard let percentage = request.consumptionPercentage else { return }
        try endpoint.require(
            APILimits.consumptionPercentages.contains(percentage),
            "consumptionPercentage must be 0 to 100000, in 0.001 %.")
        try endpoint.require(
            request.deliveryStatus == Raw(.delivered) || percentage == 0,
            "An undelivered purchase cannot be consumed.")
        let isPartly = percentage > 0 && percentage < APILimits.consumptionPercentages.upperBound
        try endpoint.require(
            request.refundPreference != Raw(.grantProrated) || isPartly,
            "A prorated refund requires a percentage between 1 and 99999.")
    }
}
