internal import AppStore
internal import Ledger
internal import LedgerStore

extension OpenAPIDocument {
    static let valueSchemas = #"""
            Time:
              type: string
              format: date-time
              pattern: '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$'
              examples: ['2026-01-31T23:59:59.000Z']
            TimeOrNull:
              type: [string, 'null']
              format: date-time
              pattern: '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$'
            StatedTime:
              description: RFC 3339, a day (midnight UTC), or epoch milliseconds.
              anyOf:
                - { type: string, format: date-time }
                - { type: string, format: date }
                - type: integer
                  format: int64
                  minimum: -9223372036854775808
                  maximum: 9223372036854775807
              examples: ['2026-01-31T23:59:59.000Z', '2026-01-31', 1769903999000]
            Position:
              description: |
                Of the log, from 1; 0 is before the first. In a query digits only: no sign, no
                leading zero.
              type: integer
              format: int64
              minimum: 0
              maximum: 9223372036854775807
            EnvironmentName:
              description: xcode and localTesting are served only when the service was started so.
              type: string
              enum: [production, sandbox, xcode, localTesting]
            EnvironmentWord:
              description: Apple's word.
              type: string
              enum: [Sandbox, Production, Xcode, LocalTesting]
            PathText:
              type: string
              minLength: 1
              maxLength: 256
              pattern: '^[^\u0000-\u001F\u007F]+$'
            Digest:
              description: SHA-256, hexadecimal.
              type: string
              pattern: '^[0-9a-f]{64}$'
            DigestOrNull:
              type: [string, 'null']
              pattern: '^[0-9a-f]{64}$'
            Money:
              type: object
              required: [milliunits, currency]
              properties:
                milliunits: { type: integer, format: int64 }
                currency: { type: string, examples: [USD] }
              additionalProperties: false
              examples:
                - { milliunits: 9990, currency: USD }
            State:
              description: The first six of subscriptions, `revoked` and the rest of purchases.
              type: string
              enum:
                - subscribed
                - renewing
                - grace
                - billingRetry
                - expired
                - revoked
                - owned
                - lapsed
                - consumed
            EndReason:
              description: Why access ended, or will.
              type: string
              enum:
                - voluntary
                - billing
                - priceIncrease
                - productUnavailable
                - refund
                - familyRevoke
                - other
                - unconfirmed
            Evidence:
              description: Positions of the events that decide it, ascending.
              type: array
              items: { $ref: '#/components/schemas/Position' }
            CompleteFrom:
              description: >
                Since when completeThrough speaks: of what Apple signed before, nothing is claimed.
              $ref: '#/components/schemas/TimeOrNull'
            CompleteThrough:
              description: >
                Of what Apple signed from completeFrom until then nothing is missing; null until
                that is known.
              $ref: '#/components/schemas/TimeOrNull'
            Stamp:
              description: When, and on which knowledge, an answer was made.
              type: object
              required:
                [at, knownAt, position, completeFrom, completeThrough, reducerVersion, catalogueHash]
              properties:
                at: { $ref: '#/components/schemas/Time' }
                knownAt: { $ref: '#/components/schemas/TimeOrNull' }
                position: { $ref: '#/components/schemas/Position' }
                completeFrom: { $ref: '#/components/schemas/CompleteFrom' }
                completeThrough: { $ref: '#/components/schemas/CompleteThrough' }
                reducerVersion: { type: integer, minimum: 1 }
                catalogueHash: { $ref: '#/components/schemas/Digest' }
            Health:
              type: object
              required: [status, problems]
              properties:
                status: { type: string, enum: [ok, ready, notReady] }
                problems:
                  description: Empty unless notReady.
                  type: array
                  items:
                    type: object
                    required: [environment, code]
                    properties:
                      environment:
                        description: Null for the service as a whole.
                        anyOf:
                          - { $ref: '#/components/schemas/EnvironmentName' }
                          - { type: 'null' }
                      code:
                        anyOf:
                          - { const: stopping }
                          - { const: appendStalled }
                          - { const: clockJumped }
                          - { $ref: '#/components/schemas/StoreCode' }
                    additionalProperties: false
              additionalProperties: false
              examples:
                - { status: ready, problems: [] }
                - status: notReady
                  problems: [{ environment: production, code: diskFull }]
        """#
}
