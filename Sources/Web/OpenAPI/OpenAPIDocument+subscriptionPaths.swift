internal import AppStore

extension OpenAPIDocument {
    static let subscriptionPaths = #"""
          /v1/subscriptions/{id}:
            get:
              operationId: getSubscription
              tags: [subscriptions]
              summary: One chain's state, at any time, as it was known at any time.
              parameters:
                - $ref: '#/components/parameters/SubscriptionId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: The chain at that moment.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Subscription' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidQuestion' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchSubscription' }
                '409': { $ref: '#/components/responses/AmbiguousId' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/subscriptions/{id}/timeline:
            get:
              operationId: getTimeline
              tags: [subscriptions]
              summary: Every transition and fact of one chain, each with the event that proves it.
              description: |
                Nothing later than `at` is listed. By pages: an interval stands on the page with the
                entries of the time it begins at.
              parameters:
                - $ref: '#/components/parameters/SubscriptionId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/TimelineAfter'
                - $ref: '#/components/parameters/EntriesLimit'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: A page of the life of the chain up to that moment.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Timeline' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidList' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchSubscription' }
                '409': { $ref: '#/components/responses/AmbiguousId' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/subscriptions/{id}/events:
            get:
              operationId: getSubscriptionEvents
              tags: [subscriptions]
              summary: The raw evidence of one chain, by position.
              description: |
                `next` is what to give as `after` for the next page, and null at the end. A page of
                large evidence may be shorter than `limit`.
              parameters:
                - $ref: '#/components/parameters/SubscriptionId'
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/At'
                - $ref: '#/components/parameters/KnownAt'
                - $ref: '#/components/parameters/KnownPosition'
                - $ref: '#/components/parameters/MinPosition'
                - $ref: '#/components/parameters/After'
                - $ref: '#/components/parameters/Limit'
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: A page of events with their evidence.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/SubscriptionEvents' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidQuestion' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/NoSuchSubscription' }
                '409': { $ref: '#/components/responses/AmbiguousId' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
        """#
}
