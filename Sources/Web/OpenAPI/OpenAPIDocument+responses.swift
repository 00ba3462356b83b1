extension OpenAPIDocument {
    static let questionResponses = #"""
            NotModified:
              description: The answer that the asker holds still holds.
              headers:
                ETag: { $ref: '#/components/headers/ETag' }
                Subledger-Position: { $ref: '#/components/headers/Position' }
                Subledger-Lag: { $ref: '#/components/headers/Lag' }
                Cache-Control: { $ref: '#/components/headers/CacheControl' }
            InvalidQuestion:
              description: The question makes no sense; `detail` says what it takes.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidQuestion' }
            InvalidCursor:
              description: The question makes no sense, or its cursor is of another log.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidCursor' }
            InvalidReport:
              description: The report cannot be made as it was asked for; `detail` says what it takes.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InvalidReport' }
            NoSuchMetric:
              description: There is no metric of this name, or the environment is not served here.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/NoSuchMetric' }
            NoSuchSubscription:
              description: Nothing is known by this id, or not at that time; or not served here.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                Subledger-Position: { $ref: '#/components/headers/FoundPosition' }
                Subledger-Lag: { $ref: '#/components/headers/FoundLag' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/NoSuchSubscription' }
            EnvironmentNotServed:
              description: The environment is not served here.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/EnvironmentNotServed' }
            AmbiguousId:
              description: The id is known in several chains; name the app with bundleId.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/AmbiguousId' }
        """#

    static let bodyResponses = #"""
            RefusedEvidence:
              description: It is no such body, or it is not believed. Sending it again is no use.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/RefusedEvidence' }
            SourceNotAllowed:
              description: The sender is outside `server.notificationNetworks`.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/SourceNotAllowed' }
            RequestTimeout:
              description: |
                The body did not arrive within 30 s; the connection is closed, over HTTP/2 only the
                stream.
              headers:
                Connection:
                  description: Over HTTP/1.
                  schema: { const: close }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/RequestTimeout' }
            PayloadTooLarge:
              description: The body is over its bound.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/PayloadTooLarge' }
            UnsupportedMediaType:
              description: The body says that it is no JSON.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/UnsupportedMediaType' }
            NotAcceptable:
              description: |
                Genuine, but of an app or environment that is not configured here, or not understood
                by this version; a copy is kept in quarantine. Or of another environment than was
                asked for (`wrongEnvironment`), and nothing is kept. Or another request was sent
                under this key before.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/NotAcceptable' }
            OverBudget:
              description: |
                Uploads about this chain, or about the purchases of this receipt, have added as many
                events today as they may; nothing was written or kept. Of a claim beyond it the
                transaction itself is in the log.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                Retry-After: { $ref: '#/components/headers/RetryAfter' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/OverBudget' }
            SendAgain:
              description: It may be genuine, and could not be taken in now.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                Retry-After: { $ref: '#/components/headers/RetryAfter' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/SendAgain' }
        """#

    static let failureResponses = #"""
            Unauthorized:
              description: No valid token came with it.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                WWW-Authenticate: { $ref: '#/components/headers/Challenge' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/Unauthorized' }
            InsufficientScope:
              description: The token lacks the scope.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/InsufficientScope' }
            Fault:
              description: A fault of the service or its files; its log says more.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/Fault' }
            Unavailable:
              description: Nothing is wrong with the question; ask again.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                Retry-After: { $ref: '#/components/headers/RetryAfter' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/Unavailable' }
            TooManyStreams:
              description: There are as many streams as there may be, or the log cannot be read now.
              headers:
                Cache-Control: { $ref: '#/components/headers/NoStore' }
                Retry-After: { $ref: '#/components/headers/RetryAfter' }
              content:
                application/problem+json:
                  schema: { $ref: '#/components/schemas/TooManyStreams' }
        """#
}
