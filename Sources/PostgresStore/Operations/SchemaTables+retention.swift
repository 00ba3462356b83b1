internal import AppStore
internal import Ledger
internal import LedgerStore

extension SchemaTables {
    /// Inserts all answers with one statement. Ids are taken in the given order, since ORDER BY is
    /// applied before the identity column.
    func insertAnswers(_ answers: [RetentionRecord]) throws {
        let insert = Statement(
            named(
                """
                INSERT INTO @retention_answers (request, bundle_id, chain, at, product, locale,
                    outcome, rule, message, alternate_product, promotional_offer)
                SELECT request, bundle_id, chain, at, product, locale, outcome, rule, message,
                    alternate_product, promotional_offer
                FROM (
                    SELECT DISTINCT ON (request) *
                    FROM unnest(
                        $1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[],
                        $6::bytea[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[],
                        $11::bytea[]
                    ) WITH ORDINALITY AS new (
                        request, bundle_id, chain, at, product, locale, outcome, rule, message,
                        alternate_product, promotional_offer, number
                    )
                    ORDER BY request, number
                ) AS given
                WHERE NOT EXISTS (
                    SELECT 1 FROM @retention_answers AS known
                    WHERE known.request = given.request)
                ORDER BY number
                ON CONFLICT (request) DO NOTHING
                """))
        let command = insert.with { parameters in
            parameters.add(answers, text: { $0.requestId })
            parameters.add(answers, text: { $0.chain.bundleId.rawValue })
            parameters.add(answers, text: { $0.chain.originalTransactionId.rawValue })
            parameters.add(answers, integer: { $0.at.milliseconds })
            parameters.add(answers, text: { $0.productId?.rawValue })
            parameters.add(answers, text: { $0.locale })
            parameters.add(answers, text: { $0.outcome.rawValue })
            parameters.add(answers, text: { $0.rule })
            parameters.add(answers, text: { $0.message })
            parameters.add(answers, text: { $0.alternateProduct?.rawValue })
            parameters.add(answers, text: { $0.promotionalOffer })
        }
        _ = try connection.run(command)
    }
}
