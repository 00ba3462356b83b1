public import AppStore
import Foundation

/// The endpoints that change something at Apple. Invalid requests are rejected before they are
/// sent.
extension AppStoreServerAPIClient {
    /// Extend a Subscription Renewal Date, by 1 to 90 days. Apple may show the reason to the
    /// customer. Sent once: if it is unknown whether Apple acted, the failure is `unknownOutcome`.
    public func extendRenewalDate(
        _ id: OriginalTransactionId, days: Int64, reason: Raw<ExtendReasonCode>,
        requestIdentifier: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<ExtendRenewalDateResponse> {
        let endpoint = Endpoint.extendRenewalDate
        let segment = try APIRequest.segment(id.rawValue, "originalTransactionId", endpoint)
        try requireExtension(endpoint, days, requestIdentifier)
        var json = JSONWriter()
        json.object { json in
            json.member("extendByDays", days)
            json.member("extendReasonCode", reason)
            json.member("requestIdentifier", requestIdentifier)
        }
        return try await response(
            APIRequest(
                endpoint: endpoint, method: .put,
                path: "/inApps/v1/subscriptions/extend/\(segment)", body: json.bytes), choice)
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
        guard UUID(uuidString: requestIdentifier) != nil else {
            throw .invalid(endpoint, "The request identifier is not a UUID.")
        }
        guard !product.rawValue.isEmpty else { throw .invalid(endpoint, "A product is required.") }
        guard storefronts?.isEmpty != true else {
            throw .invalid(
                endpoint, "A list of storefronts must not be empty; leave it out for all.")
        }
        var json = JSONWriter()
        json.object { json in
            json.member("requestIdentifier", requestIdentifier)
            json.member("extendByDays", days)
            json.member("extendReasonCode", reason)
            json.member("productId", product)
            if let storefronts { json.array("storefrontCountryCodes", storefronts) }
        }
        return try await response(
            APIRequest(
                endpoint: endpoint, method: .post, path: "/inApps/v1/subscriptions/extend/mass",
                body: json.bytes), .only(environment))
    }

    /// Request a Test Notification. Sent once, as above.
    public func requestTestNotification(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<SendTestNotificationResponse> {
        try await response(
            APIRequest(
                endpoint: .requestTestNotification, method: .post,
                path: "/inApps/v1/notifications/test"), .only(environment))
    }

    /// Send Consumption Information (version 2).
    public func sendConsumptionInformation(
        _ id: TransactionId, _ request: ConsumptionRequest, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.sendConsumptionInformation
        let segment = try APIRequest.segment(id.rawValue, "transactionId", endpoint)
        try requireConsumption(request)
        return try await emit(
            APIRequest(
                endpoint: endpoint, method: .put,
                path: "/inApps/v2/transactions/consumption/\(segment)", body: request.encoded()),
            choice)
    }

    /// Set App Account Token, for the current transaction and later ones. The token is a UUID.
    public func setAppAccountToken(
        _ id: OriginalTransactionId, _ token: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.setAppAccountToken
        let segment = try APIRequest.segment(id.rawValue, "originalTransactionId", endpoint)
        guard UUID(uuidString: token) != nil else {
            throw .invalid(endpoint, "The appAccountToken is not a UUID.")
        }
        return try await emit(
            APIRequest(
                endpoint: endpoint, method: .put,
                path: "/inApps/v1/transactions/\(segment)/appAccountToken",
                body: APIRequest.body("appAccountToken", token)), choice)
    }

    /// Finish Transaction: the app no longer sees it as unfinished.
    public func finishTransaction(
        _ id: TransactionId, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let segment = try APIRequest.segment(id.rawValue, "transactionId", .finishTransaction)
        return try await emit(
            APIRequest(
                endpoint: .finishTransaction, method: .post,
                path: "/inApps/v1/transactions/\(segment)/finish"), choice)
    }

    // MARK: Validation

    private func requireExtension(
        _ endpoint: Endpoint, _ days: Int64, _ requestIdentifier: String
    ) throws(APIFailure) {
        guard APILimits.extensionDays.contains(days) else {
            throw .invalid(endpoint, "The days must be 1 to 90.")
        }
        let longest = APILimits.requestIdentifierCharacterCount
        guard (1...longest).contains(requestIdentifier.count) else {
            throw .invalid(
                endpoint, "A request identifier of at most \(longest) characters is required.")
        }
    }

    private func requireConsumption(_ request: ConsumptionRequest) throws(APIFailure) {
        let endpoint = Endpoint.sendConsumptionInformation
        guard request.customerConsented == true else {
            throw .invalid(endpoint, "The customer's consent is required.")
        }
        guard request.deliveryStatus != nil, request.sampleContentProvided != nil else {
            throw .invalid(endpoint, "deliveryStatus and sampleContentProvided are required.")
        }
        guard let percentage = request.consumptionPercentage else { return }
        guard APILimits.consumptionPercentages.contains(percentage) else {
            throw .invalid(endpoint, "consumptionPercentage must be 0 to 100000, in 0.001 %.")
        }
        guard request.deliveryStatus == Raw(.delivered) || percentage == 0 else {
            throw .invalid(endpoint, "An undelivered purchase cannot be consumed.")
        }
        let isPartly = percentage > 0 && percentage < APILimits.consumptionPercentages.upperBound
        guard request.refundPreference != Raw(.grantProrated) || isPartly else {
            throw .invalid(endpoint, "A prorated refund requires a percentage between 1 and 99999.")
        }
    }
}
