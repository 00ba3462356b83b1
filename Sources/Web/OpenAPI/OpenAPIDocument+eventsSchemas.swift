internal import AppStore
internal import Ledger

extension OpenAPIDocument {
    static let eventSchemas = #"""
            Cause:
              description: The event that proves an entry.
              type: object
              required:
                - position
                - kind
                - trust
                - notificationType
                - subtype
                - notificationUUID
                - signedDate
                - receivedAt
                - lateness
                - events
              properties:
                position: { $ref: '#/components/schemas/Position' }
                kind: { $ref: '#/components/schemas/EventKind' }
                trust: { $ref: '#/components/schemas/Trust' }
                notificationType: { description: Apple's word., type: [string, 'null'] }
                subtype: { description: Apple's word., type: [string, 'null'] }
                notificationUUID: { type: [string, 'null'] }
                signedDate: { $ref: '#/components/schemas/TimeOrNull' }
                receivedAt: { $ref: '#/components/schemas/Time' }
                lateness:
                  description: Milliseconds from signing to arrival.
                  type: [integer, 'null']
                  format: int64
                events:
                  description: >
                    Positions of all events that prove the entry, ascending: what states the date and
                    what gives the reason may be others.
                  type: array
                  items: { $ref: '#/components/schemas/Position' }
                  minItems: 1
                command:
                  description: What an operator or a back end decided; only there when one did.
                  $ref: '#/components/schemas/Command'
              additionalProperties: false
            Command:
              type: object
              required: [name, id, actor, reason, customer]
              properties:
                name: { type: string, enum: [link, unlink, claim, grant, ungrant, note] }
                id: { type: string }
                actor: { description: As they call themselves., type: string }
                tokenName:
                  description: The token's that sent it; absent where none was asked for.
                  type: string
                reason: { type: string }
                customer: { type: [string, 'null'] }
                entitlement: { description: Of a grant., type: string }
                until:
                  description: Of a grant.
                  $ref: '#/components/schemas/Time'
                grantId: { description: Of a withdrawal., type: string }
              additionalProperties: false
            Trust:
              description: |
                What vouches for it: Apple's signature, Apple's answer over TLS, the app's shared
                secret, an operator, or a certificate of Xcode's own, which proves nothing.
              type: string
              enum: [signed, transport, secret, operator, xcode]
            EventKind:
              type: string
              enum:
                - notification
                - transaction
                - renewalPair
                - appTransaction
                - receipt
                - verifyReceipt
                - notificationV1
                - command
                - sweep
            EventMembers:
              type: object
              required:
                - position
                - key
                - kind
                - source
                - trust
                - conflict
                - receivedAtClaimed
                - rootFingerprint
                - environment
                - bundleId
                - originalTransactionId
                - notificationType
                - subtype
                - notificationUUID
                - signedDate
                - receivedAt
                - leafHash
              properties:
                position: { $ref: '#/components/schemas/Position' }
                key:
                  description: What makes it this event and no other.
                  $ref: '#/components/schemas/Digest'
                kind: { $ref: '#/components/schemas/EventKind' }
                source: { type: string, enum: [webhook, history, client, import, operator] }
                trust: { $ref: '#/components/schemas/Trust' }
                conflict:
                  description: Another event has the same identity and other claims.
                  type: boolean
                receivedAtClaimed: { description: An import stated it., type: boolean }
                rootFingerprint: { $ref: '#/components/schemas/DigestOrNull' }
                environment: { $ref: '#/components/schemas/EnvironmentWord' }
                bundleId: { type: string }
                originalTransactionId: { type: [string, 'null'] }
                notificationType: { description: Apple's word., type: [string, 'null'] }
                subtype: { description: Apple's word., type: [string, 'null'] }
                notificationUUID: { type: [string, 'null'] }
                signedDate: { $ref: '#/components/schemas/TimeOrNull' }
                receivedAt: { $ref: '#/components/schemas/Time' }
                leafHash:
                  description: Of the log's Merkle tree (RFC 6962).
                  $ref: '#/components/schemas/Digest'
                signedPayload:
                  description: The evidence as it came; empty when it was erased.
                  type: string
            Event:
              type: object
              allOf:
                - $ref: '#/components/schemas/EventMembers'
              unevaluatedProperties: false
            EventWithEvidence:
              type: object
              allOf:
                - $ref: '#/components/schemas/EventMembers'
              required: [signedPayload]
              unevaluatedProperties: false
            Events:
              type: object
              required: [events, next, position]
              properties:
                events:
                  type: array
                  maxItems: 1000
                  items: { $ref: '#/components/schemas/Event' }
                next:
                  description: What to give as `after` next time.
                  $ref: '#/components/schemas/Position'
                position:
                  description: The end of the log.
                  $ref: '#/components/schemas/Position'
              additionalProperties: false
              examples:
                - { events: [], next: 5, position: 5 }
            SubscriptionEvents:
              type: object
              required: [events, next, position]
              properties:
                events:
                  type: array
                  maxItems: 1000
                  items: { $ref: '#/components/schemas/EventWithEvidence' }
                next:
                  description: What to give as `after` for the next page; null at the end.
                  anyOf:
                    - { $ref: '#/components/schemas/Position' }
                    - { type: 'null' }
                position:
                  description: The position the answer was computed at.
                  $ref: '#/components/schemas/Position'
              additionalProperties: false
              examples:
                - { events: [], next: null, position: 5 }
        """#
}
