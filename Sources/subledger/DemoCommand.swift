import AppStore
import ArgumentParser
import Foundation
import LedgerService
import Signing
import Simulator

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "The main job on bundled stories: ingest, a state, a timeline, an audit.",
        discussion: """
            Signs the notifications of the stories with a throw-away authority, takes them in, and \
            leaves the ledger and a configuration in the directory to try things on.
            """)

    @Option(help: ArgumentHelp("Where the stories are.", valueName: "dir"))
    var stories = "Replays"

    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("The demo's own directory.", valueName: "dir"))
    var directory = "./subledger-demo"

    /// The story whose life is shown.
    static let shown = "grace-then-retry-then-expired"
    /// Marks a directory as the demo's own.
    static let marker = ".subledger-demo"
    /// What the demo makes, and so may remove.
    static let files = ["production", "notifications.ndjson", "root.der", "subledger.yaml"]

    func run() async throws {
        try await perform {
            let authority = try Authority()
            let told = try tell(authority)
            let place = try prepare()
            try Data(told.lines).write(to: place.appending(path: "notifications.ndjson"))
            try Data(authority.rootDER).write(to: place.appending(path: "root.der"))
            try Data(configuration(place).utf8).write(to: place.appending(path: "subledger.yaml"))
            try Console.out(
                "\(told.deliveries) notifications of \(told.stories) bundled stories, signed by a"
                    + " throw-away authority\n\n")
            let config = ["--config", place.appending(path: "subledger.yaml").path]
            for step in steps(place, id: told.id) {
                let arguments = step + config + ["--environment", "production"]
                try Console.out(
                    "$ subledger \((step + config).map(quoted).joined(separator: " "))\n")
                try await run(arguments)
                try Console.out("\n")
            }
            try hint(place, config)
        }
    }

    /// What is run, as it would be typed.
    private func steps(_ place: URL, id: String) -> [[String]] {
        [
            ["ingest", place.appending(path: "notifications.ndjson").path], ["show", id],
            ["timeline", id], ["audit", "verify", "--signatures"],
        ]
    }

    private func run(_ arguments: [String]) async throws {
        var command = try Subledger.parseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    private func hint(_ place: URL, _ config: [String]) throws {
        let binary = CommandLine.arguments.first ?? "subledger"
        let database = place.appending(path: "production/projections.sqlite").path
        try Console.out(
            """
            Ask it more (subledger is \(binary)):
              \(quoted(binary)) export subscriptions \(config.map(quoted).joined(separator: " "))
              sqlite3 -readonly \(quoted(database)) \
            'SELECT state, count(*) FROM current_subscriptions GROUP BY state'

            """)
    }

    private func quoted(_ text: String) -> String {
        text.contains { $0 == " " || $0 == "'" || $0 == "\"" } ? "'\(text)'" : text
    }

    // MARK: Files

    /// The demo's directory, empty of an earlier demo's files; never of anybody else's.
    private func prepare() throws -> URL {
        let files = FileManager.default
        let place = URL(filePath: directory).standardizedFileURL
        if files.fileExists(atPath: place.path) {
            let content = try files.contentsOfDirectory(atPath: place.path)
            guard content.isEmpty || content.contains(DemoCommand.marker) else {
                throw CommandFailure(
                    code: "directoryInUse",
                    message: "\(directory) holds files that are not the demo's; name another"
                        + " directory with --data.", exit: .io)
            }
            for name in DemoCommand.files where content.contains(name) {
                try files.removeItem(at: place.appending(path: name))
            }
        }
        try files.createDirectory(at: place, withIntermediateDirectories: true)
        try Data().write(to: place.appending(path: DemoCommand.marker))
        return place
    }

    private func configuration(_ place: URL) -> String {
        """
        # Written by `subledger demo`. The root below is a throw-away authority's.
        dataDirectory: "\(place.path)"
        apps:
          - bundleId: com.example.app
            appAppleId: 1234567890
        trustedRoots: ["\(place.appending(path: "root.der").path)"]

        """
    }

    /// The signed lines of every Production story.
    private func tell(
        _ authority: Authority
    ) throws -> (lines: [UInt8], deliveries: Int, stories: Int, id: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: stories)) ?? []
        var text: [UInt8] = []
        var (deliveries, count, id) = (0, 0, "")
        for name in names.sorted() {
            guard let story = try? Story(path: "\(stories)/\(name)"),
                story.environment == .production
            else { continue }
            for delivery in story.deliveries {
                text += try delivery.line(signedBy: authority) + Array("\n".utf8)
                deliveries += 1
            }
            count += 1
            if name == DemoCommand.shown { id = story.chains.first?.rawValue ?? "" }
        }
        guard !id.isEmpty else {
            throw CommandFailure(
                code: "noStories",
                message: "There are no bundled stories in \(stories); run this where the project"
                    + " is, or name its Replays folder with --stories.", exit: .io)
        }
        return (text, deliveries, count, id)
    }
}
