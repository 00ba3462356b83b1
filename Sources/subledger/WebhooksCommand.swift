import AppStore
import AppStoreAPI
import ArgumentParser
import Projection
import Queries
import Service

struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Show, test and repeat webhook deliveries.",
        subcommands: [ListCommand.self, TestCommand.self, RedeliverCommand.self])

    struct ListCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List configured endpoints with their delivery state.")

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let standings = try await settings.eachWebhook(
                try WebhookEndpoint.endpoints(of: settings.configuration)
            ) { try await WebhookStanding.standing(of: $0, in: $1) }
            return Output(
                text: standings.map { $0.text + "\n" }.joined()
                    + standings.count.named("endpoint", "endpoints") + "\n"
            ) { json in
                json.array("endpoints", standings)
            }
        }
    }

    struct TestCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Post a signed message of type test to one endpoint, or to all.",
            discussion:
                "An endpoint stopped by 410 that accepts the message receives deliveries again.")

        @Argument(help: "The endpoint's name.")
        var name: String?

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let client = HTTPTransport.toReceivers()
            let results = try await closing(client.close) {
                try await settings.eachWebhook(try settings.webhookEndpoints(named: name)) {
                    endpoint, ledger -> (name: String, outcome: WebhookOutcome) in
                    let sender = WebhookSender(
                        endpoint: endpoint, transport: client, clock: SystemClock())
                    return (endpoint.name, try await sender.test(ledger.operations))
                }
            }
            return Output(
                text: results.map { "\($0.name): \($0.outcome.reasonedText)\n" }.joined(),
                isClean: results.allSatisfy(\.outcome.isSuccess)
            ) { json in
                json.objects("endpoints", results) { json, result in
                    json.member("name", result.name)
                    json.member("delivered", result.outcome.isSuccess)
                    json.member("outcome", result.outcome.text)
                }
            }
        }
    }

    struct RedeliverCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "redeliver",
            abstract: "Deliver the changes of a range of positions again, under the same ids.",
            discussion: "Moves no cursor, and works while the service runs.")

        @Argument(help: "The endpoint's name; not needed when there is only one.")
        var name: String?

        @Option(help: "The first position.", transform: PlainNumber.read)
        var from: Int64

        @Option(help: "The last position.", transform: PlainNumber.read)
        var to: Int64

        @Flag(help: "Only count what would be delivered.")
        var dryRun = false

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            guard from > 0, to >= from else {
                throw CommandFailure.invalidOption(
                    "--from and --to take positions, 1 or more, in order.")
            }
            let endpoints = try settings.webhookEndpoints(named: name)
            guard endpoints.count == 1, let endpoint = endpoints.first else {
                throw CommandFailure(
                    "ambiguousEndpoint",
                    "Name one of "
                        + endpoints.map(\.name).joined(separator: ", ") + ".", .negative)
            }
            let report = try await redeliver(to: endpoint, settings)
            let done =
                dryRun
                ? " would be delivered"
                : ", \(report.delivered) delivered, \(report.failed) failed"
                    + (report.lastFailure.map { " (\($0))" } ?? "")
            return Output(
                text: "\(endpoint.name): \(report.changes.named("change", "changes"))\(done)\n",
                isClean: report.failed == 0
            ) { json in
                report.writeMembers(
                    of: endpoint.name, from: from, to: to, isDryRun: dryRun, to: &json)
            }
        }

        private func redeliver(
            to endpoint: WebhookEndpoint, _ settings: Settings
        ) async throws -> WebhookSender.Redelivered {
            try await settings.withSession(of: endpoint.environment) { session in
                let client = HTTPTransport.toReceivers()
                return try await closing(client.close) {
                    try await WebhookSender(
                        endpoint: endpoint, transport: client, clock: SystemClock()
                    ).redeliver(
                        session.ledger, from: from, to: min(to, session.head), isDryRun: dryRun)
                }
            }
        }
    }
}

extension Settings {
    /// Runs `body` for each endpoint in turn, with the ledger of its environment.
    fileprivate func eachWebhook<Value>(
        _ endpoints: [WebhookEndpoint],
        _ body: (WebhookEndpoint, EnvironmentLedger) async throws -> Value
    ) async throws -> [Value] {
        var values: [Value] = []
        for endpoint in endpoints {
            values.append(
                try await withLedger(of: endpoint.environment) { try await body(endpoint, $0) })
        }
        return values
    }

    /// The endpoint with that name; all if none is named.
    func webhookEndpoints(named name: String?) throws -> [WebhookEndpoint] {
        let endpoints = try WebhookEndpoint.endpoints(of: configuration)
        let found = endpoints.filter { name == nil || $0.name == name }
        guard !found.isEmpty else {
            throw CommandFailure(
                "noSuchEndpoint",
                endpoints.isEmpty
                    ? "No webhook is configured; list it under `webhooks` in the configuration."
                    : "There is no endpoint of that name; there are "
                        + endpoints.map(\.name).joined(separator: ", ") + ".", .negative)
        }
        return found
    }
}
