public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Answers to Apple's requests for retention messages.
extension OperationsStore {
    public func keep(_ answers: [RetentionRecord]) async throws(StoreError) {
        guard let newest = answers.map(\.at).max() else { return }
        try await write { database in
            for answer in answers {
                try database.insert(
                    "INSERT OR IGNORE", into: "retention_answers",
                    [
                        "request": answer.requestId, "bundle_id": answer.chain.bundleId,
                        "chain": answer.chain.originalTransactionId, "at": answer.at,
                        "product": answer.productId, "locale": answer.locale,
                        "outcome": answer.outcome.rawValue, "rule": answer.rule,
                        "message": answer.message, "alternate_product": answer.alternateProduct,
                    ])
            }
            try database.run(
                "DELETE FROM retention_answers WHERE at <= ?",
                newest.milliseconds - OperationsLimits.retentionMilliseconds)
            try database.run(
                """
                DELETE FROM retention_answers
                WHERE id <= (SELECT max(id) FROM retention_answers) - ?
                """, OperationsLimits.retentionAnswerCount)
        }
    }

    public func retentionAnswers(
        after place: RetentionRecord.Place, before end: Timestamp, limit: Int
    ) async throws(StoreError) -> [RetentionRecord] {
        try await read { database in
            try database.rows(
                """
                SELECT request, bundle_id, chain, at, product, locale, outcome, rule, message,
                    alternate_product
                FROM retention_answers WHERE (at, request) > (?, ?) AND at < ?
                ORDER BY at, request LIMIT ?
                """, place.at, place.requestId, end, limit
            ) { row in
                RetentionRecord(
                    requestId: row.requiredText(0),
                    chain: ChainId(
                        bundleId: BundleId(row.requiredText(1)),
                        originalTransactionId: OriginalTransactionId(row.requiredText(2))),
                    at: row.time(3), productId: row.text(4).map { ProductId($0) },
                    locale: row.text(5),
                    outcome: RetentionRecord.Outcome(rawValue: row.requiredText(6))
                        ?? .unavailable,
                    rule: row.text(7), message: row.text(8),
                    alternateProduct: row.text(9).map { ProductId($0) })
            }
        }
    }
}
