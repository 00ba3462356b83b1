import AppStore

extension History {
    /// 100 percent in milli-percent.
    static let wholePercentage: Int64 = 100_000

    /// The refunded part of a price.
    ///
    /// - Parameter price: milliunits, at most `BillingPeriod.largestPrice`.
    func refunded(_ price: Int64, by span: RevocationSpan, of period: Int) -> Int64 {
        // 10⁹ units times 10⁵ is far below Int64.max.
        HalfEven.quotient(
            price * refundedPercentage(by: span, of: period), History.wholePercentage)
    }

    /// In milli-percent: the stated percentage, else all.
    func refundedPercentage(by span: RevocationSpan, of period: Int) -> Int64 {
        let stated = stated(span, of: period) { $0.revocationPercentage }
        return min(max(stated ?? History.wholePercentage, 0), History.wholePercentage)
    }

    /// A value of a revocation, by its newest statement that has it: the first ones may lack it.
    func stated<Value>(
        _ span: RevocationSpan, of period: Int,
        _ value: (Shared<TransactionSnapshot>) -> Value?
    ) -> Value? {
        var newest: (signedDate: Timestamp, value: Value)?
        for record in periods[period].revoking {
            for statement in records[record].statements
            where statement.revocationDate == span.from {
                guard let stated = facts[statement.fact].statedTransaction.flatMap(value),
                    newest.map({ $0.signedDate <= statement.signedDate }) ?? true
                else { continue }
                newest = (statement.signedDate, stated)
            }
        }
        return newest?.value ?? facts[span.opener].statedTransaction.flatMap(value)
    }
}
