extension OpenAPIDocument {
    static let healthPaths = #"""
          /healthz:
            get:
              operationId: isAlive
              tags: [operation]
              summary: Whether the process answers.
              security: []
              responses:
                '200':
                  description: It does.
                  headers:
                    Cache-Control: { $ref: '#/components/headers/NoStore' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Health' }
          /readyz:
            get:
              operationId: isReady
              tags: [operation]
              summary: Whether events can be accepted now.
              description: That answers are behind the log is no reason to say no.
              security: []
              responses:
                '200':
                  description: They can.
                  headers:
                    Cache-Control: { $ref: '#/components/headers/NoStore' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Health' }
                '503':
                  description: They cannot, and why.
                  headers:
                    Cache-Control: { $ref: '#/components/headers/NoStore' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Health' }
          /metrics:
            get:
              operationId: getMetrics
              tags: [operation]
              summary: Counters, gauges and histograms as Prometheus text.
              responses:
                '200':
                  description: The metrics.
                  headers:
                    Cache-Control: { $ref: '#/components/headers/NoStore' }
                  content:
                    text/plain:
                      schema: { type: string }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '503': { $ref: '#/components/responses/Unavailable' }
          /openapi.yaml:
            get:
              operationId: getDocument
              tags: [operation]
              summary: This document.
              security: []
              responses:
                '200':
                  description: OpenAPI 3.1, YAML.
                  headers:
                    Cache-Control: { $ref: '#/components/headers/DocumentCacheControl' }
                  content:
                    application/yaml:
                      schema: { type: string }
        """#
}
