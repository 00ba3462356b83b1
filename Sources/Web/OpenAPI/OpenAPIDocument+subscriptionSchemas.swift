internal import AppStore
internal import Ledger
internal import LedgerStore

extension OpenAPIDocument {
    static let subscriptionSchemas = #"""
            ChainName:
              type: object
              required: [environment, bundleId, originalTransactionId]
              properties:
                environment: { $ref: '#/components/schemas/EnvironmentWord' }
                bundleId: { type: string }
                originalTransactionId: { type: string }
            Subscription:
              description: One chain at one moment, and the events that decide it.
              type: object
              allOf:
                - $ref: '#/components/schemas/ChainName'
                - $ref: '#/components/schemas/Stamp'
                - $ref: '#/components/schemas/SubscriptionTerms'
              required: [notices, trust, evidence]
              properties:
                transaction:
                  description: >
                    What became of the transaction whose id was asked about; absent where the chain's
                    own id was, unless that transaction was refunded or revoked.
                  $ref: '#/components/schemas/TransactionStanding'
                notices:
                  type: array
                  items: { $ref: '#/components/schemas/Notice' }
                trust: { $ref: '#/components/schemas/Trust' }
                evidence: { $ref: '#/components/schemas/Evidence' }
              unevaluatedProperties: false
              examples:
                - environment: Production
                  bundleId: com.example.app
                  originalTransactionId: '500000000000001'
                  at: '2026-03-20T09:46:40.000Z'
                  knownAt: null
                  position: 2
                  completeFrom: null
                  completeThrough: null
                  reducerVersion: 2
                  catalogueHash: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                  state: renewing
                  entitled: true
                  appleStatus: 1
                  since: '2026-02-09T12:00:00.000Z'
                  until: '2026-03-11T12:00:00.000Z'
                  accessUntil: '2026-03-11T12:00:00.000Z'
                  willRenew: true
                  productId: com.example.pro.monthly
                  nextProductId: null
                  phase: standard
                  ownership: purchased
                  appAccountToken: f3a86f0d-52be-4c53-8f0e-7d9b1c44d033
                  appAccountTokenTrust: signed
                  price: { milliunits: 9990, currency: USD }
                  storefront: USA
                  transactionId: '5000000000000011'
                  offer: null
                  commitment: null
                  priceIncrease: null
                  cancellation: null
                  revocation: null
                  endReason: null
                  notices:
                    - code: contradiction
                      message: Two sources state different values for one transaction.
                      evidence: [2]
                      since: '2026-02-09T12:00:00.000Z'
                      period:
                        transactionId: '5000000000000011'
                        productId: com.example.pro.monthly
                        from: '2026-02-09T12:00:00.000Z'
                        to: '2026-03-11T12:00:00.000Z'
                  trust: signed
                  evidence: [1, 2]
            SubscriptionTerms:
              type: object
              required:
                - state
                - entitled
                - appleStatus
                - since
                - until
                - accessUntil
                - willRenew
                - productId
                - nextProductId
                - phase
                - ownership
                - appAccountToken
                - appAccountTokenTrust
                - price
                - storefront
                - transactionId
                - offer
                - commitment
                - priceIncrease
                - cancellation
                - revocation
                - endReason
              properties:
                state: { $ref: '#/components/schemas/State' }
                entitled:
                  description: |
                    Whether the state gives access, and the chain is vouched for as
                    entitlement.minimumTrust asks.
                  type: boolean
                appleStatus:
                  description: Apple's number of the state; null where Apple has none.
                  enum: [1, 2, 3, 4, 5, null]
                since:
                  description: The unbroken time in this state.
                  $ref: '#/components/schemas/Time'
                until: { $ref: '#/components/schemas/TimeOrNull' }
                accessUntil:
                  description: End of the unbroken access; null without access or end.
                  $ref: '#/components/schemas/TimeOrNull'
                willRenew:
                  description: Null when no renewal info says.
                  type: [boolean, 'null']
                productId: { type: [string, 'null'] }
                nextProductId:
                  description: The next renewal's, when it differs.
                  type: [string, 'null']
                phase: { type: string, enum: [trial, intro, offer, standard] }
                ownership:
                  description: purchased, familyShared, assigned, or a later word of Apple's.
                  type: string
                appAccountToken: { type: [string, 'null'] }
                appAccountTokenTrust:
                  description: How far who states the token is believed; null without one.
                  enum: [signed, transport, secret, operator, null]
                price:
                  anyOf:
                    - { $ref: '#/components/schemas/Money' }
                    - { type: 'null' }
                storefront: { description: ISO 3166-1 alpha-3., type: [string, 'null'] }
                transactionId: { type: string }
                offer:
                  anyOf:
                    - { $ref: '#/components/schemas/Offer' }
                    - { type: 'null' }
                commitment:
                  anyOf:
                    - { $ref: '#/components/schemas/Commitment' }
                    - { type: 'null' }
                priceIncrease: { enum: [pending, accepted, null] }
                cancellation:
                  anyOf:
                    - { $ref: '#/components/schemas/Cancellation' }
                    - { type: 'null' }
                revocation:
                  anyOf:
                    - { $ref: '#/components/schemas/Revocation' }
                    - { type: 'null' }
                endReason:
                  description: Why there is no access; null while there is.
                  anyOf:
                    - { $ref: '#/components/schemas/EndReason' }
                    - { type: 'null' }
            TransactionStanding:
              type: object
              required: [transactionId, productId, from, to, standing, since, amount]
              properties:
                transactionId: { type: string }
                productId: { type: [string, 'null'] }
                from: { $ref: '#/components/schemas/Time' }
                to:
                  description: The end of its period, or where the next one began before.
                  $ref: '#/components/schemas/TimeOrNull'
                standing:
                  type: string
                  enum: [upcoming, current, ended, refunded, familyRevoked]
                since:
                  description: When it ended, was refunded or revoked; else null.
                  $ref: '#/components/schemas/TimeOrNull'
                amount:
                  description: Of a refund, what was given back where a price is stated; else null.
                  anyOf:
                    - { $ref: '#/components/schemas/Money' }
                    - { type: 'null' }
              additionalProperties: false
        """#
}
