import AppStore
import ArgumentParser
import LedgerStore
import Projection
import SQLiteStore

/// Lists, selects and removes projections files.
struct ProjectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections", abstract: "List, select or remove projections files.",
        subcommands: [List.self, Use.self, Drop.self])

    struct List: OutputCommand {
        static let configuration = CommandConfiguration(
            abstract: "List projections files with their build, position and size.")

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let files = try await settings.withLedger { await $0.listProjections() }
            return Output(
                text: files.isEmpty
                    ? "no projections yet; any command that reads builds them\n"
                    : files.map { $0.text + "\n" }.joined()
            ) { json in
                json.array("files", files) { json, file in file.write(to: &json) }
            }
        }
    }

    struct Use: OutputCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make another file current and catch up with the log.")

        @Argument(help: "The file's name, as `projections list` gives it.")
        var name: String

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            try await settings.withSession(toProject: true) { session in
                let projector = try session.requiredProjector()
                let before = try await session.projections.checkpoint().position
                try await projector.use(name)
                let position = try await projector.projections.checkpoint().position
                return Output(text: "\(name) is current, up to position \(position)\n") { json in
                    json.member("file", name)
                    json.member("position", position)
                    json.member("positionBefore", before)
                }
            }
        }
    }

    struct Drop: OutputCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove files that are neither current nor open in a process.")

        @Argument(
            help: "Names, as `projections list` gives them (default: all but the current one).")
        var names: [String] = []

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let (dropped, open) = try await settings.withSession(toProject: true) { session in
                try session.requiredProjector().drop(names)
            }
            let lines =
                dropped.map { "dropped \($0)\n" }
                + open.map { "kept \($0): a process has it open\n" }
            return Output(
                text: lines.isEmpty ? "nothing to drop\n" : lines.joined(), isClean: open.isEmpty
            ) { json in
                json.array("dropped", dropped)
                json.array("inUse", open)
            }
        }
    }
}
