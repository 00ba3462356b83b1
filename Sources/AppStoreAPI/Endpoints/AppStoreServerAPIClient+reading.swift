public import AppStore

/// The endpoints that only read. `id` is any id of the customer unless stated otherwise: a
/// transactionId, originalTransactionId or appTransactionId.
extension AppStoreServerAPIClient {
    /// Get All Subscription Statuses: every chain of the customer, in all groups, or those in one
    /// of `statuses`.
    public func allSubscriptionStatuses(
        _ id: String, statuses: [Raw<SubscriptionStatus>] = [], in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<StatusResponse> {
        let answer: APIResponse<StatusResponse> = try await get(
            .allSubscriptionStatuses, "/inApps/v1/subscriptions/", id, choice,
            query: statuses.map { .init(name: "status", value: String($0.rawValue)) })
        try requireOurs(answer, answer.value.bundleId)
        return answer
    }

    /// Get Transaction History (version 2): the page after `revision`, that of the previous one;
    /// `transactionHistoryPages` walks all of them.
    public func transactionHistory(
        _ id: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
        revision: String? = nil, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<HistoryResponse> {
        let endpoint = Endpoint.transactionHistory
        let segment = try APIRequest.segment(id, "id", endpoint)
        if let start = request.startDate, let end = request.endDate, start >= end {
            throw .invalid(endpoint, "The window must begin before it ends.")
        }
        let place = revision.map { [APIRequest.QueryItem(name: "revision", value: $0)] } ?? []
        let answer: APIResponse<HistoryResponse> = try await read(
            endpoint, "/inApps/v2/history/\(segment)", choice, query: place + request.query)
        try requireOurs(answer, answer.value.bundleId)
        return answer
    }

    /// Get Transaction Info.
    public func transactionInfo(
        _ id: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<TransactionInfoResponse> {
        try await get(.transactionInfo, "/inApps/v1/transactions/", id, choice)
    }

    /// Get App Transaction Info.
    public func appTransactionInfo(
        _ id: String, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<AppTransactionInfoResponse> {
        try await get(
            .appTransactionInfo, "/inApps/v1/transactions/appTransactions/", id, choice)
    }

    /// Look Up Order ID; Production only.
    public func orderLookup(
        _ orderId: String
    ) async throws(APIFailure) -> APIResponse<OrderLookupResponse> {
        try await get(.orderLookup, "/inApps/v1/lookup/", orderId, .only(.production))
    }

    /// Get Refund History (version 2): the page after `revision`; `refundHistoryPages` walks all.
    public func refundHistory(
        _ id: String, revision: String? = nil, in choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<HistoryResponse> {
        try await get(
            .refundHistory, "/inApps/v2/refund/lookup/", id, choice,
            query: revision.map { [.init(name: "revision", value: $0)] } ?? [])
    }

    /// Get Status of Subscription Renewal Date Extensions.
    public func massExtendRenewalDateStatus(
        product: ProductId, requestIdentifier: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<MassExtendRenewalDateStatusResponse> {
        let endpoint = Endpoint.massExtendRenewalDateStatus
        let segment = try APIRequest.segment(product.rawValue, "productId", endpoint)
        return try await get(
            endpoint, "/inApps/v1/subscriptions/extend/mass/\(segment)/", requestIdentifier,
            .only(environment))
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
        guard request.transactionId == nil || request.notificationType == nil else {
            throw .invalid(endpoint, "Filter by type or by transaction id, not both.")
        }
        guard request.notificationSubtype == nil || request.notificationType != nil else {
            throw .invalid(endpoint, "A subtype requires its type.")
        }
        return try await response(
            APIRequest(
                endpoint: endpoint, method: .post, path: "/inApps/v1/notifications/history",
                query: paginationToken.map { [.init(name: "paginationToken", value: $0)] } ?? [],
                body: request.encoded()), .only(environment))
    }

    /// Get Test Notification Status.
    public func testNotificationStatus(
        _ token: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<NotificationHistoryResponseItem> {
        try await get(
            .testNotificationStatus, "/inApps/v1/notifications/test/", token, .only(environment))
    }

    private func get<Response: WireObject>(
        _ endpoint: Endpoint, _ path: String, _ id: String, _ choice: EnvironmentChoice,
        query: [APIRequest.QueryItem] = []
    ) async throws(APIFailure) -> APIResponse<Response> {
        let segment = try APIRequest.segment(id, "id", endpoint)
        return try await read(endpoint, path + segment, choice, query: query)
    }

    func read<Response: WireObject>(
        _ endpoint: Endpoint, _ path: String, _ choice: EnvironmentChoice,
        query: [APIRequest.QueryItem] = []
    ) async throws(APIFailure) -> APIResponse<Response> {
        try await response(
            APIRequest(endpoint: endpoint, method: .get, path: path, query: query), choice)
    }
}
