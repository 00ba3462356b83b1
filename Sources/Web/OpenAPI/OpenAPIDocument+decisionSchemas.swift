internal import Ledger
internal import Service

extension OpenAPIDocument {
    static let decisionSchemas = #"""
            CustomerTimeline:
              type: object
              allOf:
                - $ref: '#/components/schemas/Stamp'
              required: [customer, chains, entries, next]
              properties:
                customer: { type: string }
                chains:
                  description: |
                    Chains held by then: those of the page's entries, on the first page also those
                    without any.
                  type: array
                  items: { $ref: '#/components/schemas/Subscription' }
                entries:
                  description: Of the time in which the customer held the chain.
                  type: array
                  maxItems: 1000
                  items: { $ref: '#/components/schemas/CustomerEntry' }
                next:
                  description: What to give as `after` for the next page; null at the end.
                  type: [string, 'null']
              unevaluatedProperties: false
            CustomerEntry:
              description: An entry and its chain; without chain, a decision about the customer.
              type: object
              allOf:
                - $ref: '#/components/schemas/EntryMembers'
              required: [bundleId, originalTransactionId]
              properties:
                bundleId: { type: [string, 'null'] }
                originalTransactionId: { type: [string, 'null'] }
              unevaluatedProperties: false
            CustomerSubscriptions:
              type: object
              allOf:
                - $ref: '#/components/schemas/Stamp'
              required: [customer, subscriptions, next]
              properties:
                customer: { type: string }
                subscriptions:
                  type: array
                  maxItems: 1000
                  items: { $ref: '#/components/schemas/Subscription' }
                next:
                  description: What to give as `after` for the next page; null at the end.
                  type: [string, 'null']
              unevaluatedProperties: false
            DecisionAnswer:
              description: |
                What was decided, and what the customer has by it, as of its own moment and position:
                the same bytes for the same request under the same key, whenever it comes again.
              type: object
              allOf:
                - $ref: '#/components/schemas/EntitlementMembers'
              required: [decision]
              properties:
                decision: { $ref: '#/components/schemas/Decision' }
              unevaluatedProperties: false
            NoteAnswer:
              description: |
                What was noted, and the chain, as of the note's own moment and position: the same bytes
                for the same request under the same key.
              type: object
              required: [decision, subscription]
              properties:
                decision: { $ref: '#/components/schemas/Decision' }
                subscription:
                  description: Null for a chain without any state.
                  anyOf:
                    - { $ref: '#/components/schemas/Subscription' }
                    - { type: 'null' }
              additionalProperties: false
            Decision:
              type: object
              required: [command, id, position, receivedAt, actor, reason, customer]
              properties:
                command: { type: string, enum: [link, unlink, grant, ungrant, note] }
                id: { description: The Idempotency-Key or one made up., type: string }
                position: { $ref: '#/components/schemas/Position' }
                receivedAt: { $ref: '#/components/schemas/Time' }
                actor: { description: As they call themselves., type: string }
                tokenName:
                  description: |
                    The token's that sent it first; absent where none was asked for.
                  type: string
                reason: { type: string }
                customer:
                  description: Null for a note about a subscription.
                  type: [string, 'null']
                bundleId: { description: Of a chain., type: string }
                originalTransactionId: { description: Of a chain., type: string }
                grantId: { description: Of a grant and of its withdrawal., type: string }
                entitlement: { description: Of a grant., type: string }
                until:
                  description: Of a grant.
                  $ref: '#/components/schemas/Time'
              additionalProperties: false
            UploadAnswer:
              type: object
              allOf:
                - $ref: '#/components/schemas/Stamp'
                - $ref: '#/components/schemas/EntitlementLists'
              required: [environment, result, eventPosition, claim, subscription, customer, standing]
              properties:
                environment:
                  description: Of the transaction, and of the ledger that answers.
                  $ref: '#/components/schemas/EnvironmentWord'
                result: { type: string, enum: [appended, duplicate, conflict] }
                eventPosition:
                  description: Where the transaction stands in the log.
                  $ref: '#/components/schemas/Position'
                claim:
                  description: What came of `customer`; null when nobody was named.
                  enum: [held, moved, added, refused, null]
                subscription:
                  description: The chain with this event; null for what belongs to none.
                  anyOf:
                    - { $ref: '#/components/schemas/Subscription' }
                    - { type: 'null' }
                customer:
                  description: The one named, else the appAccountToken's; null without either.
                  type: [string, 'null']
                standing:
                  description: Null without customer.
                  anyOf:
                    - { $ref: '#/components/schemas/Standing' }
                    - { type: 'null' }
              unevaluatedProperties: false
            ReceiptBody:
              type: object
              required: [receipt]
              properties:
                receipt:
                  description: The app receipt, in base64.
                  type: string
                  minLength: 1
                customer:
                  description: Whom the purchases belong to.
                  anyOf:
                    - { $ref: '#/components/schemas/CustomerName' }
                    - { type: 'null' }
              examples:
                - { receipt: MIIUVQYJKoZIhvcNAQcCoIIURjCCFEICAQExCzAJBg, customer: user-42 }
            ReceiptAnswer:
              type: object
              allOf:
                - $ref: '#/components/schemas/Stamp'
                - $ref: '#/components/schemas/EntitlementLists'
              required:
                - environment
                - result
                - eventPosition
                - asked
                - claims
                - subscriptions
                - withoutState
                - chainsOmitted
                - customer
                - standing
              properties:
                environment:
                  description: Of the receipt, and of the ledger that answers.
                  $ref: '#/components/schemas/EnvironmentWord'
                result: { type: string, enum: [appended, duplicate, conflict] }
                eventPosition:
                  description: Where the receipt stands in the log.
                  $ref: '#/components/schemas/Position'
                asked:
                  description: What Apple was asked about it; null where the app has no key.
                  anyOf:
                    - { $ref: '#/components/schemas/ReceiptAsked' }
                    - { type: 'null' }
                claims:
                  description: What came of `customer`, for each chain; empty when nobody was named.
                  type: array
                  items: { $ref: '#/components/schemas/ReceiptClaim' }
                subscriptions:
                  description: Every chain the receipt names that has a state, at most 100.
                  type: array
                  items: { $ref: '#/components/schemas/Subscription' }
                withoutState:
                  description: Chains of which nobody says what was bought, and what to do.
                  type: array
                  items:
                    type: object
                    required: [originalTransactionId, message]
                    properties:
                      originalTransactionId: { type: string }
                      message: { description: For people; its wording may change., type: string }
                    additionalProperties: false
                chainsOmitted:
                  description: Chains beyond the 100 bought last; they are in the log, not here.
                  type: integer
                customer:
                  description: The one named, else the appAccountToken's; null without either.
                  type: [string, 'null']
                standing:
                  description: Null without customer.
                  anyOf:
                    - { $ref: '#/components/schemas/Standing' }
                    - { type: 'null' }
              unevaluatedProperties: false
            ReceiptAsked:
              type: object
              required: [chains, requests, appended, failure]
              properties:
                chains: { description: Asked about., type: integer, minimum: 0, maximum: 20 }
                requests: { description: Apple's answers., type: integer, minimum: 0 }
                appended: { description: Events they brought., type: integer, minimum: 0 }
                failure:
                  description: The code of why asking ended early; the receipt counts all the same.
                  type: [string, 'null']
              additionalProperties: false
            ReceiptClaim:
              type: object
              required: [originalTransactionId, claim]
              properties:
                originalTransactionId: { type: string }
                claim:
                  description: unasked, when Apple has not told yet whom the chain's token names.
                  type: string
                  enum: [held, moved, added, refused, unasked]
              additionalProperties: false
        """#
}
