import AppStore

extension History {
    /// 100 percent in milli-percent.
    static let wholePercentage: Int64 = 100_000

    /// The refunded part of a price: the stated percentage, else all of it.
    ///
    /// - Parameter price: milliunits, at most `BillingPeriod.largestPrice`.
    func refunded(_ price: Int64, by span: RevocationSpan, of period: Int) -> Int64 {
        let stated = percentage(of: span, period) ?? History.wholePercentage
        let part = min(max(stated, 0), History.wholePercentage)
        // 10⁹ units times 10⁵ is far below Int64.max.
        return HalfEven.quotient(price * part, History.wholePercentage)
    }

    /// As of the newest statement of the refund: the first ones may lack it.
    private func percentage(of span: RevocationSpan, _ period: Int) -> Int64? {
        let opener = facts[span.opener].statedTransaction?.revocationPercentage
        var newest: (signedDate: Timestamp, percentage: Int64)?
        for record in periods[period].records {
            for statement in records[record].statements
            where statement.revocationDate == span.from {
                guard
                    let stated = facts[statement.fact].statedTransaction?.revocationPercentage,
                    newest.map({ $0.signedDate <= statement.signedDate }) ?? true
                else { continue }
                newest = (statement.signedDate, stated)
            }
        }
        return newest?.percentage ?? opener
    }
}
