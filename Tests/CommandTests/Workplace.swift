import Foundation
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

/// A directory in which the real binary runs, removed with the test.
final class Workplace: Sendable {
    private let directory: TemporaryDirectory
    var path: String { directory.path }
    /// Added to every command.
    let options: [String]

    /// The built binary is next to the test bundle.
    static let binary =
        Bundle.main.executableURL?.resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "subledger").path ?? "subledger"

    init(options: [String] = Evidence.options, in directory: TemporaryDirectory? = nil) throws {
        self.options = options
        self.directory = try directory ?? TemporaryDirectory()
        try write(Data(TestAuthority.shared.rootDER), to: "root.der")
    }

    /// A place whose ledger has taken in `Evidence.lines`.
    static func taken(options: [String] = Evidence.options) async throws -> Workplace {
        try await evidence.value.copied(options: options)
    }

    private static let evidence = Task { try await taken(Evidence.lines, in: .shared()) }

    /// A place whose ledger has taken these lines in.
    static func taken(
        _ lines: [String], in directory: TemporaryDirectory? = nil
    ) async throws -> Workplace {
        let place = try Workplace(in: directory)
        try place.write(lines, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        return place
    }

    /// A copy of this place, in which no command runs.
    func copied(options: [String]? = nil) throws -> Workplace {
        let copy = try Workplace(options: options ?? self.options)
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name != "root.der" {
            try FileManager.default.copyItem(atPath: file(name), toPath: copy.file(name))
        }
        return copy
    }

    func file(_ name: String) -> String { directory.file(name) }

    /// Files of the production ledger in the data directory of `options`.
    func ledgerFile(_ name: String) -> String { file("data/production/\(name)") }

    @discardableResult
    func write(_ data: Data, to name: String) throws -> String {
        try data.write(to: URL(filePath: file(name)))
        return name
    }

    @discardableResult
    func write(_ lines: [String], to name: String) throws -> String {
        try write(Data(lines.joined(separator: "\n").utf8), to: name)
    }

    // MARK: Running

    /// Runs the binary here, with the options, and waits for its end.
    func run(
        _ arguments: String..., input: String = "", variables: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(arguments + options, input: input, variables: variables)
    }

    /// Runs the binary here with exactly these arguments.
    ///
    /// Output goes into files, so that neither side blocks on the other.
    func run(
        _ arguments: [String], input: String = "", variables: [String: String] = [:]
    ) async throws -> Outcome {
        let id = UUID().uuidString
        let names = ["in", "out", "err"].map { file("\(id).\($0)") }
        defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
        try Data(input.utf8).write(to: URL(filePath: names[0]))
        for name in names[1...] { try Data().write(to: URL(filePath: name)) }
        let child = Child(
            path: Workplace.binary, arguments: arguments, directory: path,
            variables: variables.merging(Workplace.inherited) { own, _ in own },
            input: names[0], output: names[1], errors: names[2])
        return Outcome(
            code: try await child.run(),
            out: try String(contentsOfFile: names[1], encoding: .utf8),
            err: try String(contentsOfFile: names[2], encoding: .utf8))
    }

    /// The outcome of a command in this process, over the ledger here.
    func answered(_ arguments: String...) async throws -> Outcome {
        try await Outcome.answered(arguments, over: file("data"))
    }

    /// What the toolchain needs, and nothing that could configure the ledger.
    static let inherited: [String: String] = {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SUBLEDGER_") }
    }()
}
