import ArgumentParser

/// The command line of the ledger (`contract.md`): one file per command, no logic.
@main
struct Subledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subledger",
        abstract: "An event-sourced ledger of App Store subscriptions.",
        discussion: """
            Takes in what Apple signs, verifies it, keeps it as immutable events, and answers what \
            a subscription's life is and why, with the events that prove it.
            """,
        subcommands: [
            IngestCommand.self, ShowCommand.self, TimelineCommand.self, ExportCommand.self,
            RebuildCommand.self, ReplayCommand.self, AuditCommand.self, QuarantineCommand.self,
            DoctorCommand.self, DemoCommand.self, BenchCommand.self,
        ])
}
