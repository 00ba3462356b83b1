internal import Ledger
internal import Reports

extension OpenAPIDocument {
    /// What compares: definitions with others', and two states of knowledge.
    static let comparedSchemas = #"""
            RateTable:
              description: Only where amounts were converted; by what.
              type: object
              required: [currency, rates]
              properties:
                currency: { type: string }
                rates:
                  description: What one unit of each other currency is in it, as it was given.
                  type: object
              additionalProperties: false
            DefinitionPack:
              type: string
              enum: [revenuecat, adapty, stripe, appstoreconnect]
            DefinitionRule:
              type: string
              enum:
                - trialsExcluded
                - setToCancelExcluded
                - returnsNetted
                - lastThirtyDays
                - fourWeeksAMonth
                - weekOf023Months
                - refundedRemoved
                - pastDueIncluded
                - conversionsIncluded
                - changesNetted
                - moneyAlone
                - perSubscriber
                - latePaymentsAreNew
                - laterPurchasesConvert
                - refundedNotConverted
                - introExcluded
                - trialsBeginCohorts
                - changesBeginCohorts
                - refundsEndCohorts
                - recoveriesIncluded
                - autoRenewBackOn
                - datedByPurchase
                - datedByRecovery
                - refundsSubtracted
            Comparison:
              description: Ours and the differences are theirs, exactly.
              type: object
              required: [definitions, figures, rules, rows]
              allOf:
                - $ref: '#/components/schemas/MetricsStamp'
              properties:
                definitions: { $ref: '#/components/schemas/DefinitionPack' }
                figures:
                  description: What is compared, in the order of each interval's rows.
                  type: array
                  items:
                    type: object
                    required: [name, unit]
                    properties:
                      name: { type: string }
                      unit:
                        description: Milliunits are of the row's currency; annualised, a year's.
                        type: string
                        enum: [count, milliunits, annualisedMilliunits]
                    additionalProperties: false
                rules:
                  description: In which they count otherwise, in order.
                  type: array
                  items:
                    type: object
                    required: [rule, theirs, ours]
                    properties:
                      rule: { $ref: '#/components/schemas/DefinitionRule' }
                      theirs: { type: string }
                      ours: { type: string }
                    additionalProperties: false
                reasons:
                  description: Only of churn by reason; our reasons in their words.
                  type: array
                  items:
                    type: object
                    required: [reason, theirs]
                    properties:
                      reason: { $ref: '#/components/schemas/EndReason' }
                      theirs: { type: string }
                    additionalProperties: false
                rows:
                  type: array
                  items: { $ref: '#/components/schemas/ComparisonRow' }
              unevaluatedProperties: false
            ComparisonRow:
              type: object
              required: [from, to, currency, figure, ours, differences, theirs, base]
              properties:
                from: { $ref: '#/components/schemas/Time' }
                to:
                  description: Exclusive; the earlier of now and knownAt for the running interval.
                  $ref: '#/components/schemas/Time'
                currency:
                  description: Of money only.
                  $ref: '#/components/schemas/TextOrNull'
                figure:
                  description: One of the answer's figures, whose unit the numbers have.
                  type: string
                ours: { type: integer, format: int64 }
                differences:
                  description: In the order of the rules, each on what those before it left.
                  type: array
                  items:
                    type: object
                    required: [rule, amount, chains]
                    properties:
                      rule: { $ref: '#/components/schemas/DefinitionRule' }
                      amount: { type: integer, format: int64 }
                      chains:
                        description: How many the rule is about; of churn, losses and returns.
                        $ref: '#/components/schemas/Count'
                    additionalProperties: false
                theirs: { type: integer, format: int64 }
                base:
                  description: What their rate is of; null where they document none.
                  type: [integer, 'null']
              additionalProperties: false
            Knowledge:
              description: Both null where everything is known.
              type: object
              required: [knownAt, knownPosition]
              properties:
                knownAt: { $ref: '#/components/schemas/TimeOrNull' }
                knownPosition:
                  anyOf:
                    - { $ref: '#/components/schemas/Position' }
                    - { type: 'null' }
              additionalProperties: false
            MetricsDiff:
              description: The stamp is that of the later knowledge.
              type: object
              required: [before, after, cells]
              allOf:
                - $ref: '#/components/schemas/MetricsStamp'
              properties:
                before: { $ref: '#/components/schemas/Knowledge' }
                after: { $ref: '#/components/schemas/Knowledge' }
                cells:
                  type: array
                  maxItems: 10000
                  items:
                    type: object
                    required: [from, to, group, column, before, after, events, eventsOmitted]
                    properties:
                      from: { $ref: '#/components/schemas/Time' }
                      to: { $ref: '#/components/schemas/Time' }
                      group:
                        description: Null for the whole.
                        anyOf:
                          - { $ref: '#/components/schemas/RowGroup' }
                          - { type: 'null' }
                      column: { type: string }
                      before: { type: integer, format: int64 }
                      after: { type: integer, format: int64 }
                      events:
                        description: Positions, ascending.
                        type: array
                        maxItems: 100
                        items: { $ref: '#/components/schemas/Position' }
                      eventsOmitted: { $ref: '#/components/schemas/Count' }
                    additionalProperties: false
              unevaluatedProperties: false
        """#
}
