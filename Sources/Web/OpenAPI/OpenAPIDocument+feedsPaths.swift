internal import AppStore
internal import Ledger

extension OpenAPIDocument {
    static let feedPaths = #"""
          /v1/events:
            get:
              operationId: getEvents
              tags: [feeds]
              summary: The log by position; a consumer that follows `next` sees every event once.
              description: |
                Positions are contiguous from 1, in commit order. `next` is what to give as `after`
                next time, whether or not there is anything yet; `position` is the end of the log.
                With `bundleId` the events of other apps are left out, and `next` passes them. A
                page of large evidence may be shorter than `limit`.
              parameters:
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - $ref: '#/components/parameters/After'
                - $ref: '#/components/parameters/Limit'
                - name: evidence
                  in: query
                  description: Whether each event comes with `signedPayload`.
                  schema: { type: boolean, default: false }
                - $ref: '#/components/parameters/IfNoneMatch'
              responses:
                '200':
                  description: A page of events.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Events' }
                '304': { $ref: '#/components/responses/NotModified' }
                '400': { $ref: '#/components/responses/InvalidCursor' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /v1/changes:
            get:
              operationId: followChanges
              tags: [feeds]
              summary: What changed, as server-sent events, until the reader leaves.
              description: |
                Every transition and fact, in one order that never changes. `id` is the cursor,
                `event` the name of the change, `data` one JSON object (the schema `Change`). The
                stream begins behind `Last-Event-ID` or `after`, without either at the end, whose id
                comes first. Behind a bare position comes whatever the clock tells there. A line `id:` without data moves the cursor past what was not asked
                for; comments keep the connection. At most 100 streams at once; a reader that takes nothing for 30 s is
                dropped and comes back with its last id.
              parameters:
                - $ref: '#/components/parameters/Environment'
                - $ref: '#/components/parameters/BundleId'
                - name: after
                  in: query
                  description: As Last-Event-ID, which wins.
                  schema: { $ref: '#/components/schemas/ChangeCursor' }
                - name: Last-Event-ID
                  in: header
                  description: The id of the last change that was taken.
                  schema: { $ref: '#/components/schemas/ChangeCursor' }
                - name: types
                  in: query
                  description: Only changes of these names.
                  style: form
                  explode: false
                  schema:
                    type: array
                    minItems: 1
                    items: { $ref: '#/components/schemas/ChangeName' }
              responses:
                '200':
                  description: The stream.
                  headers:
                    Cache-Control: { $ref: '#/components/headers/NoStore' }
                    X-Accel-Buffering:
                      required: true
                      description: Proxies are not to collect it.
                      schema: { const: 'no' }
                  content:
                    text/event-stream:
                      schema: { type: string }
                      example: |
                        retry: 3000

                        id: 1-0
                        event: started
                        data: {"type":"started","timestamp":"2026-01-10T12:00:03.000Z","data":{}}
                '400': { $ref: '#/components/responses/InvalidCursor' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '404': { $ref: '#/components/responses/EnvironmentNotServed' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/TooManyStreams' }
        """#
}
