import ArgumentParser
import Intake
import Service
import Web

struct MCPCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Answer an AI assistant over the Model Context Protocol, without writing.",
        discussion: """
            For a client that starts it: one JSON-RPC message per line on standard input and \
            output, until standard input ends. `serve` has the same at POST /mcp.
            """)

    @OptionGroup var common: SharedOptions

    /// How long a call waits for derived data that follow the log, or are rebuilt.
    private static let waitLimit: Duration = .seconds(30)

    func output(_ settings: Settings) async throws -> Output {
        // Clients start it in any directory: without a database it makes no ledger there.
        if settings.configuration.ledger.database == nil { try await settings.requireLog() }
        // The system clock, like every command: nothing signed arrives here to confirm it.
        let host = try await LedgerHost.open(
            settings.configuration, environments: [settings.environment],
            roots: try settings.trustedRoots(), steady: nil, waitLimit: MCPCommand.waitLimit
        ) { Terminal.now }
        let server = MCPServer(
            host: host, environment: settings.environment, bundleId: settings.bundleId,
            isServing: false)
        // Answers follow what other processes append.
        async let following: Void = host.run(isServing: false)
        let result: Result<Void, any Error>
        do { result = .success(try await MCPCommand.answer(server)) } catch {
            result = .failure(error)
        }
        host.stop()
        await following
        try result.get()
        return .printed()
    }

    /// Answers the lines of standard input until its end.
    private static func answer(_ server: MCPServer) async throws {
        do {
            let lines = try LineReader(path: "-", isDialogue: true)
            while let line = try await lines.next(limit: 1, byteLimit: 1).first {
                let response = await server.response(
                    toLine: line.bytes, isTooLong: line.isTooLong)
                if let response { try Terminal.out(response + [UInt8(ascii: "\n")]) }
            }
        } catch let failure as LineReader.Failure {
            throw CommandFailure("unreadableInput", "Standard input: \(failure.reason).", .io)
        }
    }
}
