/// The Python script: all of `subledger churn --by product`, from lines of transitions. Times are
/// whole microseconds. Every column is counted, so that both sides do the same work. The result is
/// a file, since DuckDB prints its progress.
enum WarehouseScript {
    static let text = """
        from duckdb import connect
        from json import dumps
        from sys import argv
        from time import perf_counter
        folder, end, times = argv[1:]
        connection = connect()

        def timed(query):
            started = perf_counter()
            rows = connection.execute(query).fetchall()
            return rows, round((perf_counter() - started) * 1e6)

        _, loading = timed('''\(load)'''.replace('FOLDER', folder))
        reports = []
        for _ in range(int(times)):
            cells, spent = timed('''\(report)'''.replace('BEFORE', end))
            reports.append(spent)
        with open(folder + '/answer.json', 'w') as file:
            file.write(dumps({'loading': loading, 'reports': reports, 'cells': cells}))
        """

    /// Exits with 3 if the package is missing.
    static let looking = """
        from importlib.util import find_spec
        from sys import exit
        exit(0 if find_spec('duckdb') else 3)
        """

    /// The transitions in effect, typed.
    private static let load = """
        CREATE TABLE transitions AS
        SELECT bundleId, originalTransactionId, "at", "to" AS state, reason, gain, isCounted,
               productId
        FROM read_json('FOLDER/*.ndjson', format = 'newline_delimited', columns = {
          'sign': 'BIGINT', 'bundleId': 'VARCHAR', 'originalTransactionId': 'VARCHAR',
          'at': 'TIMESTAMP', 'from': 'VARCHAR', 'to': 'VARCHAR', 'reason': 'VARCHAR',
          'gain': 'VARCHAR', 'isCounted': 'BOOLEAN', 'productId': 'VARCHAR', 'group': 'VARCHAR',
          'storefront': 'VARCHAR', 'currency': 'VARCHAR', 'offer': 'VARCHAR', 'phase': 'VARCHAR',
          'ownership': 'VARCHAR', 'annualisedMilliunits': 'BIGINT'})
        GROUP BY ALL HAVING sum(sign) > 0
        """

    private static let report = """
        WITH stated AS (
          SELECT *, state IN ('subscribed', 'renewing', 'grace') AS isEntitled,
                 isCounted AND isEntitled AS isActive
          FROM transitions WHERE "at" < TIMESTAMP 'BEFORE'
        ), changes AS (
          SELECT *, coalesce(lag(isActive) OVER chain, false) AS wasActive,
                 coalesce(lag(isEntitled) OVER chain, false) AS wasEntitled,
                 lag(productId) OVER chain AS wasProduct
          FROM stated
          WINDOW chain AS (PARTITION BY bundleId, originalTransactionId ORDER BY "at")
        ), sums AS (
          SELECT date_trunc('month', "at") AS "month", wasProduct, productId, wasActive, isActive,
                 CASE WHEN NOT wasActive THEN
                        CASE WHEN wasEntitled THEN 'movedIn' ELSE coalesce(gain, 'new') END
                      WHEN isActive THEN 'moved'
                      WHEN isEntitled THEN 'movedOut'
                      ELSE 'churned.' || coalesce(reason, 'other') END AS "column",
                 count(*) AS amount
          FROM changes
          WHERE wasActive <> isActive
             OR (wasActive AND isActive AND wasProduct IS DISTINCT FROM productId)
          GROUP BY ALL
        ), columns AS (
          SELECT "month", productId AS product, "column", amount, amount AS net
          FROM sums WHERE isActive AND NOT wasActive
          UNION ALL SELECT "month", wasProduct, "column", amount, -amount
          FROM sums WHERE wasActive AND NOT isActive
          UNION ALL SELECT "month", productId, 'movedIn', amount, amount
          FROM sums WHERE wasActive AND isActive
          UNION ALL SELECT "month", wasProduct, 'movedOut', amount, -amount
          FROM sums WHERE wasActive AND isActive
        ), months AS (
          SELECT unnest(generate_series((SELECT min("month") FROM columns),
                   date_trunc('month', TIMESTAMP 'BEFORE'), INTERVAL 1 MONTH)) AS "month"
        ), ends AS (
          SELECT months."month", products.product,
                 sum(coalesce(net, 0)) OVER (PARTITION BY products.product
                                             ORDER BY months."month")::BIGINT AS activeEnd,
                 (activeEnd - coalesce(net, 0))::BIGINT AS activeStart
          FROM months CROSS JOIN (SELECT DISTINCT product FROM columns) AS products
          LEFT JOIN (SELECT "month", product, sum(net) AS net FROM columns GROUP BY ALL) AS nets
            ON nets."month" = months."month" AND nets.product = products.product
        ), cells AS (
          SELECT "month", product, "column", sum(amount)::BIGINT AS amount
          FROM columns GROUP BY ALL
          UNION ALL SELECT "month", product, 'activeStart', activeStart FROM ends
          UNION ALL SELECT "month", product, 'activeEnd', activeEnd FROM ends
        )
        SELECT strftime("month", '%Y-%m'), coalesce(product, ''), "column", amount
        FROM cells WHERE amount <> 0 ORDER BY ALL
        """
}
