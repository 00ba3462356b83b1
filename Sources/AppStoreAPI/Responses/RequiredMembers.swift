/// A response that requires some of its members: without them a 200 is not a valid response and
/// must not be taken for an empty one. Otherwise an error's body, `{}`, or a truncated response
/// would mean that there is nothing.
protocol RequiredMembers {
    /// The first missing member; nil if all are present.
    var missingMember: String? { get }
}

extension RequiredMembers where Self: PagedResponse {
    /// A page must have its list, even if empty, and state whether another page follows.
    fileprivate func missing(_ list: String, _ isThere: Bool, _ hasMore: Bool?) -> String? {
        guard isThere else { return list }
        return hasMore == nil ? "hasMore" : nil
    }
}

extension NotificationHistoryResponse: RequiredMembers {
    var missingMember: String? {
        missing("notificationHistory", notificationHistory != nil, hasMore)
    }
}

extension HistoryResponse: RequiredMembers {
    // A customer without refunds has an empty list (Get Refund History), never an absent one.
    var missingMember: String? {
        missing("signedTransactions", signedTransactions != nil, hasMore)
    }
}

extension StatusResponse: RequiredMembers {
    var missingMember: String? { data == nil ? "data" : nil }
}

extension ExtendRenewalDateResponse: RequiredMembers {
    var missingMember: String? { success == nil ? "success" : nil }
}

extension TransactionInfoResponse: RequiredMembers {
    var missingMember: String? { signedTransactionInfo == nil ? "signedTransactionInfo" : nil }
}
