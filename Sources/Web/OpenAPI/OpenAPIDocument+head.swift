extension OpenAPIDocument {
    static let head = #"""
        openapi: 3.1.0
        info:
          title: Subledger
          version: '1'
          summary: An event-sourced ledger of App Store subscriptions.
          description: |
            Apple posts to `/appstore/notifications`; apps and back ends send transactions and ask;
            feeds tell every event and every change once, in order.

            Times are RFC 3339 in UTC with milliseconds; inputs also take epoch milliseconds and
            days. Members may be added to answers, none is changed or removed. Every member of an
            answer is always there; what is unknown is null, unless it is said to be optional.

            **Errors** are `application/problem+json` (RFC 9457) with a stable `code`. On any path,
            beside what is listed with it: a method of HTTP that it does not take is a 405
            (`methodNotAllowed`, with `Allow`), a path that is not here a 404 (`noSuchPath`); where
            tokens are asked for, both are a 401 without one; a request without Host, or with two, a
            400 (`badRequest`). What is no HTTP at all, a method that nobody registered among it, gets
            a bare 400 and a closed connection. Where no tokens are asked for, a request under
            another name than localhost, 127.0.0.0/8 or [::1] is a 421 (`hostNotAllowed`), and one
            that is no GET or HEAD and comes of a web page of elsewhere (Origin) a 403
            (`originNotAllowed`); not so where a token is never asked for. A parameter that is not listed is refused
            (`unknownParameter`), and so is one that is given twice.

            **HEAD** is answered wherever GET is, as GET without its body, and refused without a
            body, too.

            **Reading your own write**: give the position that a write was answered with as
            `minPosition`. The answer then includes it, or is a 503 (`projectionBehind`).
          license:
            name: see LICENSE
        servers:
          - url: /
        security:
          - bearer: [read]
        tags:
          - name: intake
            description: What comes from Apple and from apps.
          - name: subscriptions
            description: One chain of transactions, by any of its transaction ids.
          - name: customers
            description: Whoever the app says; by default the appAccountToken.
          - name: feeds
            description: Everything, in order, once.
          - name: metrics
            description: What analysts count, each with one published definition.
          - name: operation
            description: For load balancers, monitoring and tools.
        """#

    static let security = #"""
          securitySchemes:
            bearer:
              type: http
              scheme: bearer
              description: |
                A token whose SHA-256 is in `server.tokens` of the configuration. The scopes that an
                operation needs stand beside the name of the scheme: `read` for questions, feeds and
                `/metrics`, `write` for uploads, `admin` for what an operator does; none includes
                another. A service without configured tokens asks for none and listens on loopback
                only.
        """#
}
