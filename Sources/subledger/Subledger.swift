import ArgumentParser
import Foundation
import Web

/// The command line of the ledger (`Contract.md`).
@main
struct Subledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subledger",
        abstract: "An event-sourced ledger of App Store subscriptions.",
        discussion: """
            Ingests what Apple signs, verifies it, stores it as immutable events, and answers what \
            state a subscription is in and why, with the events that prove it. SUBLEDGER_CONFIG, \
            SUBLEDGER_DATA, SUBLEDGER_DATABASE, SUBLEDGER_ENVIRONMENT, SUBLEDGER_BUNDLE_ID, \
            SUBLEDGER_APP_APPLE_ID and SUBLEDGER_TRUST_ROOT set the options of the same names.
            """,
        version: "0.1.0",
        subcommands: [
            IngestCommand.self, ShowCommand.self, TimelineCommand.self,
            FindCommand.self, EntitlementsCommand.self, LinkCommand.self, UnlinkCommand.self,
            GrantCommand.self,
            UngrantCommand.self, NoteCommand.self, EraseCommand.self, ExportCommand.self,
            WarehouseCommand.self,
            ChurnCommand.self,
            MetricsCommand.self,
            RebuildCommand.self, ProjectionsCommand.self, ReplayCommand.self, AuditCommand.self,
            QuarantineCommand.self, RecoverCommand.self, BackfillCommand.self,
            ReconcileCommand.self, MigrateFromCommand.self, ReceiptCommand.self,
            TestNotificationCommand.self, WebhooksCommand.self, APICommand.self, SignCommand.self,
            ServeCommand.self, MCPCommand.self,
            BackupCommand.self, RestoreCommand.self, LogCommand.self, NodesCommand.self,
            DoctorCommand.self, SimulateCommand.self, DemoCommand.self, BenchCommand.self,
        ])

    /// Parses and runs a command.
    ///
    /// - Parameter arguments: nil for those of the process.
    static func run(_ arguments: [String]?) async throws {
        var command = try parseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// A message as one line that ends like a sentence; a list in it is separated by commas.
    static func sentence(_ message: String) -> String {
        var text = ""
        for line in message.split(whereSeparator: \.isNewline) {
            let part = line.trimmingCharacters(in: .whitespaces)
            let isListed = part.hasPrefix("- ")
            if !text.isEmpty { text += isListed && !text.hasSuffix(":") ? ", " : " " }
            text += isListed ? String(part.dropFirst(2)) : part
        }
        return text.last.map { ".?!".contains($0) } ?? true ? text : text + "."
    }

    /// Throws for an argument that is not UTF-8, which `CommandLine.arguments` repairs: the command
    /// would act on another id or path.
    private static func requireText() throws(ValidationError) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = CommandLine.unsafeArgv[index],
                String(validatingCString: word) == nil
            else { continue }
            throw ValidationError("An argument is not UTF-8: \(String(cString: word)).")
        }
    }

    /// Runs the named command; usage errors are reported like all others.
    static func main() async {
        // With SIGXFSZ ignored, a file size limit is reported like a full disk.
        signal(SIGXFSZ, SIG_IGN)
        if CommandLine.arguments.dropFirst().first == ServeCommand.configuration.commandName {
            WebService.expectHangup()
        }
        do {
            try requireText()
            try await run(nil)
        } catch {
            // The command has already reported its failure.
            guard !(error is ExitCode), exitCode(for: error) == .validationFailure else {
                exit(withError: error)
            }
            Terminal.error(
                CommandFailure(
                    "usage",
                    "\(sentence(message(for: error))) See `subledger --help`, or --help after"
                        + " a command.", .usage))
            exit(withError: ExitCode(CommandFailure.Exit.usage.rawValue))
        }
    }
}
