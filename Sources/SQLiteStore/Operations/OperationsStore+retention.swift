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
                // A repetition takes no id: by id the oldest are dropped.
                try database.run(
                    """
                    INSERT INTO retention_answers (request, bundle_id, chain, at, product, locale,
                        outcome, rule, message, alternate_product)
                    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
                    WHERE NOT EXISTS (SELECT 1 FROM retention_answers WHERE request = ?1)
                    ON CONFLICT (request) DO NOTHING
                    """, answer.requestId, answer.chain.bundleId,
                    answer.chain.originalTransactionId, answer.at, answer.productId,
                    answer.locale, answer.outcome.rawValue, answer.rule, answer.message,
                    answer.alternateProduct)
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
