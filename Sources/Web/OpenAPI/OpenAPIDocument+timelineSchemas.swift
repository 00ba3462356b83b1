internal import AppStore
internal import Ledger
internal import LedgerStore

extension OpenAPIDocument {
    static let timelineSchemas = #"""
            Offer:
              type: object
              required: [type, identifier, discountType, period]
              properties:
                type: { description: Apple's offerType., type: [integer, 'null'] }
                identifier: { type: [string, 'null'] }
                discountType: { description: Apple's word., type: [string, 'null'] }
                period: { description: ISO 8601 duration., type: [string, 'null'] }
              additionalProperties: false
              examples:
                - { type: 1, identifier: null, discountType: FREE_TRIAL, period: P1W }
            Commitment:
              description: A commitment of several billing periods.
              type: object
              required:
                - billingPeriodNumber
                - totalBillingPeriods
                - expiresDate
                - price
                - willRenew
                - nextProductId
              properties:
                billingPeriodNumber: { type: [integer, 'null'] }
                totalBillingPeriods: { type: [integer, 'null'] }
                expiresDate: { $ref: '#/components/schemas/TimeOrNull' }
                price:
                  anyOf:
                    - { $ref: '#/components/schemas/Money' }
                    - { type: 'null' }
                willRenew: { type: [boolean, 'null'] }
                nextProductId: { type: [string, 'null'] }
              additionalProperties: false
            Cancellation:
              description: Auto-renew is off, why, and since which statement.
              type: object
              required: [reason, at]
              properties:
                reason: { $ref: '#/components/schemas/EndReason' }
                at: { $ref: '#/components/schemas/Time' }
              additionalProperties: false
            Revocation:
              description: The refund or family revoke that is in force.
              type: object
              required: [date, reason, type, percentage]
              properties:
                date: { $ref: '#/components/schemas/Time' }
                reason: { description: Apple's revocationReason., type: [integer, 'null'] }
                type: { description: Apple's revocationType., type: [string, 'null'] }
                percentage: { description: Thousandths of a percent., type: [integer, 'null'] }
              additionalProperties: false
            Notice:
              description: What looks wrong in the evidence.
              type: object
              required: [code, message, evidence, since, period]
              properties:
                code:
                  type: string
                  enum:
                    - renewalOverdue
                    - missingPeriod
                    - unexplainedExpiry
                    - historyMissingBefore
                    - missingRenewalInfo
                    - lateDelivery
                    - contradiction
                    - tokenChanged
                    - unreadable
                    - unknownValue
                    - unconfirmedStatement
                message: { description: For people; its wording may change., type: string }
                evidence: { $ref: '#/components/schemas/Evidence' }
                since:
                  description: From when on it holds.
                  $ref: '#/components/schemas/Time'
                period:
                  description: The period it is about; null where it is about none or several.
                  anyOf:
                    - { $ref: '#/components/schemas/NoticePeriod' }
                    - { type: 'null' }
              additionalProperties: false
            NoticePeriod:
              description: Without a transactionId, a time of which nothing is known.
              type: object
              required: [transactionId, productId, from, to]
              properties:
                transactionId: { type: [string, 'null'] }
                productId: { type: [string, 'null'] }
                from: { $ref: '#/components/schemas/TimeOrNull' }
                to: { $ref: '#/components/schemas/TimeOrNull' }
              additionalProperties: false
            Timeline:
              type: object
              required: [chain, intervals, entries]
              properties:
                chain: { $ref: '#/components/schemas/Subscription' }
                intervals:
                  description: One for each period and state.
                  type: array
                  items: { $ref: '#/components/schemas/Interval' }
                entries:
                  type: array
                  items: { $ref: '#/components/schemas/TimelineEntry' }
                next:
                  description: The place to ask after for the next page; null on the last, absent from a whole life.
                  type: [string, 'null']
              additionalProperties: false
            Interval:
              type: object
              required: [state, from, to, productId, transactionId]
              properties:
                state: { $ref: '#/components/schemas/State' }
                from: { $ref: '#/components/schemas/Time' }
                to: { $ref: '#/components/schemas/TimeOrNull' }
                productId: { type: [string, 'null'] }
                transactionId: { type: string }
              additionalProperties: false
            TimelineEntry:
              type: object
              allOf:
                - $ref: '#/components/schemas/EntryMembers'
              unevaluatedProperties: false
            EntryMembers:
              description: A transition (`from`, `to`) or a fact (`fact`); the others are null.
              type: object
              required:
                - at
                - kind
                - from
                - to
                - fact
                - reason
                - productId
                - transactionId
                - refund
                - change
                - cause
              properties:
                at: { $ref: '#/components/schemas/Time' }
                kind: { type: string, enum: [state, fact] }
                from:
                  anyOf:
                    - { $ref: '#/components/schemas/State' }
                    - { type: 'null' }
                to:
                  anyOf:
                    - { $ref: '#/components/schemas/State' }
                    - { type: 'null' }
                fact:
                  anyOf:
                    - { $ref: '#/components/schemas/FactName' }
                    - { type: 'null' }
                reason:
                  anyOf:
                    - { $ref: '#/components/schemas/EndReason' }
                    - { type: 'null' }
                productId: { type: [string, 'null'] }
                transactionId: { type: [string, 'null'] }
                refund:
                  description: Of refunded, and of refundReversed where the refund is known.
                  anyOf:
                    - { $ref: '#/components/schemas/EntryRefund' }
                    - { type: 'null' }
                change:
                  description: Of facts about another product, what was to follow or followed what.
                  anyOf:
                    - { $ref: '#/components/schemas/ProductChange' }
                    - { type: 'null' }
                cause:
                  anyOf:
                    - { $ref: '#/components/schemas/Cause' }
                    - { type: 'null' }
            EntryRefund:
              description: What was given back, and the period that had been paid for.
              type: object
              required: [amount, from, to]
              properties:
                amount:
                  description: Null where no price is stated, or the purchase is no money.
                  anyOf:
                    - { $ref: '#/components/schemas/Money' }
                    - { type: 'null' }
                from: { $ref: '#/components/schemas/Time' }
                to: { $ref: '#/components/schemas/TimeOrNull' }
              additionalProperties: false
            ProductChange:
              type: object
              required: [from, to]
              properties:
                from: { type: string }
                to: { type: string }
              additionalProperties: false
            FactName:
              type: string
              enum:
                - renewed
                - autoRenewDisabled
                - autoRenewEnabled
                - productChangeScheduled
                - productChangeCancelled
                - upgraded
                - downgraded
                - crossgraded
                - offerRedeemed
                - priceIncreasePending
                - priceIncreaseAccepted
                - refunded
                - refundDeclined
                - refundReversed
                - consumptionRequested
                - extended
                - accountLinked
                - accountUnlinked
                - noted
                - granted
                - grantWithdrawn
        """#
}
