/// An answer that says nothing without some of its members: without them a 200 is no answer of
/// Apple's, and must not be taken for an empty one. An error's body, `{}`, or an answer that lost
/// its end would otherwise say that there is nothing.
protocol RequiredMembers {
    /// The first member that is missing; nil when all are there.
    var missingMember: String? { get }
}

extension RequiredMembers where Self: PagedResponse {
    /// A page says what is on it, if only that nothing is, and whether another one follows.
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
    var missingMember: String? {
        missing("signedTransactions", signedTransactions != nil, hasMore)
    }
}

extension RefundHistoryResponse: RequiredMembers {
    // A customer without refunds has an empty list (Get Refund History): it is never absent.
    var missingMember: String? {
        missing("signedTransactions", signedTransactions != nil, hasMore)
    }
}

extension StatusResponse: RequiredMembers {
    var missingMember: String? { data == nil ? "data" : nil }
}

extension TransactionInfoResponse: RequiredMembers {
    var missingMember: String? { signedTransactionInfo == nil ? "signedTransactionInfo" : nil }
}
