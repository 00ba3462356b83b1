internal import AppStore
internal import Projection
internal import Queries
internal import Reports

/// The tools, all of which only read. Raw values are their names.
enum MCPTool: String, Sendable, CaseIterable, JSONObjectWritable {
    case find
    case access
    case timeline
    case metrics
    case chains
    case missing
    case evidence

    /// An argument, as a property of the tool's input schema. Names and values are those of HTTP.
    struct Argument: Sendable {
        let name: String
        let about: String
        var type = "string"
        var values: [String] = []
        var isRequired = false
    }

    var title: String {
        switch self {
        case .find: "Find an id"
        case .access: "Explain access"
        case .timeline: "What happened"
        case .metrics: "Churn and other metrics"
        case .chains: "Who is behind a number"
        case .missing: "What is missing"
        case .evidence: "One event and its proof"
        }
    }

    var about: String {
        switch self {
        case .find:
            "Finds customers, subscriptions, transactions and events by an id or its beginning."
        case .access:
            "Whether a customer has access or a subscription is active at a moment, why, and the"
                + " events that decide it. Give either customer or subscription."
        case .timeline:
            "What happened to a customer or a subscription: changes of state, payments, refunds,"
                + " grants and notes, each with the events that prove it. Give either customer or"
                + " subscription."
        case .metrics:
            "A report for analysts by interval: churn, new subscriptions, trials, retention, money;"
                + " the retention messages shown (retention-offers); or what later events changed"
                + " in a report (diff). At most \(MCPLimits.rowCount) rows."
        case .chains:
            "The subscriptions that one number of a report counts, and the events that decided"
                + " each: give the metric's name, the column, and from, to and group as its row states"
                + " them."
        case .missing:
            "Whether intake works, for which time everything that Apple sent is there, suspected"
                + " outages, and what is in quarantine."
        case .evidence:
            "One event by its log position: what Apple sent, decoded, whether its signature was"
                + " verified, and the proof that it is in the log."
        }
    }

    var arguments: [Argument] {
        switch self {
        case .find: [MCPTool.text, MCPTool.minPosition] + MCPTool.place
        case .access: MCPTool.subject + MCPTool.moment
        case .timeline: MCPTool.subject + [MCPTool.order] + MCPTool.page + MCPTool.moment
        case .metrics: MCPTool.report + MCPTool.place + MCPTool.comparedKnowledge
        case .chains: MCPTool.cell + MCPTool.page + MCPTool.place + MCPTool.knowledge
        case .missing: MCPTool.place
        case .evidence: [MCPTool.position] + MCPTool.place
        }
    }

    // MARK: Arguments

    private static let text = Argument(
        name: "text",
        about: "A customer, an originalTransactionId, a transactionId, a webOrderLineItemId,"
            + " a notificationUUID, or #13 for the event at position 13; at most \(SearchLimits.textByteCount) bytes.",
        isRequired: true)

    private static let position = Argument(
        name: "position", about: "A log position that an answer cited.", type: "integer",
        isRequired: true)

    private static let order = Argument(
        name: "order", about: "Default: newest.", values: TimelineOrder.allCases.map(\.rawValue))

    private static let page = [
        Argument(name: "after", about: "The next of the previous page, unchanged."),
        Argument(
            name: "limit",
            about: "Entries: 1 to \(MCPLimits.entryCount), by default"
                + " \(MCPLimits.usualEntryCount).", type: "integer"),
    ]

    private static let subject = [
        Argument(name: "customer", about: "An appAccountToken, or the app's own id of a customer."),
        Argument(
            name: "subscription", about: "An originalTransactionId or any transactionId."),
    ]

    private static let environments: [AppStore.Environment] = [
        .production, .sandbox, .xcode, .localTesting,
    ]

    private static let place = [
        Argument(
            name: "environment", about: "Default: production, or that of the command.",
            values: environments.map { EnvironmentLedger.directoryName($0) }),
        Argument(name: "bundleId", about: "Only this app; default: every app."),
    ]

    private static let minPosition = Argument(
        name: "minPosition", about: "The answer must include this log position.", type: "integer")

    private static let knowledge = [
        minPosition,
        Argument(name: "knownAt", about: "Only events received by this time (RFC 3339)."),
        Argument(
            name: "knownPosition", about: "Only events up to this log position.", type: "integer"),
    ]

    /// Texts, so that either can be two.
    private static let comparedKnowledge = [
        minPosition,
        Argument(
            name: "knownAt",
            about: "Only events received by this time (RFC 3339); for diff one, or two separated by"
                + " a comma."),
        Argument(
            name: "knownPosition",
            about: "Only events up to this log position; for diff one, or two separated by a comma."
        ),
    ]

    private static let moment =
        place + knowledge + [
            Argument(name: "at", about: "The moment asked about (RFC 3339); default: now.")
        ]

    private static let timeZone = Argument(
        name: "timeZone", about: "An IANA time zone; default: the configured one.")

    private static let rates = Argument(
        name: "rates",
        about: "For money: none, or the value of one unit of each currency in the first:"
            + " USD,EUR:1.0834,JPY:0.0066; default: the configured table.")

    private static let paid = Argument(
        name: "paid", about: "For churn, also in diff: only chains in a paid period.",
        type: "boolean")

    private static let cell = [
        Argument(
            name: "name", about: "Default: churn.",
            values: [MetricName.churnName] + MetricName.allCases.map(\.rawValue)),
        Argument(
            name: "column", about: "The column: new, churned.total.", isRequired: true),
        Argument(
            name: "from", about: "The beginning of the row's interval: a day or a time.",
            isRequired: true),
        Argument(name: "to", about: "Its end, exclusive; default: one interval later."),
        Argument(
            name: "interval", about: "Default: month.",
            values: ReportInterval.allCases.map(\.rawValue)),
        Argument(
            name: "group",
            about: "The row's dimensions, separated by commas: product=pro; of money also its"
                + " currency."),
        Argument(name: "where", about: "As of the report."), timeZone, paid, rates,
    ]

    private static let report = [
        Argument(
            name: "name", about: "Default: churn.",
            values: MetricName.otherNames + MetricName.allCases.map(\.rawValue)),
        Argument(
            name: "from",
            about: "The first day (2026-01-31) or time; default: the month a year before now, or"
                + " before knownAt. For retention-offers a time (RFC 3339), which must be given."),
        Argument(name: "to", about: "The day or time before which it ends; default: now."),
        Argument(
            name: "interval", about: "Default: month.",
            values: ReportInterval.allCases.map(\.rawValue)),
        Argument(name: "by", about: "Dimensions to break down by, separated by commas: product."),
        Argument(
            name: "where", about: "Only these, separated by commas: product=pro,country=USA."),
        timeZone, paid, rates,
        Argument(
            name: "definitions", about: "Also as another product defines it.",
            values: DefinitionPack.allCases.map(\.rawValue)),
        Argument(
            name: "refundBasis",
            about: "For refunds: by their own day, or that of the purchase; default: refund.",
            values: RefundBasis.allCases.map(\.rawValue)),
        Argument(
            name: "metric",
            about: "For diff: whose cells differ between knownAt or knownPosition and everything"
                + " known; default: churn.",
            values: [MetricName.churnName] + MetricName.allCases.map(\.rawValue)),
    ]

    // MARK: The list

    /// The result of `tools/list`.
    static let list = JSONWriter.object { $0.array("tools", MCPTool.allCases) }

    func writeMembers(to json: inout JSONWriter) {
        json.member("name", rawValue)
        json.member("title", title)
        json.member("description", about)
        json.object("inputSchema") { json in
            json.member("type", "object")
            json.object("properties") { json in
                for argument in arguments {
                    json.object(argument.name) { json in
                        json.member("type", argument.type)
                        json.member("description", argument.about)
                        if !argument.values.isEmpty { json.array("enum", argument.values) }
                    }
                }
            }
            json.array("required", arguments.filter(\.isRequired).map(\.name))
            json.member("additionalProperties", false)
        }
        json.object("annotations") { json in
            json.member("readOnlyHint", true)
            json.member("destructiveHint", false)
            json.member("idempotentHint", true)
            json.member("openWorldHint", false)
        }
    }
}
