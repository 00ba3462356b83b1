internal import AppStore
internal import Ledger

extension OpenAPIDocument {
    static let parameters = #"""
          parameters:
            SubscriptionId:
              name: id
              in: path
              required: true
              description: |
                An originalTransactionId, or any transactionId of the chain; 1 to 256 bytes of
                UTF-8, percent-encoded.
              schema: { $ref: '#/components/schemas/PathText' }
              example: '500000000000001'
            Environment:
              name: environment
              in: query
              description: Whose ledger is asked.
              schema: { $ref: '#/components/schemas/EnvironmentName', default: production }
            WantedEnvironment:
              name: environment
              in: query
              description: The only environment that is taken; without it, every one that is served.
              schema: { $ref: '#/components/schemas/EnvironmentName' }
            BundleId:
              name: bundleId
              in: query
              description: Only what is of this app.
              schema: { type: string, pattern: '^[^\u0000-\u001F\u007F]*$' }
              example: com.example.app
            At:
              name: at
              in: query
              description: The moment asked about; without it, now.
              schema: { $ref: '#/components/schemas/StatedTime' }
            KnownAt:
              name: knownAt
              in: query
              description: |
                Only what had been received by then. Waited for, 2 s, while some of it is not
                projected. Not together with knownPosition.
              schema: { $ref: '#/components/schemas/StatedTime' }
            KnownPosition:
              name: knownPosition
              in: query
              description: |
                Only events up to this position, the exact form: waited for as minPosition is, as far
                as the log goes. Not together with knownAt.
              schema: { $ref: '#/components/schemas/Position' }
            MinPosition:
              name: minPosition
              in: query
              description: The answer includes this position; waited for 2 s.
              schema: { $ref: '#/components/schemas/Position' }
            After:
              name: after
              in: query
              description: Only events behind this position.
              schema: { $ref: '#/components/schemas/Position', default: 0 }
            Limit:
              name: limit
              in: query
              description: Elements of a page, at most; digits without sign or leading zero.
              schema: { type: integer, minimum: 1, maximum: 1000, default: 100 }
            EntriesLimit:
              name: limit
              in: query
              description: Entries of a page, at most; without it a life comes whole if it has no more.
              schema: { type: integer, minimum: 1, maximum: 1000, default: 1000 }
            IfNoneMatch:
              name: If-None-Match
              in: header
              description: Tags of answers that are held; 304 when one still holds.
              schema: { type: string }
        """#

    static let decisionParameters = #"""
            CustomerId:
              name: id
              in: path
              required: true
              description: The customer's id, percent-encoded; a UUID is read in lower case.
              schema: { $ref: '#/components/schemas/PathText' }
              example: user-42
            NewCustomerId:
              name: id
              in: path
              required: true
              description: As the id of a customer, and of printable characters only.
              schema: { $ref: '#/components/schemas/CustomerName' }
              example: user-42
            ChainId:
              name: originalTransactionId
              in: path
              required: true
              description: An originalTransactionId, or any transactionId of the chain.
              schema: { $ref: '#/components/schemas/PathText' }
              example: '500000000000001'
            GrantId:
              name: grantId
              in: path
              required: true
              schema: { $ref: '#/components/schemas/PathText' }
            ListAfter:
              name: after
              in: query
              description: The `next` of the page before.
              schema:
                type: string
                maxLength: 512
                pattern: '^[^\u0000-\u001F\u007F]*~[^\u0000-\u001F\u007F]*$'
            TimelineAfter:
              name: after
              in: query
              description: The `next` of the page before.
              schema: { type: string, pattern: '^(0|-?[1-9][0-9]{0,17})~(0|[1-9][0-9]{0,8})$' }
            Actor:
              name: X-Actor
              in: header
              required: true
              description: Who decides; kept for ever.
              schema: { $ref: '#/components/schemas/OrderWord', maxLength: 200 }
              example: sara
            Reason:
              name: X-Reason
              in: header
              required: true
              description: Why; kept for ever.
              schema: { $ref: '#/components/schemas/OrderWord', maxLength: 2000 }
              example: ticket 1881
            IdempotencyKey:
              name: Idempotency-Key
              in: header
              description: |
                The same request under the same key is taken in once. Known for ever, in the
                environment that the request names: in another one it is another key.
              schema: { $ref: '#/components/schemas/OrderWord', maxLength: 200 }
            UploadKey:
              name: Idempotency-Key
              in: header
              description: |
                The same upload under the same key is answered once. Known for 24 hours, in all
                environments together.
              schema: { $ref: '#/components/schemas/OrderWord', maxLength: 200 }
            ReceiptKey:
              name: Idempotency-Key
              in: header
              description: |
                Belongs to this receipt for 24 hours: another body under it is refused. The same
                receipt again is asked about again, and answered as things stand then.
              schema: { $ref: '#/components/schemas/OrderWord', maxLength: 200 }
        """#

    static let headers = #"""
          headers:
            ETag:
              required: true
              description: Weak. The same until something in the answer changes but `at` and `position`.
              schema: { type: string, pattern: '^W/"[0-9a-f]{32}"$' }
            Position:
              required: true
              description: The position of the log that answers of this state include.
              schema: { $ref: '#/components/schemas/Position' }
            Lag:
              required: true
              description: Positions of the log beyond it.
              schema: { $ref: '#/components/schemas/Position' }
            FoundPosition:
              description: |
                The position of the log up to which it was looked for; not where the environment is
                not served.
              schema: { $ref: '#/components/schemas/Position' }
            FoundLag:
              description: Positions of the log beyond it, where it may yet stand.
              schema: { $ref: '#/components/schemas/Position' }
            CacheControl:
              required: true
              description: Whoever keeps an answer asks whether it still holds.
              schema: { const: 'private, no-cache' }
            DocumentCacheControl:
              required: true
              schema: { const: no-cache }
            NoStore:
              required: true
              schema: { const: no-store }
            RetryAfter:
              required: true
              description: Seconds after which it is worth trying again.
              schema: { type: integer, minimum: 1 }
            IdempotencyReplayed:
              description: Only there when the request had been taken in before.
              schema: { const: 'true' }
            Challenge:
              required: true
              schema: { const: 'Bearer realm="subledger"' }
        """#
}
