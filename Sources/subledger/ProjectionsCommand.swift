import AppStore
import ArgumentParser
import LedgerStore
import Projection
import SQLiteStore
import Service

/// Lists, selects and removes projections files.
struct ProjectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections", abstract: "List, select or remove projections files.",
        subcommands: [List.self, Use.self, Drop.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List projections files with their build, position and size.")

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let ledger = try await EnvironmentLedger.open(
                    settings.configuration.ledger, environment: settings.environment)
                let files = await ledger.listProjections()
                try print(files)
                await ledger.close()
            }
        }

        private func print(_ files: [ProjectionsListing]) throws {
            if common.json {
                return try Console.out { json in
                    json.object { json in
                        json.array("files", files) { json, file in file.write(to: &json) }
                    }
                }
            }
            if files.isEmpty {
                try Console.out("no projections yet; any command that reads builds them\n")
            }
            for file in files { try Console.out(file.text + "\n") }
        }
    }

    struct Use: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make another file current and catch up with the log.")

        @Argument(help: "The file's name, as `projections list` gives it.")
        var name: String

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let session = try await Settings(common).openSession(toProject: true)
                let projector = try session.requiredProjector()
                let before = try await session.projections.checkpoint().position
                try await projector.use(name)
                let checkpoint = try await projector.projections.checkpoint()
                if common.json {
                    try Console.out { json in
                        json.object { json in
                            json.member("file", name)
                            json.member("position", checkpoint.position)
                            json.member("positionBefore", before)
                        }
                    }
                } else {
                    try Console.out(
                        "\(name) is current, up to position \(checkpoint.position)\n")
                }
                await session.close()
            }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove files that are neither current nor open in a process.")

        @Argument(
            help: "Names, as `projections list` gives them (default: all but the current one).")
        var names: [String] = []

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let session = try await Settings(common).openSession(toProject: true)
                let projector = try session.requiredProjector()
                let (dropped, open) = try projector.drop(names)
                if common.json {
                    try Console.out { json in
                        json.object { json in
                            json.array("dropped", dropped)
                            json.array("inUse", open)
                        }
                    }
                } else {
                    for name in dropped { try Console.out("dropped \(name)\n") }
                    for name in open { try Console.out("kept \(name): a process has it open\n") }
                    if dropped.isEmpty, open.isEmpty { try Console.out("nothing to drop\n") }
                }
                await session.close()
                if !open.isEmpty { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
            }
        }
    }
}
