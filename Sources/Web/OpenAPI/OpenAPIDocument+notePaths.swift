internal import AppStore
internal import Service

extension OpenAPIDocument {
    static let notePaths = #"""
          /v1/customers/{id}/notes:
            post:
              operationId: noteAboutCustomer
              tags: [customers]
              summary: Words about a customer.
              description: |
                `X-Reason` is what is noted. It stands in the customer's timeline for ever, and changes
                nothing of what they have. Without a key every request is another note.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/NewCustomerId'
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
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '422': { $ref: '#/components/responses/IdempotencyKeyReused' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/subscriptions/{id}/notes:
            post:
              operationId: noteAboutSubscription
              tags: [subscriptions]
              summary: Words about a chain.
              description: |
                `X-Reason` is what is noted. It stands in the chain's timeline for ever, and changes
                nothing of its state. Without a key every request is another note.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/SubscriptionId'
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
                      schema: { $ref: '#/components/schemas/NoteAnswer' }
                '400': { $ref: '#/components/responses/InvalidDecision' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchSubscription' }
                '409': { $ref: '#/components/responses/AmbiguousId' }
                '422': { $ref: '#/components/responses/IdempotencyKeyReused' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
        """#
}
