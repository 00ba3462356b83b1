/// The description of everything the service answers, as OpenAPI 3.1: served at `/openapi.yaml`,
/// compiled in, so that it travels with the binary, and held true by the tests of this room: every
/// route, parameter, status, member and code is in it, and nothing else.
///
/// The text is kept by group of routes, as the routes are.
enum OpenAPIDocument {
    /// The document, YAML.
    static let text =
        ([head, "paths:"] + paths + [
            "components:", parameters, decisionParameters, metricParameters, headers,
            "  responses:",
        ]
        + responses + ["  schemas:"] + schemas + [security]).joined(separator: "\n") + "\n"

    /// RFC 9512 §2.1.
    static let mediaType = "application/yaml"

    private static let paths = [
        notificationPaths, uploadPaths, receiptPaths, subscriptionPaths, customerPaths,
        decisionPaths, notePaths, feedPaths,
        metricPaths, healthPaths,
    ]

    private static let responses = [
        questionResponses, decisionResponses, bodyResponses, failureResponses,
    ]

    private static let schemas = [
        valueSchemas, subscriptionSchemas, timelineSchemas, eventSchemas, changeSchemas,
        customerSchemas, decisionSchemas, metricSchemas, comparedSchemas,
        problemSchemas, refusalSchemas, decisionRefusalSchemas,
    ]
}
