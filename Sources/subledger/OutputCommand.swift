import AppStore
import ArgumentParser

/// A command that opens what it needs and returns what it prints.
protocol OutputCommand: AsyncParsableCommand {
    var common: SharedOptions { get }

    func output(_ settings: Settings) async throws -> Output
}

extension OutputCommand {
    func run() async throws {
        try await perform {
            try await output(try Settings(common)).print(asJSON: common.json)
        }
    }
}

/// What a command prints, as JSON and as text, and how it ends.
struct Output {
    let json: ((inout JSONWriter) -> Void)?
    let text: () -> String
    private let notes: () -> [String]
    let failure: (any Error)?

    /// - Parameters:
    ///   - json: writes one value; nil where everything is printed already.
    ///   - text: for people, with its last line feed.
    ///   - notes: lines for standard error that the JSON includes.
    ///   - isClean: whether the exit code is 0 instead of 1.
    ///   - failure: reported after the output, instead of the exit code.
    init(
        json: ((inout JSONWriter) -> Void)?, text: @autoclosure @escaping () -> String,
        notes: @autoclosure @escaping () -> [String] = [], isClean: Bool = true,
        failure: (any Error)? = nil
    ) {
        self.json = json
        self.text = text
        self.notes = notes
        self.failure = failure ?? (isClean ? nil : Output.negative)
    }

    init(
        text: @autoclosure @escaping () -> String,
        notes: @autoclosure @escaping () -> [String] = [], isClean: Bool = true,
        failure: (any Error)? = nil, members: @escaping (inout JSONWriter) -> Void
    ) {
        self.init(
            json: { $0.object(members) }, text: text(), notes: notes(), isClean: isClean,
            failure: failure)
    }

    /// The output of a command that printed while it ran.
    static func printed(isClean: Bool = true) -> Output {
        Output(json: nil, text: "", isClean: isClean)
    }

    private static let negative = ExitCode(CommandFailure.Exit.negative.rawValue)

    /// Prints it after everything else that the command does. Where standard output cannot be
    /// written, the error says so, or is the earlier failure.
    func print(asJSON: Bool) throws {
        do {
            if asJSON, let json {
                try Terminal.out(json)
            } else {
                for note in notes() { Terminal.note(note) }
                try Terminal.out(text())
            }
        } catch let error as CommandFailure {
            if let failure, !(failure is ExitCode) { throw failure }
            throw CommandFailure(
                error.code, "\(error.message) Everything else that the command does was done.",
                error.exit)
        }
        if let failure { throw failure }
    }
}
