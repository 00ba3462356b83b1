internal import AppStore
internal import Ledger
internal import Reports

extension OpenAPIDocument {
    static let metricPaths = #"""
          /v1/metrics/churn:
            get:
              operationId: getChurn
              tags: [metrics]
              summary: Who was active, who came, who left and why, interval by interval.
              description: |
                Every row balances: activeStart and what came, less what left, is activeEnd; the
                residue says so. A row never depends on what else was asked. Nothing is told of what
                comes after now, or after knownAt. With `definitions`, what another product documents
                beside it.
              parameters:
                - $ref: '#/components/parameters/From'
                - $ref: '#/components/parameters/To'
                - $ref: '#/components/parameters/Interval'
                - $ref: '#/components/parameters/By'
                - $ref: '#/components/parameters/Where'
                - $ref: '#/components/parameters/TimeZone'
                - $ref: '#/components/parameters/Paid'
                - $ref: '#/components/parameters/Definitions'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: The rows by interval, then by group.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: '#/components/schemas/Churn'
                          - $ref: '#/components/schemas/Comparison'
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidReport' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/metrics/diff:
            get:
              operationId: getMetricsDiff
              tags: [metrics]
              summary: The cells of a report that differ between two states of knowledge, and why.
              description: |
                `knownAt` or `knownPosition` names both states, with a comma between them, or one to
                compare with everything. Compared up to the earlier of both times and of now. The
                events of a cell are those of the chains that moved it which only one of the two
                states knows.
              parameters:
                - $ref: '#/components/parameters/ComparedMetric'
                - $ref: '#/components/parameters/From'
                - $ref: '#/components/parameters/To'
                - $ref: '#/components/parameters/Interval'
                - $ref: '#/components/parameters/By'
                - $ref: '#/components/parameters/Where'
                - $ref: '#/components/parameters/TimeZone'
                - $ref: '#/components/parameters/Rates'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/ComparedKnownAt'
                - $ref: '#/components/parameters/ComparedKnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: The cells by interval, group and column; none where nothing moved.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/MetricsDiff' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidReport' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchMetric' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/metrics/{name}:
            get:
              operationId: getMetric
              tags: [metrics]
              summary: One metric by its name, interval by interval.
              description: |
                Values are sums of what happened in the interval and group: counts, or milliunits of
                the row's currency; rows of money are always apart by currency. Nothing is told of
                what comes after now, or after knownAt.
              parameters:
                - $ref: '#/components/parameters/MetricName'
                - $ref: '#/components/parameters/RefundBasis'
                - $ref: '#/components/parameters/Rates'
                - $ref: '#/components/parameters/Definitions'
                - $ref: '#/components/parameters/From'
                - $ref: '#/components/parameters/To'
                - $ref: '#/components/parameters/Interval'
                - $ref: '#/components/parameters/By'
                - $ref: '#/components/parameters/Where'
                - $ref: '#/components/parameters/TimeZone'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: The rows by interval, then by group.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: '#/components/schemas/Metric'
                          - $ref: '#/components/schemas/Comparison'
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidReport' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchMetric' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
        """#

    static let metricParameters = #"""
            MetricName:
              name: name
              in: path
              required: true
              schema: { $ref: '#/components/schemas/MetricName' }
              example: mrr
            From:
              name: from
              in: query
              required: true
              description: The first day of the time zone, or a time; inclusive. Not before 2008.
              schema: { $ref: '#/components/schemas/StatedTime' }
              example: '2026-01-01'
            To:
              name: to
              in: query
              description: The day or time before which it ends; without it, now.
              schema: { $ref: '#/components/schemas/StatedTime' }
              example: '2026-07-01'
            Interval:
              name: interval
              in: query
              schema: { $ref: '#/components/schemas/ReportInterval' }
            By:
              name: by
              in: query
              description: |
                Dimensions to break down by, each once, with commas between them: app, product,
                group, country (or storefront), currency, offer, offerType, offerIdentifier,
                offerDiscountType, phase, ownership, reason. By reason, those who left move out of
                the rows without a reason into the row of theirs, and churn there.
              schema: { type: string, pattern: '^([A-Za-z]+(,[A-Za-z]+)*)?$' }
              example: product,country
            Where:
              name: where
              in: query
              description: |
                `dimension=value`, several with commas between them: only chains with one of the
                values given of each dimension named. Nothing behind the sign stands for nothing
                stated.
              schema: { type: string, pattern: '^([A-Za-z]+=[^,]*(,[A-Za-z]+=[^,]*)*)?$' }
              example: country=USA,phase=standard
            TimeZone:
              name: timeZone
              in: query
              description: An IANA name; without it, the configured report zone.
              schema: { type: string, minLength: 1 }
              example: Europe/Berlin
            Paid:
              name: paid
              in: query
              description: Only chains in a paid period; from and into trials are columns.
              schema: { type: boolean, default: false }
            Rates:
              name: rates
              in: query
              description: |
                Converts amounts: the currency of the answer, then what one unit of each other one is
                in it, a decimal number of at most 15 digits, 9 behind the point. At most 200.
              schema:
                type: string
                pattern: '^[A-Z]{3}(,[A-Z]{3}:[0-9]+([.][0-9]+)?)*$'
              example: USD,EUR:1.0834,JPY:0.006612
            Definitions:
              name: definitions
              in: query
              description: |
                Shows a metric as another product documents it beside ours, each difference by its
                rule; without rates and paid, and without by, but for churn by reason.
              schema: { $ref: '#/components/schemas/DefinitionPack' }
            RefundBasis:
              name: refundBasis
              in: query
              description: |
                Only of refunds: by their own day, or by that of the purchase, which is
                refunds-by-purchase.
              schema:
                type: string
                enum: [refund, purchase]
                default: refund
            ComparedMetric:
              name: metric
              in: query
              description: churn, or another metric's name.
              schema:
                anyOf:
                  - { const: churn }
                  - { $ref: '#/components/schemas/MetricName' }
              example: churn
            ComparedKnownAt:
              name: knownAt
              in: query
              description: |
                Two times with a comma between them, or one: what had been received by then. Not
                together with knownPosition.
              schema: { type: string, pattern: '^[^,]+(,[^,]+)?$' }
              example: '2026-02-01,2026-03-01'
            ComparedKnownPosition:
              name: knownPosition
              in: query
              description: |
                Two positions with a comma between them, or one. Not together with knownAt.
              schema: { type: string, pattern: '^(0|[1-9][0-9]{0,17})(,(0|[1-9][0-9]{0,17}))?$' }
              example: '1000,2000'
        """#
}
