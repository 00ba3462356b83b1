internal import AppStore
internal import Reports

extension OpenAPIDocument {
    static let metricSchemas = #"""
            ReportInterval:
              description: Weeks begin on Monday.
              type: string
              enum: [hour, day, week, month, quarter]
              default: month
            Count: { type: integer, format: int64, minimum: 0 }
            TextOrNull:
              description: Null where nothing is stated.
              type: [string, 'null']
            MetricsStamp:
              description: Which definition, and on which knowledge.
              type: object
              required:
                - definition
                - environment
                - timeZone
                - interval
                - position
                - knownAt
                - completeFrom
                - completeThrough
                - reducerVersion
                - catalogueHash
                - remarks
              properties:
                definition:
                  description: What the metric means; it never changes under one name.
                  type: string
                  enum:
                    - churn/1
                    - churn.paid/1
                    - active/1
                    - starts/1
                    - trials/1
                    - renewals/1
                    - reactivations/1
                    - recoveries/1
                    - auto-renew/1
                    - product-changes/1
                    - refunds/1
                    - refunds-by-purchase/1
                    - revenue/1
                    - proceeds/1
                    - retention/1
                    - mrr/1
                    - mrr-movement/1
                    - arr/1
                    - lateness/1
                    - ltv/1
                environment: { $ref: '#/components/schemas/EnvironmentWord' }
                timeZone: { type: string }
                interval: { $ref: '#/components/schemas/ReportInterval' }
                position: { $ref: '#/components/schemas/Position' }
                knownAt: { $ref: '#/components/schemas/TimeOrNull' }
                completeFrom: { $ref: '#/components/schemas/CompleteFrom' }
                completeThrough: { $ref: '#/components/schemas/CompleteThrough' }
                reducerVersion: { type: integer, minimum: 1 }
                catalogueHash: { $ref: '#/components/schemas/Digest' }
                rates: { $ref: '#/components/schemas/RateTable' }
                remarks:
                  description: What to know before using the figures.
                  type: array
                  items:
                    type: object
                    required: [code, message]
                    properties:
                      code: { $ref: '#/components/schemas/MetricsRemark' }
                      message: { type: string }
                    additionalProperties: false
            MetricsRemark:
              type: string
              enum:
                - emptyLedger
                - notProduction
                - inferredPeriods
                - unpriced
                - notInCatalogue
                - estimate
                - severalCurrencies
                - nothingMatches
                - groupsApart
                - converted
            MetricName:
              type: string
              enum:
                - active
                - starts
                - trials
                - renewals
                - reactivations
                - recoveries
                - auto-renew
                - product-changes
                - refunds
                - refunds-by-purchase
                - revenue
                - proceeds
                - retention
                - mrr
                - mrr-movement
                - arr
                - lateness
                - ltv
            Metric:
              type: object
              required: [columns, rows]
              allOf:
                - $ref: '#/components/schemas/MetricsStamp'
              properties:
                columns:
                  description: What every row has, in order.
                  type: array
                  items:
                    type: object
                    required: [name, unit]
                    properties:
                      name: { type: string }
                      unit:
                        description: Milliunits are of the row's currency.
                        type: string
                        enum: [count, milliunits, milliseconds]
                    additionalProperties: false
                rows:
                  type: array
                  items: { $ref: '#/components/schemas/MetricRow' }
                suspectedOutages:
                  description: Of lateness only; when notifications may be missing, and why.
                  type: array
                  items:
                    type: object
                    required: [bundleId, from, to, reasons]
                    properties:
                      bundleId: { type: string }
                      from: { $ref: '#/components/schemas/Time' }
                      to: { $ref: '#/components/schemas/Time' }
                      reasons:
                        type: array
                        items:
                          type: string
                          enum: [failedDeliveries, lateDeliveries, silence]
                    additionalProperties: false
              unevaluatedProperties: false
            MetricRow:
              type: object
              required: [from, to, group, values, rates]
              properties:
                from: { $ref: '#/components/schemas/Time' }
                to:
                  description: Exclusive; the earlier of now and knownAt for the running interval.
                  $ref: '#/components/schemas/Time'
                group:
                  description: Null for the whole.
                  anyOf:
                    - { $ref: '#/components/schemas/RowGroup' }
                    - { type: 'null' }
                values: { $ref: '#/components/schemas/MetricValues' }
                rates: { $ref: '#/components/schemas/MetricRates' }
              additionalProperties: false
            MetricValues:
              description: A whole number, or money, for each column by its name.
              type: object
              additionalProperties:
                anyOf:
                  - { type: integer, format: int64 }
                  - { $ref: '#/components/schemas/MetricMoney' }
            MetricMoney:
              type: object
              required: [milliunits, currency]
              properties:
                milliunits: { type: integer, format: int64 }
                currency:
                  description: The row's; null where none is stated, and then there is no amount.
                  $ref: '#/components/schemas/TextOrNull'
              additionalProperties: false
            MetricRates:
              description: Parts of a whole by name, each from 0 to 1; null of nothing.
              type: object
              additionalProperties: { type: [number, 'null'], minimum: 0, maximum: 1 }
            Churn:
              type: object
              required: [rows]
              allOf:
                - $ref: '#/components/schemas/MetricsStamp'
              properties:
                rows:
                  type: array
                  items: { $ref: '#/components/schemas/ChurnRow' }
              unevaluatedProperties: false
            ChurnRow:
              type: object
              required:
                - from
                - to
                - group
                - activeStart
                - new
                - appeared
                - reactivated
                - recovered
                - reinstated
                - movedIn
                - movedOut
                - churned
                - activeEnd
                - residue
                - churnRate
              properties:
                from: { $ref: '#/components/schemas/Time' }
                to:
                  description: Exclusive; the earlier of now and knownAt for the running interval.
                  $ref: '#/components/schemas/Time'
                group:
                  description: Null for the whole.
                  anyOf:
                    - { $ref: '#/components/schemas/RowGroup' }
                    - { type: 'null' }
                activeStart: { $ref: '#/components/schemas/Count' }
                new: { $ref: '#/components/schemas/Count' }
                appeared:
                  description: First seen in the middle of a life; an adopted customer is not new.
                  $ref: '#/components/schemas/Count'
                reactivated: { $ref: '#/components/schemas/Count' }
                recovered: { $ref: '#/components/schemas/Count' }
                reinstated: { $ref: '#/components/schemas/Count' }
                converted:
                  description: From a trial; only of paid chains.
                  $ref: '#/components/schemas/Count'
                movedIn: { $ref: '#/components/schemas/Count' }
                movedOut: { $ref: '#/components/schemas/Count' }
                toFree:
                  description: Into a trial; only of paid chains.
                  $ref: '#/components/schemas/Count'
                churned: { $ref: '#/components/schemas/Churned' }
                activeEnd: { $ref: '#/components/schemas/Count' }
                residue:
                  description: What the columns do not explain.
                  const: 0
                churnRate:
                  description: Of those active at the start; null when there were none.
                  type: [number, 'null']
              additionalProperties: false
            RowGroup:
              description: The value of each dimension asked for.
              type: object
              properties:
                app: { $ref: '#/components/schemas/TextOrNull' }
                product: { $ref: '#/components/schemas/TextOrNull' }
                group: { $ref: '#/components/schemas/TextOrNull' }
                country: { $ref: '#/components/schemas/TextOrNull' }
                storefront: { $ref: '#/components/schemas/TextOrNull' }
                currency: { $ref: '#/components/schemas/TextOrNull' }
                offer: { $ref: '#/components/schemas/TextOrNull' }
                offerType: { $ref: '#/components/schemas/TextOrNull' }
                offerIdentifier: { $ref: '#/components/schemas/TextOrNull' }
                offerDiscountType: { $ref: '#/components/schemas/TextOrNull' }
                phase: { $ref: '#/components/schemas/TextOrNull' }
                ownership: { $ref: '#/components/schemas/TextOrNull' }
                reason: { $ref: '#/components/schemas/TextOrNull' }
              additionalProperties: false
            Churned:
              description: Those whose access ended, by why.
              type: object
              required:
                - voluntary
                - billing
                - priceIncrease
                - productUnavailable
                - refund
                - familyRevoke
                - other
                - unconfirmed
                - total
              properties:
                voluntary: { $ref: '#/components/schemas/Count' }
                billing: { $ref: '#/components/schemas/Count' }
                priceIncrease: { $ref: '#/components/schemas/Count' }
                productUnavailable: { $ref: '#/components/schemas/Count' }
                refund: { $ref: '#/components/schemas/Count' }
                familyRevoke: { $ref: '#/components/schemas/Count' }
                other: { $ref: '#/components/schemas/Count' }
                unconfirmed:
                  description: Over by the clock, and nothing says why yet.
                  $ref: '#/components/schemas/Count'
                total: { $ref: '#/components/schemas/Count' }
              additionalProperties: false
        """#
}
