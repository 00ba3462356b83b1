import ArgumentParser
import Projection
import Queries

struct ExportCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export everything in a stable order.")

    @Argument(help: "subscriptions, transitions, facts or events.")
    var subject: Export.Subject

    @Option(help: "ndjson, csv, or csv-raw: unescaped, so a spreadsheet may run formulas.")
    var format: Export.Format = .ndjson

    @Option(
        help: "Events after this position, or chains that changed after it.",
        transform: PlainNumber.read)
    var after: Int64 = 0

    @Flag(help: "Add signedPayload to events.")
    var evidence = false

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try common.requireFormat(format)
        guard !evidence || subject == .events else {
            throw CommandFailure.invalidOption("--evidence applies to export events only.")
        }
        guard self.moment.at == nil || subject != .events else {
            throw CommandFailure.invalidOption(
                "--at does not apply to export events; use --known-at or --known-position.")
        }
        let moment = try moment.moment()
        try await settings.withSession { session in
            try session.require(after)
            var export = Export(snapshot: session.snapshot, moment: moment)
            export.bundleId = settings.bundleId
            export.after = after
            export.withEvidence = evidence
            try await export.run(subject, format: format) { try Terminal.out($0) }
        }
        return .printed()
    }
}

extension Export.Subject: ExpressibleByArgument {}
extension Export.Format: ExpressibleByArgument {}
