extension OpenAPIDocument {
    static let decisionResponses = #"""
            InvalidList:
              description: The question makes no sense, or `after` is no `next` of such a list.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidList' }
            InvalidBatch:
              description: The question or its body makes no sense; `detail` says what it takes.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidBatch' }
            InvalidDecision:
              description: The request makes no sense; nothing was written.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidDecision' }
            InvalidGrant:
              description: The request or its body makes no sense; nothing was written.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidGrant' }
            RefusedUpload:
              description: It is no such body, or it is not believed. Sending it again is no use.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/RefusedUpload' }
            NotLinked:
              description: The chain is not known, or not linked to this customer.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                Subledger-Position: { $ref: '#/components/headers/FoundPosition' }
                Subledger-Lag: { $ref: '#/components/headers/FoundLag' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/NotLinked' }
            NoSuchGrant:
              description: The customer has no such grant, or not any more.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/NoSuchGrant' }
            IdempotencyKeyReused:
              description: Another request was sent under this key before.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/IdempotencyKeyReused' }
        """#
}
