import ArgumentParser
import Foundation

/// The command line of the ledger (`contract.md`): one file per command, no logic.
@main
struct Subledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subledger",
        abstract: "An event-sourced ledger of App Store subscriptions.",
        discussion: """
            Takes in what Apple signs, verifies it, keeps it as immutable events, and answers what \
            a subscription's life is and why, with the events that prove it. SUBLEDGER_CONFIG, \
            SUBLEDGER_DATA, SUBLEDGER_ENVIRONMENT, SUBLEDGER_BUNDLE_ID, SUBLEDGER_APP_APPLE_ID and \
            SUBLEDGER_TRUST_ROOT stand for the options of the same names.
            """,
        version: "0.1.0",
        subcommands: [
            IngestCommand.self, ShowCommand.self, TimelineCommand.self,
            EntitlementsCommand.self, LinkCommand.self, UnlinkCommand.self, GrantCommand.self,
            UngrantCommand.self, NoteCommand.self, ExportCommand.self, WarehouseCommand.self,
            ChurnCommand.self,
            MetricsCommand.self,
            RebuildCommand.self, ProjectionsCommand.self, ReplayCommand.self, AuditCommand.self,
            QuarantineCommand.self, RecoverCommand.self, BackfillCommand.self,
            ReconcileCommand.self, MigrateFromCommand.self, ReceiptCommand.self,
            TestNotificationCommand.self, WebhooksCommand.self, APICommand.self, ServeCommand.self,
            BackupCommand.self, RestoreCommand.self, DoctorCommand.self, SimulateCommand.self,
            DemoCommand.self, BenchCommand.self,
        ])

    /// Runs the command named; wrong usage is told like every other error.
    static func main() async {
        // A limit on the size of files is told like a full disk, and ends no process.
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // A command that failed has said so itself.
            guard !(error is ExitCode), exitCode(for: error) == .validationFailure else {
                exit(withError: error)
            }
            Console.error(
                CommandFailure(
                    code: "usage",
                    message: "\(message(for: error)) See `subledger --help`, or --help after a"
                        + " command.", exit: .usage))
            exit(withError: ExitCode(CommandFailure.Exit.usage.rawValue))
        }
    }
}
