import AppStore

extension History {
    /// Milli-percent of everything.
    static let wholePercentage: Int64 = 100_000

    /// What of a price a refund gave back: by the percentage that is stated, else all of it.
    ///
    /// - Parameter price: milliunits, at most `BillingPeriod.largestPrice`.
    func refunded(_ price: Int64, by span: RevocationSpan, of period: Int) -> Int64 {
        let stated = percentage(of: span, period) ?? History.wholePercentage
        let part = min(max(stated, 0), History.wholePercentage)
        // A thousand million units times a hundred thousand is far from the end of Int64.
        return HalfEven.quotient(price * part, History.wholePercentage)
    }

    /// As the newest statement of the refund says: the first ones may come without.
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
