import AppStore
import ArgumentParser
import Foundation
import Simulator

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Simulate the App Store.",
        subcommands: [HistoryCommand.self, ServerCommand.self, NotifyCommand.self])

    struct HistoryCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "Write the signed notifications of seeded lives to standard output.",
            discussion: """
                One line per delivery, in the formats `ingest` takes, in order of arrival, lives \
                interleaved; beyond some thousands of concurrent subscribers the order is \
                approximate, to keep memory flat. A disposable authority signs: its root goes to \
                --root before the first line. The same seed gives the same history except for \
                signatures; to continue an interrupted run, use --authority and --skip. The truth \
                matches a ledger whose catalogue gives com.example.pass P30D and \
                com.example.season P1M.
                """)

        @Option(help: "Deliveries to write.")
        var events: Int?

        @Option(help: "Whole lives to write, instead of a number of deliveries.")
        var chains: Int?

        @Option(help: "Seed of the lives (0 to 1000000).")
        var seed: UInt64 = 0

        @Option(
            help: ArgumentHelp("File for the root certificate: DER.", valueName: "file"),
            completion: .file())
        var root: String?

        @Option(
            help: ArgumentHelp(
                "Directory of the authority with its private keys; created on first use.",
                valueName: "dir"),
            completion: .directory)
        var authority: String?

        @Option(
            help: ArgumentHelp(
                "File for the truth about finished lives: one JSON object per line.",
                valueName: "file"),
            completion: .file())
        var truth: String?

        @Option(help: "Number of deliveries to skip at the beginning.")
        var skip = 0

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let plan = try plan(settings)
            let authority = try prepareAuthority()
            let truths = try truth.map { try HistoryCommand.truthFile($0) }
            // A reader that closes the pipe early is not an error.
            signal(SIGPIPE, SIG_DFL)
            let progress = ProgressLine()
            let last = try await SignedHistory(plan, authority: authority).emit(
                skipping: skip,
                report: { done in
                    progress.show("simulate: \(HistoryCommand.text(done))")
                },
                to: { piece in
                    try Terminal.out(piece.lines)
                    for truth in piece.truths {
                        try truths?.write(contentsOf: truth.line() + [UInt8(ascii: "\n")])
                    }
                })
            try truths?.close()
            progress.end()
            report(last)
            return .printed()
        }

        private func plan(_ settings: Settings) throws -> HistoryPlan {
            guard (events == nil) != (chains == nil), skip >= 0 else {
                throw CommandFailure.invalidOption(
                    "Give either --events or --chains, and --skip a number of 0 or more.")
            }
            return try settings.simulatedLives(
                events.map { .events($0) } ?? .chains(chains ?? 1), seed: seed)
        }

        private func prepareAuthority() throws -> Authority {
            guard root != nil || authority != nil else {
                throw CommandFailure.invalidOption(
                    "Nothing could verify the output: name a file for the root with --root,"
                        + " or a directory for the authority with --authority.")
            }
            do {
                let made = try authority.map { try Authority.kept(in: $0) } ?? Authority()
                if let root { try Data(made.rootDER).write(to: URL(filePath: root)) }
                return made
            } catch let error as CocoaError {
                throw CommandFailure(
                    "ioError", "\(root ?? ""): it cannot be written (\(error.code.rawValue)).", .io)
            }
        }

        private func report(_ done: SignedHistory.Progress) {
            let span = [done.first, done.last].compactMap { $0?.rfc3339 }.joined(separator: " to ")
            if common.json {
                let json = JSONWriter.object { json in
                    json.member("events", done.events)
                    json.member("lives", done.lives)
                    json.member("from", done.first)
                    json.member("to", done.last)
                }
                Terminal.note(String(decoding: json, as: UTF8.self))
            } else {
                Terminal.note("simulate: \(HistoryCommand.text(done)), \(span)")
            }
        }

        /// How much of a history there is, for people.
        private static func text(_ done: SignedHistory.Progress) -> String {
            done.events.named("event", "events") + " of " + done.lives.named("life", "lives")
        }

        /// Creates a file for the truth about finished lives, one line each.
        private static func truthFile(_ path: String) throws(CommandFailure) -> FileHandle {
            guard FileManager.default.createFile(atPath: path, contents: nil),
                let file = FileHandle(forWritingAtPath: path)
            else {
                throw CommandFailure("ioError", "\(path): it cannot be written.", .io)
            }
            return file
        }
    }
}
