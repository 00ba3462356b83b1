import AppStore
import ArgumentParser
import Intake
import LedgerStore
import Projection
import Queries

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Evidence that could not be accepted, and why.",
        subcommands: [ListCommand.self, ItemCommand.self, RetryCommand.self])

    struct ListCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List every item, oldest first.")

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let items = try await settings.withLedger {
                try await Quarantine(ledger: $0).items()
            }
            return Output(
                text: items.map { $0.text + "\n" }.joined()
                    + items.count.named("item", "items") + "\n"
            ) { json in
                json.array("items", items) { $1.write(to: &$0, withBytes: false) }
            }
        }
    }

    struct ItemCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show one item with its bytes; with --json, byte for byte as base64.")

        @Argument(help: "The item's number in the list.", transform: PlainNumber.read)
        var id: Int64

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let found = try await settings.withLedger {
                try await $0.operations.quarantineItem(id)
            }
            guard let item = found else {
                throw CommandFailure(
                    "noSuchItem",
                    "There is no item \(id); see `subledger quarantine list`.", .negative)
            }
            // Untrusted input: no escape sequence in it may reach the terminal.
            return Output(
                json: { item.write(to: &$0, withBytes: true) },
                text: item.text + "\n" + String(decoding: item.bytes, as: UTF8.self).printable
                    + "\n")
        }
    }

    struct RetryCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Ingest every item again, after the configuration changed.")

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let (summary, failure) = try await settings.appending { ledger in
                let (apps, verifier) = (try settings.requiredApps(), try settings.verifier())
                return try await settings.withRevocation { revocation in
                    try await Quarantine(ledger: ledger).retry(
                        apps: apps, verifier: verifier,
                        isEnvironmentNamed: settings.isEnvironmentNamed, revocation: revocation)
                }
            }
            let text =
                "retried \(summary.read): \(summary.appended) appended, "
                + "\(summary.repeatsText), "
                + "\(summary.rejected + summary.quarantined) stay\n"
            return Output(
                json: summary.write(to:), text: text, isClean: summary.isClean, failure: failure)
        }
    }
}
