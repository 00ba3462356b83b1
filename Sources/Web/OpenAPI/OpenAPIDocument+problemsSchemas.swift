extension OpenAPIDocument {
    static let problemSchemas = #"""
            Problem:
              type: object
              required: [type, title, status, detail, code]
              properties:
                type: { description: A name of the code., type: string, format: uri }
                title: { type: string }
                status: { type: integer, minimum: 400, maximum: 599 }
                detail:
                  description: For people; its wording may change.
                  type: string
                code: { $ref: '#/components/schemas/ProblemCode' }
                position:
                  description: The one reached; only with projectionBehind.
                  $ref: '#/components/schemas/Position'
              additionalProperties: false
              examples:
                - type: urn:subledger:problem:noSuchSubscription
                  title: Not Found
                  status: 404
                  detail: No subscription or purchase is known by this id at that time.
                  code: noSuchSubscription
            ProblemCode:
              description: Stable; codes are added, none is changed.
              type: string
              enum:
                - ambiguousId
                - amountTooLarge
                - badRequest
                - batchTooLarge
                - busy
                - certificateNotValidAtSigning
                - certificateRevoked
                - clockJumped
                - closed
                - commitOutcomeUnknown
                - comparedWhole
                - currencyConverted
                - cursorBeyondLog
                - databaseFailure
                - diskFull
                - duplicateDimension
                - environmentNotServed
                - evidenceMalformed
                - evidenceTooLarge
                - fileChanged
                - fileCorrupt
                - fileForeign
                - fileInUse
                - fileLocked
                - fileNewer
                - fileNotDatabase
                - fileReadOnly
                - fileReplaced
                - hostNotAllowed
                - idempotencyKeyReused
                - insufficientScope
                - internal
                - invalidActor
                - invalidBody
                - invalidCertificate
                - invalidChainLength
                - invalidCursor
                - invalidCustomer
                - invalidEntitlement
                - invalidFilter
                - invalidIdempotencyKey
                - invalidParameter
                - invalidPath
                - invalidRange
                - invalidRates
                - invalidReason
                - invalidTime
                - ioError
                - malformedJSON
                - malformedJWS
                - malformedReceipt
                - methodNotAllowed
                - missingAppleMarker
                - missingRates
                - nestedPartInvalid
                - noSuchFile
                - noSuchGrant
                - noSuchPath
                - noSuchSubscription
                - notLinked
                - originNotAllowed
                - payloadTooLarge
                - projectionBehind
                - queueFull
                - rateTooLarge
                - receiptRefusedByApple
                - requestTimeout
                - revocationUnknown
                - secretExposed
                - sharedSecretMissing
                - signatureMismatch
                - sourceNotAllowed
                - tooManyCustomers
                - tooManyIntervals
                - tooManyRows
                - tooManyStreams
                - tooManyUnknownChains
                - unauthorized
                - undecodablePayload
                - undocumentedDefinition
                - unknownDimension
                - unknownEnvironment
                - unknownFilterValue
                - unknownInterval
                - unknownMetric
                - unknownParameter
                - unknownTimeZone
                - unsupportedAlgorithm
                - unsupportedMediaType
                - untrustedRoot
                - uploadBudgetExhausted
                - wrongApp
                - wrongDevice
                - wrongEnvironment
                - wrongSharedSecret
            StoreCode:
              description: What kept a file from being read or written.
              type: string
              enum:
                - fileNewer
                - fileChanged
                - fileForeign
                - fileNotDatabase
                - fileCorrupt
                - fileReadOnly
                - fileReplaced
                - fileLocked
                - fileInUse
                - noSuchFile
                - diskFull
                - ioError
                - queueFull
                - batchTooLarge
                - evidenceTooLarge
                - evidenceMalformed
                - commitOutcomeUnknown
                - closed
                - databaseFailure
        """#
}
