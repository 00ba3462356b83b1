import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerService
import LedgerStore
import Signing
import Simulator

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "The main job on bundled stories: ingest, a state, a timeline, an audit.",
        discussion: """
            Signs the notifications of the stories with a throw-away authority, takes them in, and \
            leaves the ledger and the authority's root in the data directory to try things on.
            """)

    @Option(help: "Where the stories are.")
    var stories = "Replays"

    @OptionGroup var common: SharedOptions

    /// The story whose life is shown.
    static let shown = "grace-then-retry-then-expired"

    func run() async throws {
        try await perform {
            let directory = common.dataDirectory ?? "./subledger-demo"
            try empty(directory)
            let authority = try Authority()
            let told = try tell(authority, into: directory)
            let options = try options(directory)
            try Console.out(
                "\(told.lines) notifications of \(told.stories) bundled stories were signed by a"
                    + " throw-away authority: \(directory)/notifications.ndjson\n\n")
            for arguments in steps(directory, id: told.id) {
                try Console.out("$ subledger \(arguments.joined(separator: " "))\n")
                var command = try Subledger.parseAsRoot(arguments + options)
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
                try Console.out("\n")
            }
            try Console.out(
                "The ledger is in \(directory); ask it more, for example:\n"
                    + "  sqlite3 -readonly \(directory)/production/projections.sqlite"
                    + " 'SELECT state, count(*) FROM current_subscriptions GROUP BY state'\n"
                    + "  subledger export subscriptions --data \(directory)\n")
        }
    }

    /// What is run, as it would be typed.
    private func steps(_ directory: String, id: String) -> [[String]] {
        [
            ["ingest", "\(directory)/notifications.ndjson"], ["show", id], ["timeline", id],
            ["audit", "verify", "--signatures"],
        ]
    }

    private func options(_ directory: String) throws -> [String] {
        [
            "--data", directory, "--bundle-id", "com.example.app", "--app-apple-id", "1234567890",
            "--trust-root", "\(directory)/root.der",
        ]
    }

    private func empty(_ directory: String) throws {
        let files = FileManager.default
        let isOurs = files.fileExists(atPath: "\(directory)/notifications.ndjson")
        if files.fileExists(atPath: directory) {
            guard isOurs else {
                throw CommandFailure(
                    code: "directoryInUse",
                    message: "\(directory) exists and is not of an earlier demo; name another one"
                        + " with --data.", exit: .io)
            }
            try files.removeItem(atPath: directory)
        }
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Writes the signed lines of every Production story, and the root that vouches for them.
    private func tell(
        _ authority: Authority, into directory: String
    ) throws -> (lines: Int, stories: Int, id: String) {
        let names = try FileManager.default.contentsOfDirectory(atPath: stories).sorted()
        var text: [UInt8] = []
        var (lines, count, id) = (0, 0, "")
        for name in names {
            guard let story = try? Story(path: "\(stories)/\(name)"),
                story.environment == .production
            else { continue }
            for delivery in story.deliveries {
                text += try delivery.line(signedBy: authority) + Array("\n".utf8)
                lines += 1
            }
            count += 1
            if name == DemoCommand.shown { id = story.chains.first?.rawValue ?? "" }
        }
        guard !id.isEmpty else {
            throw CommandFailure(
                code: "noStories",
                message: "There are no stories in \(stories); run this where the project is, or"
                    + " name the folder with --stories.", exit: .io)
        }
        try Data(text).write(to: URL(filePath: "\(directory)/notifications.ndjson"))
        try Data(authority.rootDER).write(to: URL(filePath: "\(directory)/root.der"))
        return (lines, count, id)
    }
}
