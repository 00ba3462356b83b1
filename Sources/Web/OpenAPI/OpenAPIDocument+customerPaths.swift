internal import AppStore
internal import Ledger

extension OpenAPIDocument {
    static let customerPaths = #"""
          /v1/customers/{id}/entitlements:
            get:
              operationId: getEntitlements
              tags: [customers]
              summary: What a customer has, and because of which events.
              description: A customer never seen is new, and no error.
              parameters:
                - $ref: '#/components/parameters/CustomerId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: Every entitlement the customer has or had.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Entitlements' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidQuestion' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/customers/{id}/timeline:
            get:
              operationId: getCustomerTimeline
              tags: [customers]
              summary: All chains of a customer, merged, and what was decided about them.
              description: A customer never seen is new, and no error.
              parameters:
                - $ref: '#/components/parameters/CustomerId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/TimelineAfter'
                - $ref: '#/components/parameters/Limit'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: A page of what happened up to that moment.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/CustomerTimeline' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidList' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/customers/{id}/subscriptions:
            get:
              operationId: getCustomerSubscriptions
              tags: [customers]
              summary: The chains a customer holds.
              description: A customer never seen is new, and no error.
              parameters:
                - $ref: '#/components/parameters/CustomerId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/ListAfter'
                - $ref: '#/components/parameters/Limit'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: A page of chains.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/CustomerSubscriptions' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidList' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
        """#
}
