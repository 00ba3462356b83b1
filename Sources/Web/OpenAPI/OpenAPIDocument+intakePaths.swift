internal import Service

extension OpenAPIDocument {
    static let notificationPaths = #"""
          /appstore/notifications:
            post:
              operationId: takeNotification
              tags: [intake]
              summary: Apple's endpoint.
              description: |
                App Store Server Notifications, version 2 and 1. 200 means that the event is on the disk, or was
                known already. What is no notification, or whose signature or chain does not hold,
                is a 400, and a bounded copy is kept in quarantine. What is genuine but of no use
                here (an app or environment that is not configured, a full disk) is a 503, so that
                Apple sends it again. A notification of version 1 is believed by its password, the
                app's shared secret, which is compared in constant time and kept nowhere: another
                one is a 400 (`wrongSharedSecret`), as is the secret anywhere else in the body
                (`secretExposed`); without one configured for the app a 503
                (`sharedSecretMissing`). One that names no app is of the app whose secret it has. At most 262,144 bytes; of version 1, 4,194,304.
              security: []
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: '#/components/schemas/NotificationBody' }
              responses:
                '200': { description: The event is durable. }
                '400': { $ref: '#/components/responses/RefusedEvidence' }
                '403': { $ref: '#/components/responses/SourceNotAllowed' }
                '408': { $ref: '#/components/responses/RequestTimeout' }
                '413': { $ref: '#/components/responses/PayloadTooLarge' }
                '415': { $ref: '#/components/responses/UnsupportedMediaType' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/SendAgain' }
        """#

    static let uploadPaths = #"""
          /v1/transactions:
            post:
              operationId: takeTransaction
              tags: [intake]
              summary: A transaction from an app or its back end.
              description: |
                Verified as Apple's notifications are, and durable when it is answered. The answer
                includes it, whether or not it is projected yet, and tells what the customer has:
                the one that is named, else the one whom the appAccountToken names. A named
                customer who does not hold the chain claims it; `claim` says what came of it. Of
                claims at the same time each is told as of its own position. At most 655,360 bytes.

                Uploads about one chain add at most 100 events in a day (UTC); further ones get a
                429, unless they are known already. Of a chain with more than 2,000 facts
                `subscription` is null, a claim of who does not hold it is refused, and the answer
                is of now.

                A Sandbox purchase costs nothing and is answered like any other, from its own
                ledger: a back end that grants something asks with `environment=production`, and
                gets a 422 (`wrongEnvironment`) for everything else, before anything is written.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/WantedEnvironment'
                - $ref: '#/components/parameters/UploadKey'
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: '#/components/schemas/UploadBody' }
              responses:
                '200':
                  description: The transaction is durable.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                    Idempotency-Replayed: { $ref: '#/components/headers/IdempotencyReplayed' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/UploadAnswer' }
                '400': { $ref: '#/components/responses/RefusedUpload' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '408': { $ref: '#/components/responses/RequestTimeout' }
                '413': { $ref: '#/components/responses/PayloadTooLarge' }
                '415': { $ref: '#/components/responses/UnsupportedMediaType' }
                '422': { $ref: '#/components/responses/NotAcceptable' }
                '429': { $ref: '#/components/responses/OverBudget' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/SendAgain' }
        """#

    static let receiptPaths = #"""
          /v1/receipts:
            post:
              operationId: takeReceipt
              tags: [intake]
              summary: An app receipt of original StoreKit.
              description: |
                Verified locally at the date it was made, and durable when it is answered. A receipt
                knows no renewals: where the app's key is configured, Apple is asked for history and
                statuses of what it names, at most 20 chains, before the answer is made; `asked`
                tells what came of it. A named customer claims the chains that nobody holds, and of
                which Apple has told, where it can be asked, whom their token names: a copy of a
                receipt takes nothing from anybody. The 100 chains bought last are answered. The
                same receipt again is the same event, answered anew. `environment=production` as
                for a transaction. At most 4,194,304 bytes.
              security:
                - bearer: [write]
              parameters:
                - $ref: '#/components/parameters/WantedEnvironment'
                - $ref: '#/components/parameters/ReceiptKey'
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: '#/components/schemas/ReceiptBody' }
              responses:
                '200':
                  description: The receipt is durable.
                  headers:
                    ETag: { $ref: '#/components/headers/ETag' }
                    Subledger-Position: { $ref: '#/components/headers/Position' }
                    Subledger-Lag: { $ref: '#/components/headers/Lag' }
                    Cache-Control: { $ref: '#/components/headers/CacheControl' }
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/ReceiptAnswer' }
                '400': { $ref: '#/components/responses/RefusedUpload' }
                '401': { $ref: '#/components/responses/Unauthorized' }
                '403': { $ref: '#/components/responses/InsufficientScope' }
                '408': { $ref: '#/components/responses/RequestTimeout' }
                '413': { $ref: '#/components/responses/PayloadTooLarge' }
                '415': { $ref: '#/components/responses/UnsupportedMediaType' }
                '422': { $ref: '#/components/responses/NotAcceptable' }
                '429': { $ref: '#/components/responses/OverBudget' }
                '500': { $ref: '#/components/responses/Fault' }
                '503': { $ref: '#/components/responses/SendAgain' }
        """#
}
