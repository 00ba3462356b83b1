import AppStore
import ArgumentParser
import Foundation
import LedgerService
import Logging
import ServiceLifecycle
import Simulator
import UnixSignals

extension SimulateCommand {
    struct ServerCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "server",
            abstract: "The App Store Server API, simulated, on a port of this machine.",
            discussion: """
                Knows the lives that `simulate history` tells with the same --seed and --chains, \
                answers with Apple's pages, windows, numbers and rates, and fails as --faults says: \
                a JSON list of rules such as {"fault":"rateLimited","milliseconds":1500,\
                "endpoint":"transactionInfo","from":1,"count":2}. The directory holds the authority \
                (root.der is to be trusted) and AuthKey.p8, made on first use.
                """)

        @Option(help: "0 takes a free one.")
        var port = 8081

        @Option(help: "Lives.")
        var chains = 200

        @Option(help: "Names the lives (0 to 1000000).")
        var seed: UInt64 = 0

        @Option(
            help: ArgumentHelp(
                "Keeps the authority and the key, both in the clear.", valueName: "dir"))
        var authority: String

        @Option(help: "The time of the simulated store when it opens (default: now).")
        var now: String?

        @Option(help: ArgumentHelp("What goes wrong, and when: JSON.", valueName: "file"))
        var faults: String?

        @Flag(help: "No limits of rate.")
        var unlimited = false

        @Option(
            name: .customLong("outage"),
            help: ArgumentHelp(
                "Nothing Apple sent was taken then: FROM/TO; repeatable.", valueName: "from/to"))
        var outages: [String] = []

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let setup = try setup(settings)
                let directory = authority
                let isJSON = common.json
                let logger = Logger(label: "subledger.simulate") { _ in SwiftLogNoOpLogHandler() }
                let server = SimulatedServer(SimulatedAPI(setup), port: port, logger: logger) {
                    port in
                    try? Console.out(
                        ServerCommand.greeting(setup, directory, port: port, isJSON: isJSON))
                }
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [server], gracefulShutdownSignals: [.sigterm, .sigint],
                        logger: logger))
                do { try await group.run() } catch {
                    throw CommandFailure(
                        code: "portUnavailable",
                        message: "127.0.0.1:\(port) cannot be listened on; choose another --port.",
                        exit: .io)
                }
            }
        }

        // MARK: Setting up

        private func setup(_ settings: Settings) throws -> SimulatedAPI.Setup {
            guard chains > 0, seed <= HistoryPlan.maximumSeed,
                [.production, .sandbox].contains(settings.environment)
            else {
                throw CommandFailure(
                    code: "invalidOption",
                    message: "--chains is 1 or more, --seed at most \(HistoryPlan.maximumSeed), and"
                        + " lives are simulated in production and sandbox only.", exit: .usage)
            }
            let usual = SubscriberWorld()
            let app = settings.configuration.apps.first
            let plan = HistoryPlan(
                world: SubscriberWorld(
                    bundleId: app?.bundleId ?? usual.bundleId,
                    appAppleId: app?.appAppleId ?? usual.appAppleId),
                environment: settings.environment, seed: seed, limit: .chains(chains))
            let shift = try now.map {
                try StatedTime.read($0, "now").milliseconds(since: Console.now)
            }
            let (kept, key) = try keys()
            var setup = SimulatedAPI.Setup(
                books: ServedBooks(plan), key: key, authority: kept,
                storeClock: { Console.now.advanced(byMilliseconds: shift ?? 0) },
                clock: { Console.now })
            if unlimited { setup.rateWindowMilliseconds = nil }
            if !outages.isEmpty {
                let outages = try outages.map { DeliveryOutage(try outage($0)) }
                setup.attempts = AttemptBook(delivering: setup.books, outages: outages)
            }
            setup.faults = try script()
            return setup
        }

        private func keys() throws -> (Authority, ServedKey) {
            do {
                let kept = try Authority.kept(in: authority)
                return (kept, try ServedKey.kept(in: authority))
            } catch let problem as Authority.DirectoryProblem {
                throw CommandFailure(
                    code: "unusableAuthority", message: problem.description, exit: .io)
            }
        }

        private func outage(_ text: String) throws(CommandFailure) -> ClosedRange<Timestamp> {
            let parts = text.split(separator: "/").map(String.init)
            guard parts.count == 2 else {
                throw CommandFailure(
                    code: "invalidOption", message: "--outage takes FROM/TO.", exit: .usage)
            }
            let (from, to) = (
                try StatedTime.read(parts[0], "outage"), try StatedTime.read(parts[1], "outage")
            )
            guard from <= to else {
                throw CommandFailure(
                    code: "invalidOption", message: "--outage ends before it begins.",
                    exit: .usage)
            }
            return from...to
        }

        private func script() throws(CommandFailure) -> [ServedFaultRule] {
            guard let faults else { return [] }
            guard let data = FileManager.default.contents(atPath: faults) else {
                throw CommandFailure(
                    code: "unreadableInput", message: "\(faults) cannot be read.", exit: .io)
            }
            do throws(ServedFaultRule.ScriptProblem) {
                return try ServedFaultRule.script(Array(data))
            } catch {
                throw CommandFailure(
                    code: "invalidOption", message: "\(faults): \(error)", exit: .usage)
            }
        }

        // MARK: Greeting

        private static func greeting(
            _ setup: SimulatedAPI.Setup, _ directory: String, port: Int, isJSON: Bool
        ) -> String {
            let address = "http://127.0.0.1:\(port)"
            let root = "\(directory)/\(Authority.rootFileName)"
            let key = "\(directory)/\(ServedKey.fileName)"
            let ids = setup.books.someIds(3)
            guard isJSON else {
                return """
                    simulated App Store Server API on \(address), \(setup.books.chainCount) lives
                    ask it: subledger api statuses \(ids.first ?? "ID") --bundle-id \
                    \(setup.books.bundleId) --trust-root \(root) --key-id \(setup.key.keyId) \
                    --issuer-id \(setup.key.issuerId) --key-file \(key) --base-url \(address)

                    """
            }
            var json = JSONWriter()
            json.object { json in
                json.member("port", port)
                json.member("baseUrl", address)
                json.member("bundleId", setup.books.bundleId)
                json.member("keyId", setup.key.keyId)
                json.member("issuerId", setup.key.issuerId)
                json.member("privateKeyFile", key)
                json.member("root", root)
                json.array("ids", ids)
            }
            json.newline()
            return json.string
        }
    }
}
