internal import AppStore
internal import Ledger
internal import Service

extension OpenAPIDocument {
    static let changeSchemas = #"""
            NotificationBody:
              description: Apple's responseBodyV2 or responseBodyV1; other members are passed over.
              type: object
              anyOf:
                - required: [signedPayload]
                - required: [notification_type, password]
                - required: [unified_receipt, password]
              properties:
                signedPayload:
                  description: A compact JWS.
                  type: string
                  minLength: 1
                notification_type:
                  description: Of version 1.
                  type: string
                password:
                  description: The app's shared secret, of version 1.
                  type: string
                unified_receipt:
                  description: Of version 1.
                  type: object
              examples:
                - { signedPayload: eyJhbGciOiJFUzI1NiIsIng1YyI6WyLigKYiXX0.e30.AA }
            UploadBody:
              type: object
              required: [signedTransactionInfo]
              properties:
                signedTransactionInfo:
                  description: A compact JWS.
                  type: string
                  minLength: 1
                signedRenewalInfo:
                  description: A compact JWS of the same chain.
                  type: [string, 'null']
                customer:
                  description: Whom the purchase belongs to.
                  anyOf:
                    - { $ref: '#/components/schemas/CustomerName' }
                    - { type: 'null' }
              examples:
                - signedTransactionInfo: eyJhbGciOiJFUzI1NiIsIng1YyI6WyLigKYiXX0.e30.AA
                  customer: user-42
            ChangeCursor:
              description: |
                The id of a change, or a position, which stands behind the event there: what the clock
                tells at it, before the next event, is told, also what it told already.
              type: string
              maxLength: 100
              pattern: '^(0|[1-9][0-9]*)(-(0|[1-9][0-9]*)|-[1-9][0-9]*(-(0|[1-9][0-9]*)){2})?$'
              examples: ['1234', 1234-0, 1234-1767225600000-0-0]
            ChangeName:
              description: A transition, a fact, or a word about what was told before.
              type: string
              enum:
                - started
                - adopted
                - continued
                - resubscribed
                - recovered
                - reinstated
                - graceStarted
                - billingRetryStarted
                - expired
                - revoked
                - purchased
                - lapsed
                - consumed
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
                - corrected
                - updated
            Change:
              description: What `data` of a server-sent event holds, and what webhooks are told.
              type: object
              required: [type, timestamp, data]
              properties:
                type: { $ref: '#/components/schemas/ChangeName' }
                timestamp: { $ref: '#/components/schemas/Time' }
                data: { $ref: '#/components/schemas/ChangeData' }
              additionalProperties: false
            ChangeData:
              type: object
              allOf:
                - $ref: '#/components/schemas/ChainName'
              required:
                - sequence
                - stateHash
                - previous
                - position
                - byClock
                - reducerVersion
                - catalogueHash
                - entry
                - withdrawn
                - subscription
              properties:
                sequence: { description: Of the chain from 1., type: integer, minimum: 1 }
                stateHash: { $ref: '#/components/schemas/Digest' }
                previous:
                  description: The change of this chain that was told before; null for the first.
                  anyOf:
                    - { $ref: '#/components/schemas/ChangeMark' }
                    - { type: 'null' }
                position: { $ref: '#/components/schemas/Position' }
                byClock: { description: No event made it; time did., type: boolean }
                reducerVersion: { type: integer, minimum: 1 }
                catalogueHash: { $ref: '#/components/schemas/Digest' }
                entry:
                  anyOf:
                    - { $ref: '#/components/schemas/TimelineEntry' }
                    - { type: 'null' }
                withdrawn:
                  description: What was told before and is not so.
                  type: array
                  items: { $ref: '#/components/schemas/TimelineEntry' }
                subscription:
                  description: The chain right after the change.
                  anyOf:
                    - { $ref: '#/components/schemas/ChangedSubscription' }
                    - { type: 'null' }
              unevaluatedProperties: false
            ChangedSubscription:
              type: object
              allOf:
                - $ref: '#/components/schemas/SubscriptionTerms'
              unevaluatedProperties: false
            ChangeMark:
              type: object
              required: [sequence, stateHash]
              properties:
                sequence: { type: integer, minimum: 1 }
                stateHash: { $ref: '#/components/schemas/Digest' }
              additionalProperties: false
        """#
}
