import AppStore
import AppStoreAPI
import ArgumentParser
import Logging
import ServiceLifecycle
import Simulator
import UnixSignals

extension SimulateCommand {
    struct ServerCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "server",
            abstract: "Serve a simulated App Store Server API on loopback.",
            discussion: """
                Serves the lives that `simulate history` writes for the same --seed and --chains, \
                with Apple's pages, windows, error numbers and rate limits, and with the faults of \
                --faults: a JSON list of rules such as \
                {"fault":"rateLimited","milliseconds":1500,\
                "endpoint":"transactionInfo","from":1,"count":2}. \
                The directory holds the authority (trust its root.der) and AuthKey.p8, created on \
                first use.
                """)

        @Option(help: "The port; 0 takes a free one.")
        var port = 8081

        @Option(help: "The simulated store's time at start (default: now).")
        var now: String?

        @Option(
            help: ArgumentHelp("Faults and when they occur: JSON.", valueName: "file"),
            completion: .file())
        var faults: String?

        @Flag(help: "No rate limits.")
        var unlimited = false

        @OptionGroup var store: SimulatedStoreOptions
        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            try requirePort(port)
            try await ServerCommand.serve(
                try setup(settings), store.authority, port: port, isJSON: common.json)
            return .printed()
        }

        /// Serves the API on the port until it is stopped, together with a delivery; without a
        /// port, only delivers.
        static func serve(
            _ setup: SimulatedAPI.Setup, _ directory: String, port: Int?,
            beside delivery: SimulatedDelivery? = nil, isJSON: Bool
        ) async throws {
            let logger = Logger(label: "subledger.simulate") { _ in SwiftLogNoOpLogHandler() }
            typealias Hosted = ServiceGroupConfiguration.ServiceConfiguration
            let transport = HTTPTransport(timeoutMilliseconds: SimulatedAPI.realtimeMilliseconds)
            var posting = setup
            posting.post = { body, url in
                (try? await transport.attempt(body, to: url)) ?? .other
            }
            var services: [Hosted] = []
            if let port {
                let server = SimulatedServer(SimulatedAPI(posting), port: port, logger: logger) {
                    port in
                    try? greeting(setup, directory, port: port).print(asJSON: isJSON)
                }
                services.append(Hosted(service: server))
            }
            if let delivery {
                services.append(
                    Hosted(
                        service: delivery,
                        successTerminationBehavior: port == nil
                            ? .gracefullyShutdownGroup : .ignore))
            }
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: services, gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: logger))
            do { try await closing(transport.close) { try await group.run() } } catch {
                guard let port else { throw error }
                throw CommandFailure(
                    "portUnavailable",
                    "Cannot listen on 127.0.0.1:\(port); choose another --port.", .io)
            }
        }

        // MARK: Setting up

        private func setup(_ settings: Settings) throws -> SimulatedAPI.Setup {
            let books = try store.books(settings)
            let outages = try store.statedOutages()
            let shift = try now.map {
                try MomentOptions.time($0, "--now").milliseconds(since: Terminal.now)
            }
            let kept = try store.keys()
            var setup = SimulatedAPI.Setup(
                books: books, key: kept.key, authority: kept.authority,
                attempts: AttemptLog(delivering: books, outages: outages),
                storeClock: { Terminal.now.advanced(byMilliseconds: shift ?? 0) },
                clock: { Terminal.now })
            if unlimited { setup.rateWindowMilliseconds = nil }
            setup.faults = try SimulatedStoreOptions.script(faults)
            return setup
        }

        // MARK: Greeting

        private static func greeting(
            _ setup: SimulatedAPI.Setup, _ directory: String, port: Int
        ) -> Output {
            let address = "http://127.0.0.1:\(port)"
            let root = "\(directory)/\(Authority.rootFileName)"
            let key = "\(directory)/\(ServedKey.fileName)"
            let ids = setup.books.someIds(3)
            let text = """
                simulated App Store Server API on \(address), \
                \(setup.books.chainCount.named("life", "lives"))
                try: subledger api statuses \(ids.first ?? "ID") --bundle-id \
                \(setup.books.bundleId) --trust-root \(root) --key-id \(setup.key.keyId) \
                --issuer-id \(setup.key.issuerId) --key-file \(key) --base-url \(address)

                """
            return Output(text: text) { json in
                json.member("port", port)
                json.member("baseUrl", address)
                json.member("bundleId", setup.books.bundleId)
                json.member("keyId", setup.key.keyId)
                json.member("issuerId", setup.key.issuerId)
                json.member("privateKeyFile", key)
                json.member("root", root)
                json.array("ids", ids)
            }
        }
    }
}
