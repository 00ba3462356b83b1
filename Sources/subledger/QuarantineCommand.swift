import AppStore
import ArgumentParser
import Intake
import LedgerStore
import Projection
import Queries
import SQLiteStore
import Service

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Evidence that could not be accepted, and why.",
        subcommands: [ListCommand.self, ItemCommand.self, RetryCommand.self])

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List every item, oldest first.")

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let ledger = try await EnvironmentLedger.open(
                    settings.configuration.ledger, environment: settings.environment)
                let quarantine = Quarantine(ledger: ledger)
                let items = try await quarantine.items()
                if common.json {
                    try Console.out { json in
                        json.object { json in
                            json.array("items", items) { $1.write(to: &$0, withBytes: false) }
                        }
                    }
                } else {
                    for item in items { try Console.out(item.text + "\n") }
                    try Console.out("\(items.count) items\n")
                }
                await ledger.close()
            }
        }
    }

    struct ItemCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show one item with its bytes; with --json, byte for byte.")

        @Argument(help: "The item's number in the list.", transform: PlainNumber.read)
        var id: Int64

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let ledger = try await EnvironmentLedger.open(
                    settings.configuration.ledger, environment: settings.environment)
                guard let item = try await ledger.operations.quarantineItem(id) else {
                    throw CommandFailure(
                        code: "noSuchItem",
                        message: "There is no item \(id); see `subledger quarantine list`.",
                        exit: .negative)
                }
                if common.json {
                    try Console.out { item.write(to: &$0, withBytes: true) }
                } else {
                    try Console.out(item.text + "\n")
                    // Untrusted input: no escape sequence in it may reach the terminal.
                    try Console.out(String(decoding: item.bytes, as: UTF8.self).printable + "\n")
                }
                await ledger.close()
            }
        }
    }

    struct RetryCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Ingest every item again, after the configuration changed.")

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let ledger = try await EnvironmentLedger.open(
                    settings.configuration.ledger, environment: settings.environment)
                let (apps, verifier) = (try settings.requiredApps(), try settings.verifier())
                let summary = try await settings.withRevocation { revocation in
                    try await Quarantine(ledger: ledger).retry(
                        apps: apps, verifier: verifier,
                        isEnvironmentNamed: settings.isEnvironmentNamed, revocation: revocation)
                }
                let derived = await settings.catchUp(appended: ledger)
                try print(summary)
                try derived.get()
                if !summary.isClean { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
            }
        }

        private func print(_ summary: IngestSummary) throws {
            if common.json { return try Console.out { summary.write(to: &$0) } }
            try Console.out(
                "retried \(summary.read): \(summary.appended) appended, "
                    + "\(summary.duplicates) duplicates, \(summary.conflicts) conflicts, "
                    + "\(summary.rejected + summary.quarantined) stay\n")
        }
    }
}
