public import AppStore

/// Complete histories, page by page.
extension AppStoreServerAPIClient {
    /// All pages of a customer's transactions, or those after the last `revision` of an earlier
    /// walk. Modified ones are repeated: the newest signedDate of a transactionId applies.
    public func transactionHistoryPages(
        _ id: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
        after revision: String? = nil, in choice: EnvironmentChoice
    ) -> PageWalk<HistoryResponse> {
        PageWalk(endpoint: .transactionHistory, first: choice, start: revision) {
            (place, choice) async throws(APIFailure) in
            try await self.transactionHistory(id, request, revision: place, in: choice)
        }
    }

    /// All pages of a customer's refunds, or those after the last `revision` of an earlier walk.
    public func refundHistoryPages(
        _ id: String, after revision: String? = nil, in choice: EnvironmentChoice
    ) -> PageWalk<HistoryResponse> {
        PageWalk(endpoint: .refundHistory, first: choice, start: revision) {
            (place, choice) async throws(APIFailure) in
            try await self.refundHistory(id, revision: place, in: choice)
        }
    }

    /// All pages of the notifications Apple sent in a window, or those after the last
    /// `paginationToken` of an earlier walk.
    public func notificationHistoryPages(
        _ request: NotificationHistoryRequest, after place: String? = nil,
        in environment: Environment
    ) -> PageWalk<NotificationHistoryResponse> {
        PageWalk(endpoint: .notificationHistory, first: .only(environment), start: place) {
            (place, choice) async throws(APIFailure) in
            try await self.notificationHistory(
                request, paginationToken: place, in: environment)
        }
    }
}
