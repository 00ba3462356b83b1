internal import AppStore
internal import Ledger
internal import Service

extension OpenAPIDocument {
    static let decisionPaths = #"""
          /v1/customers/{id}/subscriptions/{originalTransactionId}:
            put:
              operationId: linkSubscription
              tags: [customers]
              summary: The chain is the customer's.
              description: |
                Until it is unlinked, whatever its appAccountToken says; whoever held it by a link
                holds it no longer. Durable before the answer, which shows what the customer has
                by it. The same request under the same key is the same answer and no second event.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/NewCustomerId'
                - $ref: '#/components/parameters/ChainId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/Actor'
                - $ref: '#/components/parameters/Reason'
                - $ref: '#/components/parameters/IdempotencyKey'
              responses:
                '200':
                  description: It is durable.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                    Idempotency-Replayed: { $ref: '#/components/headers/IdempotencyReplayed' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/DecisionAnswer' }
                '400': { $ref: '#/components/responses/InvalidDecision' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchSubscription' }
                '409': { $ref: '#/components/responses/AmbiguousId' }
                '422': { $ref: '#/components/responses/IdempotencyKeyReused' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
            delete:
              operationId: unlinkSubscription
              tags: [customers]
              summary: The chain is the customer's no longer.
              description: |
                Takes a link back; the appAccountToken speaks again. What a token says cannot be
                unlinked, only linked elsewhere.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/NewCustomerId'
                - $ref: '#/components/parameters/ChainId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/Actor'
                - $ref: '#/components/parameters/Reason'
                - $ref: '#/components/parameters/IdempotencyKey'
              responses:
                '200':
                  description: It is durable.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                    Idempotency-Replayed: { $ref: '#/components/headers/IdempotencyReplayed' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/DecisionAnswer' }
                '400': { $ref: '#/components/responses/InvalidDecision' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NotLinked' }
                '409': { $ref: '#/components/responses/AmbiguousId' }
                '422': { $ref: '#/components/responses/IdempotencyKeyReused' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/customers/{id}/grants:
            post:
              operationId: grant
              tags: [customers]
              summary: The customer has an entitlement until a date.
              description: |
                `decision.grantId` names it for its withdrawal.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/NewCustomerId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/Actor'
                - $ref: '#/components/parameters/Reason'
                - $ref: '#/components/parameters/IdempotencyKey'
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: '#/components/schemas/GrantBody' }
              responses:
                '200':
                  description: It is durable.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                    Idempotency-Replayed: { $ref: '#/components/headers/IdempotencyReplayed' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/DecisionAnswer' }
                '400': { $ref: '#/components/responses/InvalidGrant' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '408': { $ref: '#/components/responses/RequestTimeout' }
                '413': { $ref: '#/components/responses/PayloadTooLarge' }
                '415': { $ref: '#/components/responses/UnsupportedMediaType' }
                '422': { $ref: '#/components/responses/IdempotencyKeyReused' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/customers/{id}/grants/{grantId}:
            delete:
              operationId: withdrawGrant
              tags: [customers]
              summary: A grant is withdrawn.
              description: |
                From now on, not from its beginning.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/NewCustomerId'
                - $ref: '#/components/parameters/GrantId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/Actor'
                - $ref: '#/components/parameters/Reason'
                - $ref: '#/components/parameters/IdempotencyKey'
              responses:
                '200':
                  description: It is durable.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                    Idempotency-Replayed: { $ref: '#/components/headers/IdempotencyReplayed' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/DecisionAnswer' }
                '400': { $ref: '#/components/responses/InvalidDecision' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchGrant' }
                '422': { $ref: '#/components/responses/IdempotencyKeyReused' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/customers:entitlements:
            post:
              operationId: getEntitlementsOfMany
              tags: [customers]
              summary: What up to 1,000 customers have, all of one moment.
              parameters:
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: '#/components/schemas/CustomersBody' }
              responses:
                '200':
                  description: In the order asked.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/EntitlementsOfMany' }
                '400': { $ref: '#/components/responses/InvalidBatch' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '408': { $ref: '#/components/responses/RequestTimeout' }
                '413': { $ref: '#/components/responses/PayloadTooLarge' }
                '415': { $ref: '#/components/responses/UnsupportedMediaType' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
        """#
}
