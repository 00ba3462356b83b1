import AppStore
import ArgumentParser
import Intake
import Ledger
import Projection
import Queries
import Service

struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Show, test and repeat webhook deliveries.",
        subcommands: [ListCommand.self, TestCommand.self, RedeliverCommand.self])

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List configured endpoints with their delivery state.")

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let endpoints = try settings.webhookEndpoints()
                let standings = try await WebhookStanding.standings(
                    of: endpoints, settings.configuration.ledger)
                if common.json {
                    try Console.out { json in
                        json.object { json in
                            json.array("endpoints", standings) { $1.write(to: &$0) }
                        }
                    }
                } else {
                    for standing in standings { try Console.out(standing.text + "\n") }
                    try Console.out("\(standings.count) endpoints\n")
                }
            }
        }
    }

    struct TestCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Post a signed message of type test to one endpoint, or to all.",
            discussion:
                "An endpoint stopped by 410 that accepts the message receives deliveries again.")

        @Argument(help: "The endpoint's name.")
        var name: String?

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let client = WebhookClient()
                let outcomes = await Result { () async throws in
                    try await post(to: try settings.webhookEndpoints(named: name), settings, client)
                }
                await client.close()
                let results = try outcomes.get()
                if common.json {
                    try Console.out { json in
                        json.object { json in
                            json.array("endpoints", results) { json, result in
                                json.object { json in
                                    json.member("name", result.name)
                                    json.member("delivered", result.outcome.isSuccess)
                                    json.member("outcome", result.outcome.text)
                                }
                            }
                        }
                    }
                } else {
                    for result in results {
                        try Console.out("\(result.name): \(result.outcome.text)\n")
                    }
                }
                guard results.allSatisfy(\.outcome.isSuccess) else {
                    throw ExitCode(CommandFailure.Exit.negative.rawValue)
                }
            }
        }

        private func post(
            to endpoints: [WebhookEndpoint], _ settings: Settings, _ client: WebhookClient
        ) async throws -> [(name: String, outcome: WebhookOutcome)] {
            var results: [(name: String, outcome: WebhookOutcome)] = []
            for endpoint in endpoints {
                let ledger = try await EnvironmentLedger.open(
                    settings.configuration.ledger, environment: endpoint.environment)
                let test = WebhookTest(endpoint: endpoint, transport: client, clock: SystemClock())
                let outcome = await Result { try await test.run(ledger.operations) }
                await ledger.close()
                results.append((endpoint.name, try outcome.get()))
            }
            return results
        }
    }

    struct RedeliverCommand: AsyncParsableCommand {
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

        func run() async throws {
            try await perform {
                guard from > 0, to >= from else {
                    throw CommandFailure(
                        code: "invalidOption",
                        message: "--from and --to take positions, 1 or more, in order.",
                        exit: .usage)
                }
                let settings = try Settings(common)
                let endpoints = try settings.webhookEndpoints(named: name)
                guard endpoints.count == 1, let endpoint = endpoints.first else {
                    throw CommandFailure(
                        code: "ambiguousEndpoint",
                        message: "Name one of "
                            + endpoints.map(\.name).joined(separator: ", ") + ".", exit: .negative)
                }
                let report = try await redeliver(to: endpoint, settings)
                try emit(report, endpoint)
                guard report.failed == 0 else {
                    throw ExitCode(CommandFailure.Exit.negative.rawValue)
                }
            }
        }

        private func redeliver(
            to endpoint: WebhookEndpoint, _ settings: Settings
        ) async throws -> WebhookRedelivery.Report {
            let session = try await settings.openSession(
                try await EnvironmentLedger.open(
                    settings.configuration.ledger, environment: endpoint.environment))
            let client = WebhookClient()
            let report = await Result {
                try await WebhookRedelivery(
                    ledger: session.ledger, endpoint: endpoint, transport: client,
                    clock: SystemClock()
                ).run(from: from, to: min(to, session.head), isDryRun: dryRun)
            }
            await client.close()
            await session.close()
            return try report.get()
        }

        private func emit(
            _ report: WebhookRedelivery.Report, _ endpoint: WebhookEndpoint
        ) throws {
            guard common.json else {
                let done = dryRun ? "would be delivered" : "\(report.delivered) delivered"
                try Console.out(
                    "\(endpoint.name): \(report.changes) changes, \(done), \(report.failed) failed"
                        + (report.lastFailure.map { " (\($0))" } ?? "") + "\n")
                return
            }
            try Console.out { json in
                json.object { json in
                    json.member("endpoint", endpoint.name)
                    json.member("from", from)
                    json.member("to", to)
                    json.member("dryRun", dryRun)
                    json.member("changes", Int64(report.changes))
                    json.member("delivered", Int64(report.delivered))
                    json.member("failed", Int64(report.failed))
                    json.member("lastFailure", report.lastFailure)
                    json.object("types") { json in
                        for (type, count) in report.types.sorted(by: { $0.key < $1.key }) {
                            json.member(type, Int64(count))
                        }
                    }
                }
            }
        }
    }
}

extension Settings {
    /// Every configured endpoint with its secret.
    func webhookEndpoints() throws(CommandFailure) -> [WebhookEndpoint] {
        do throws(ConfigurationError) {
            return try WebhookEndpoint.endpoints(of: configuration)
        } catch {
            throw CommandFailure(
                code: error.code.rawValue, message: error.description, exit: .configuration)
        }
    }

    /// The endpoint with that name; all if none is named.
    func webhookEndpoints(named name: String?) throws(CommandFailure) -> [WebhookEndpoint] {
        let endpoints = try webhookEndpoints()
        let found = endpoints.filter { name == nil || $0.name == name }
        guard !found.isEmpty else {
            throw CommandFailure(
                code: "noSuchEndpoint",
                message: endpoints.isEmpty
                    ? "No webhook is configured; list it under `webhooks` in the configuration."
                    : "There is no endpoint of that name; there are "
                        + endpoints.map(\.name).joined(separator: ", ") + ".", exit: .negative)
        }
        return found
    }
}

extension Result where Failure == any Error {
    /// The outcome of `body`, so that resources can be closed before it is rethrown.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
