public import AppStore

/// The endpoints that only read. `id` is any id of the customer unless stated otherwise: a
/// transactionId, originalTransactionId or appTransactionId.
extension AppStoreServerAPIClient {
    /// Get All Subscription Statuses: every chain of the customer, in all groups, or those in one
    /// of `statuses`.
    public func allSubscriptionStatuses(
        _ id: String, statuses: [Raw<SubscriptionStatus>] = [], in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<StatusResponse> {
        let request = try APIRequest(
            .allSubscriptionStatuses, [id],
            query: statuses.map { .init(name: "status", value: String($0.rawValue)) })
        let answer: APIResponse<StatusResponse> = try await response(request, choice)
        try requireOurs(answer, answer.value.bundleId)
        return answer
    }

    /// Get Transaction History (version 2): the page after `revision`, that of the previous one;
    /// `transactionHistoryPages` walks all of them.
    public func transactionHistory(
        _ id: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
        revision: String? = nil, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<HistoryResponse> {
        let place = revision.map { [APIRequest.QueryItem(name: "revision", value: $0)] } ?? []
        let sent = try APIRequest(.transactionHistory, [id], query: place + request.query)
        if let start = request.startDate, let end = request.endDate, start >= end {
            throw .invalid(sent.endpoint, "The window must begin before it ends.")
        }
        let answer: APIResponse<HistoryResponse> = try await response(sent, choice)
        try requireOurs(answer, answer.value.bundleId)
        return answer
    }

    /// Get Transaction Info.
    public func transactionInfo(
        _ id: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<TransactionInfoResponse> {
        try await response(APIRequest(.transactionInfo, [id]), choice)
    }

    /// Get App Transaction Info.
    public func appTransactionInfo(
        _ id: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<AppTransactionInfoResponse> {
        try await response(APIRequest(.appTransactionInfo, [id]), choice)
    }

    /// Look Up Order ID; Production only.
    public func orderLookup(
        _ orderId: String
    ) async throws(APIFailure) -> APIResponse<OrderLookupResponse> {
        try await response(APIRequest(.orderLookup, [orderId]), .only(.production))
    }

    /// Get Refund History (version 2): the page after `revision`; `refundHistoryPages` walks all.
    public func refundHistory(
        _ id: String, revision: String? = nil, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<HistoryResponse> {
        let place = revision.map { [APIRequest.QueryItem(name: "revision", value: $0)] } ?? []
        return try await response(APIRequest(.refundHistory, [id], query: place), choice)
    }

    /// Get Status of Subscription Renewal Date Extensions.
    public func massExtendRenewalDateStatus(
        product: ProductId, requestIdentifier: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<MassExtendRenewalDateStatusResponse> {
        let ids = [product.rawValue, requestIdentifier]
        return try await response(
            APIRequest(.massExtendRenewalDateStatus, ids), .only(environment))
    }

    /// Get Notification History: the page after `paginationToken`, that of the previous one;
    /// `notificationHistoryPages` walks all of them.
    public func notificationHistory(
        _ request: NotificationHistoryRequest, paginationToken: String? = nil,
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<NotificationHistoryResponse> {
        let endpoint = Endpoint.notificationHistory
        guard let start = request.startDate, let end = request.endDate, start < end else {
            throw .invalid(endpoint, "A window that begins before it ends is required.")
        }
        if let id = request.transactionId {
            _ = try APIRequest.segment(id, "transactionId", endpoint)
        }
        try endpoint.require(
            request.transactionId == nil || request.notificationType == nil,
            "Filter by type or by transaction id, not both.")
        try endpoint.require(
            request.notificationSubtype == nil || request.notificationType != nil,
            "A subtype requires its type.")
        return try await response(
            APIRequest(
                endpoint,
                query: paginationToken.map { [.init(name: "paginationToken", value: $0)] } ?? [],
                body: request.encoded()), .only(environment))
    }

    /// Get Test Notification Status.
    public func testNotificationStatus(
        _ token: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<NotificationHistoryResponseItem> {
        try await response(APIRequest(.testNotificationStatus, [token]), .only(environment))
    }
}
