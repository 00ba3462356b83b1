internal import Ledger
internal import LedgerStore
internal import Service

extension OpenAPIDocument {
    static let customerSchemas = #"""
            CustomerName:
              description: 1 to 256 bytes; a UUID is read in lower case.
              type: string
              minLength: 1
              maxLength: 256
              pattern: '^(?=.*\S)[^\u0000-\u001F\u007F-\u009F]+$'
              examples: [f3a86f0d-52be-4c53-8f0e-7d9b1c44d033, user-42]
            OrderWord:
              description: UTF-8 without control characters, and not only of spaces; bytes count.
              type: string
              minLength: 1
              pattern: '^(?=.*\S)[^\u0000-\u001F\u007F-\u009F]+$'
            CustomersBody:
              type: object
              required: [customers]
              properties:
                customers:
                  description: The same one twice is answered twice.
                  type: array
                  maxItems: 1000
                  items: { $ref: '#/components/schemas/CustomerName' }
              examples:
                - customers: [user-42, user-43]
            GrantBody:
              type: object
              required: [entitlement, until]
              properties:
                entitlement:
                  description: 1 to 200 bytes.
                  $ref: '#/components/schemas/OrderWord'
                  maxLength: 200
                until:
                  description: When it ends; in the future.
                  $ref: '#/components/schemas/StatedTime'
              examples:
                - { entitlement: pro, until: '2027-01-31T00:00:00.000Z' }
            Standing:
              description: Never had one, has one, had one.
              type: string
              enum: [new, active, inactive]
            EntitlementLists:
              type: object
              required: [entitlements, products, groups]
              properties:
                entitlements:
                  description: Those held and those once held, by name.
                  type: array
                  items: { $ref: '#/components/schemas/Verdict' }
                products:
                  type: array
                  items: { $ref: '#/components/schemas/ProductStanding' }
                groups:
                  type: array
                  items: { $ref: '#/components/schemas/GroupStanding' }
            Verdict:
              type: object
              required:
                - entitlement
                - active
                - basis
                - state
                - productId
                - since
                - until
                - originalTransactionId
                - trust
                - evidence
              properties:
                entitlement: { type: string }
                active: { type: boolean }
                basis:
                  description: What gives access; null when nothing does.
                  enum: [period, grace, leeway, owned, grant, null]
                state:
                  description: Of the chain cited; null for a grant.
                  anyOf:
                    - { $ref: '#/components/schemas/State' }
                    - { type: 'null' }
                productId: { type: [string, 'null'] }
                since:
                  description: Of that state, of the leeway or of the grant.
                  $ref: '#/components/schemas/Time'
                until: { $ref: '#/components/schemas/TimeOrNull' }
                originalTransactionId:
                  description: The chain cited; null for a grant.
                  type: [string, 'null']
                trust: { $ref: '#/components/schemas/Trust' }
                evidence: { $ref: '#/components/schemas/Evidence' }
              additionalProperties: false
            ProductStanding:
              type: object
              required: [productId, standing]
              properties:
                productId: { type: string }
                standing: { $ref: '#/components/schemas/Standing' }
              additionalProperties: false
            GroupStanding:
              type: object
              required: [group, standing]
              properties:
                group:
                  description: The catalogue's name, else Apple's identifier.
                  type: string
                standing: { $ref: '#/components/schemas/Standing' }
              additionalProperties: false
            EntitlementMembers:
              type: object
              allOf:
                - $ref: '#/components/schemas/Stamp'
                - $ref: '#/components/schemas/EntitlementLists'
              required: [customer, standing]
              properties:
                customer: { type: string }
                standing: { $ref: '#/components/schemas/Standing' }
            Entitlements:
              type: object
              allOf:
                - $ref: '#/components/schemas/EntitlementMembers'
              unevaluatedProperties: false
              examples:
                - customer: user-42
                  at: '2026-03-20T09:46:40.000Z'
                  knownAt: null
                  position: 13
                  completeFrom: null
                  completeThrough: null
                  reducerVersion: 1
                  catalogueHash: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                  standing: active
                  entitlements:
                    - entitlement: pro
                      active: true
                      basis: period
                      state: renewing
                      productId: com.example.pro.monthly
                      since: '2026-03-11T12:00:00.000Z'
                      until: '2026-04-10T12:00:00.000Z'
                      originalTransactionId: '500000000000001'
                      trust: signed
                      evidence: [12, 13]
                  products:
                    - { productId: com.example.pro.monthly, standing: active }
                  groups:
                    - { group: pro, standing: active }
            EntitlementsOfMany:
              type: object
              required: [customers]
              properties:
                customers:
                  type: array
                  maxItems: 1000
                  items: { $ref: '#/components/schemas/Entitlements' }
              additionalProperties: false
        """#
}
