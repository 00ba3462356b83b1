extension OpenAPIDocument {
    static let refusalSchemas = #"""
            InvalidQuestion:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - invalidParameter
                        - invalidPath
                        - invalidTime
                        - unknownEnvironment
                        - unknownParameter
            InvalidReport:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - amountTooLarge
                        - comparedWhole
                        - currencyConverted
                        - duplicateDimension
                        - invalidFilter
                        - invalidParameter
                        - invalidPath
                        - invalidRange
                        - invalidRates
                        - invalidTime
                        - missingRates
                        - rateTooLarge
                        - tooManyIntervals
                        - tooManyRows
                        - undocumentedDefinition
                        - unknownDimension
                        - unknownEnvironment
                        - unknownFilterValue
                        - unknownInterval
                        - unknownParameter
                        - unknownTimeZone
            NoSuchMetric:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 404 }
                    code:
                      enum: [environmentNotServed, unknownMetric]
            InvalidCursor:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - cursorBeyondLog
                        - invalidCursor
                        - invalidParameter
                        - unknownEnvironment
                        - unknownParameter
            RefusedEvidence:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - badRequest
                        - invalidBody
                        - malformedJSON
                        - malformedJWS
                        - malformedReceipt
                        - unsupportedAlgorithm
                        - invalidChainLength
                        - untrustedRoot
                        - invalidCertificate
                        - missingAppleMarker
                        - certificateNotValidAtSigning
                        - signatureMismatch
                        - wrongEnvironment
                        - payloadTooLarge
                        - nestedPartInvalid
                        - certificateRevoked
                        - wrongSharedSecret
                        - secretExposed
                        - receiptRefusedByApple
                        - wrongDevice
            Unauthorized:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 401 }
                    code:
                      enum: [unauthorized]
            InsufficientScope:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 403 }
                    code:
                      enum: [insufficientScope]
            SourceNotAllowed:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 403 }
                    code:
                      enum: [sourceNotAllowed]
            HostNotAllowed:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 421 }
                    code:
                      enum: [hostNotAllowed]
            OriginNotAllowed:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 403 }
                    code:
                      enum: [originNotAllowed]
            NoSuchSubscription:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 404 }
                    code:
                      enum: [environmentNotServed, noSuchSubscription]
            EnvironmentNotServed:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 404 }
                    code:
                      enum: [environmentNotServed]
            NoSuchPath:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 404 }
                    code:
                      enum: [noSuchPath]
            MethodNotAllowed:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 405 }
                    code:
                      enum: [methodNotAllowed]
            RequestTimeout:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 408 }
                    code:
                      enum: [requestTimeout]
            AmbiguousId:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 409 }
                    code:
                      enum: [ambiguousId]
            PayloadTooLarge:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 413 }
                    code:
                      enum: [payloadTooLarge]
            UnsupportedMediaType:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 415 }
                    code:
                      enum: [unsupportedMediaType]
            NotAcceptable:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 422 }
                    code:
                      enum:
                        - idempotencyKeyReused
                        - nestedPartInvalid
                        - undecodablePayload
                        - wrongApp
                        - wrongEnvironment
            Fault:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 500 }
                    code:
                      enum:
                        - internal
                        - fileNewer
                        - fileChanged
                        - fileForeign
                        - fileNotDatabase
                        - fileCorrupt
                        - fileReadOnly
                        - fileInUse
                        - batchTooLarge
                        - evidenceTooLarge
                        - evidenceMalformed
                        - databaseFailure
            Unavailable:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 503 }
                    code:
                      enum:
                        - busy
                        - clockJumped
                        - projectionBehind
                        - fileLocked
                        - queueFull
                        - diskFull
                        - closed
                        - ioError
                        - noSuchFile
                        - fileReplaced
                        - commitOutcomeUnknown
            TooManyStreams:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 503 }
                    code:
                      enum:
                        - tooManyStreams
                        - projectionBehind
                        - fileLocked
                        - queueFull
                        - diskFull
                        - closed
                        - ioError
                        - noSuchFile
                        - fileReplaced
                        - commitOutcomeUnknown
            OverBudget:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 429 }
                    code:
                      enum: [uploadBudgetExhausted]
            SendAgain:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 503 }
                    code:
                      anyOf:
                        - $ref: '#/components/schemas/StoreCode'
                        - enum:
                            - busy
                            - clockJumped
                            - environmentNotServed
                            - nestedPartInvalid
                            - projectionBehind
                            - revocationUnknown
                            - sharedSecretMissing
                            - tooManyUnknownChains
                            - undecodablePayload
                            - wrongApp
                            - wrongEnvironment
        """#

    static let decisionRefusalSchemas = #"""
            InvalidList:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - invalidCursor
                        - invalidParameter
                        - invalidPath
                        - invalidTime
                        - unknownEnvironment
                        - unknownParameter
            InvalidBatch:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - badRequest
                        - invalidBody
                        - invalidCustomer
                        - invalidParameter
                        - invalidTime
                        - malformedJSON
                        - tooManyCustomers
                        - unknownEnvironment
                        - unknownParameter
            InvalidDecision:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - invalidActor
                        - invalidCustomer
                        - invalidIdempotencyKey
                        - invalidParameter
                        - invalidPath
                        - invalidReason
                        - unknownEnvironment
                        - unknownParameter
            InvalidGrant:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - badRequest
                        - invalidBody
                        - invalidEntitlement
                        - invalidTime
                        - malformedJSON
                        - invalidActor
                        - invalidCustomer
                        - invalidIdempotencyKey
                        - invalidParameter
                        - invalidPath
                        - invalidReason
                        - unknownEnvironment
                        - unknownParameter
            RefusedUpload:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 400 }
                    code:
                      enum:
                        - badRequest
                        - invalidBody
                        - invalidCustomer
                        - invalidIdempotencyKey
                        - invalidParameter
                        - malformedJSON
                        - unknownEnvironment
                        - unknownParameter
                        - malformedJWS
                        - malformedReceipt
                        - unsupportedAlgorithm
                        - invalidChainLength
                        - untrustedRoot
                        - invalidCertificate
                        - missingAppleMarker
                        - certificateNotValidAtSigning
                        - signatureMismatch
                        - wrongEnvironment
                        - payloadTooLarge
                        - nestedPartInvalid
                        - certificateRevoked
                        - wrongSharedSecret
                        - secretExposed
                        - receiptRefusedByApple
                        - wrongDevice
            NotLinked:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 404 }
                    code:
                      enum: [environmentNotServed, noSuchSubscription, notLinked]
            NoSuchGrant:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 404 }
                    code:
                      enum: [environmentNotServed, noSuchGrant]
            IdempotencyKeyReused:
              allOf:
                - $ref: '#/components/schemas/Problem'
                - properties:
                    status: { const: 422 }
                    code:
                      enum: [idempotencyKeyReused]
        """#
}
