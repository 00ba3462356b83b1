import AppStore
import AppStoreAPI
import ArgumentParser
import Foundation
import Intake
import Ledger
import Logging
import Projection
import Proofs
import Queries
import Service
import ServiceLifecycle
import Simulator
import Web

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A simulated App Store, the service and an outage, all on loopback.",
        discussion: """
            Ingests two years of simulated customers, except for three days of lost notifications; \
            then `recover` closes the gap. The service and the simulated \
            App Store Server API keep running until Ctrl-C.
            """)

    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("The demo's directory.", valueName: "dir"),
        completion: .directory)
    var directory = "./subledger-demo"

    @Option(help: "Number of simulated customers.")
    var chains = 2_000

    @Option(help: "Seed of the lives (0 to 1000000).")
    var seed: UInt64 = 0

    @Option(help: "The service's port; 0 takes a free one.")
    var port = 8080

    @Flag(help: "Exit after the recovery instead of serving.")
    var once = false

    func run() async throws {
        try await perform {
            guard chains > 0, seed <= HistoryPlan.maximumSeed else {
                throw CommandFailure.invalidOption(
                    "--chains is 1 or more, --seed at most \(HistoryPlan.maximumSeed).")
            }
            try requirePort(port)
            let place = try DemoDirectory(directory)
            let authority = try Authority()
            let key = try ServedKey()
            let world = DemoWorld(chainCount: chains, seed: seed, now: Terminal.now)
            try place.write(authority.rootDER, to: DemoDirectory.root)
            try place.write(key.pem, to: DemoDirectory.key)
            let auditKey = try NoteSignerKey(name: DemoDirectory.origin)
            try place.write(Array("\(auditKey.secretText)\n".utf8), to: DemoDirectory.auditKey)
            let reported = try place.notifications(of: world, signedBy: authority)
            try Terminal.out(
                """
                \(chains) simulated customers, two years: \(reported.arrivedCount) notifications arrived
                (and \(reported.otherCount) transactions and statuses from other sources);
                \(reported.lostCount) were lost in an outage from \(world.outage.lowerBound.rfc3339)
                to \(world.outage.upperBound.rfc3339).


                """)
            var setup = SimulatedAPI.Setup(
                books: world.books, key: key, authority: authority,
                storeClock: { Terminal.now }, clock: { Terminal.now })
            setup.rateWindowMilliseconds = nil
            let window = recovered(world.outage)
            let (id, isOnce, servicePort) = (world.books.someIds(1).first ?? "", once, port)
            try await SimulatedServer.whileServing(SimulatedAPI(setup)) { applePort in
                try place.configure(key: key, applePort: applePort)
                try await DemoCommand.serve(
                    place, id: id, applePort: applePort, port: servicePort, isOnce: isOnce,
                    window: window)
            }
        }
    }

    /// With fewer customers, days pass without a notification even without an outage, so detection
    /// finds nothing and the window is stated.
    static let noticedChainCount = 1_500

    private func recovered(_ outage: ClosedRange<Timestamp>) -> [String] {
        guard chains < DemoCommand.noticedChainCount else { return ["--suggested"] }
        return ["--from", outage.lowerBound.rfc3339, "--to", outage.upperBound.rfc3339]
    }

    // MARK: Serving

    private static func serve(
        _ place: DemoDirectory, id: String, applePort: Int, port: Int, isOnce: Bool,
        window: [String]
    ) async throws {
        var settings = try Settings(SharedOptions.parse(place.options))
        settings.configuration.server.port = port
        // The demo runs the recovery as a command.
        settings.configuration.server.recovers = false
        let metrics = ServiceMetrics()
        let logger = Logger(label: "subledger.demo") { _ in SwiftLogNoOpLogHandler() }
        let host = try await LedgerHost.open(
            settings.configuration, environments: settings.servedEnvironments,
            roots: try settings.trustedRoots(),
            observer: ServiceObserver(logger: logger, metrics: metrics)
        ) { Terminal.now }
        let transport = HTTPTransport()
        try await closing(transport.close) {
            let clients = try settings.clients(of: settings.configuration.apps, transport)
            host.reach.use(clients, host.answerLedgers())
            let (ports, announced) = AsyncStream.makeStream(of: Int.self)
            let show = DemoRun(
                place: place, id: id, applePort: applePort, isOnce: isOnce, window: window,
                ports: ports)
            let service = try WebService(host: host, metrics: metrics, logger: logger)
            // The demo ends with its terminal, and leaves no lock behind.
            try await service.run(with: [show], trapsHangup: false) { port in
                announced.yield(port)
                announced.finish()
            }
        }
    }
}

/// The demo's directory: files of an earlier demo are removed; a directory with other files is
/// refused.
struct DemoDirectory: Sendable {
    let path: String

    static let root = "root.der"
    static let key = "AuthKey.p8"
    static let auditKey = "audit.key"
    /// The app of the simulated customers.
    static let (bundleId, appAppleId) = ("com.example.app", "1234567890")
    /// The name of the demo's log.
    static let origin = "demo.example.com/subledger/production"
    static let notifications = "notifications.ndjson"
    static let configuration = "subledger.yaml"
    /// Marks a directory as created by the demo.
    static let marker = ".subledger-demo"
    /// Files the demo creates, and may therefore remove.
    static let files = [
        "production", "sandbox", notifications, root, key, auditKey, configuration,
    ]

    init(_ directory: String) throws {
        let files = FileManager.default
        let place = URL(filePath: directory).standardizedFileURL
        path = place.path
        try files.createDirectory(at: place, withIntermediateDirectories: true)
        let content = try files.contentsOfDirectory(atPath: path)
        guard content.isEmpty || content.contains(DemoDirectory.marker) else {
            throw CommandFailure(
                "directoryInUse",
                "\(directory) holds files the demo did not create; name another"
                    + " directory with --data.", .io)
        }
        try DemoDirectory.lock(file(DemoDirectory.marker), in: directory)
        for name in DemoDirectory.files where content.contains(name) {
            try files.removeItem(at: place.appending(path: name))
        }
    }

    /// Creates the marker and locks it until the process ends, so that no other demo removes the
    /// files of this one.
    private static func lock(_ marker: String, in directory: String) throws(CommandFailure) {
        let descriptor = open(marker, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("ioError", "\(marker) cannot be written; check the path.", .io)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            close(descriptor)
            throw CommandFailure(
                "directoryInUse",
                "A demo runs in \(directory); stop it, or name another directory with --data.",
                .io)
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Options of every command the demo runs: one for each variable, so that none leads into the
    /// operator's own ledger.
    var options: [String] {
        statedOptions + [
            "--data", path, "--database", "", "--environment", "production",
            "--bundle-id", DemoDirectory.bundleId, "--app-apple-id", DemoDirectory.appAppleId,
            "--trust-root", file(DemoDirectory.root),
        ]
    }

    /// Options of the commands the demo prints: enough where no variable is set.
    var statedOptions: [String] { ["--config", file(DemoDirectory.configuration)] }

    /// Writes a file that only its owner can read.
    func write(_ bytes: [UInt8], to name: String) throws {
        try PrivateFile.replace(file(name), bytes)
    }

    /// Writes the notifications that arrived.
    func notifications(
        of world: DemoWorld, signedBy authority: Authority
    ) throws -> DemoWorld.Delivered {
        try write([], to: DemoDirectory.notifications)
        let output = try FileHandle(
            forWritingTo: URL(filePath: file(DemoDirectory.notifications)))
        defer { try? output.close() }
        return try world.emit(signedBy: authority) { try output.write(contentsOf: $0) }
    }

    /// A text as a double-quoted scalar, which a string of JSON is.
    private static func yaml(_ text: String) -> String {
        String(decoding: text.encoded(), as: UTF8.self)
    }

    func configure(key: ServedKey, applePort: Int) throws {
        let text = """
            # Written by `subledger demo`. Root and key are disposable; Apple is simulated.
            dataDirectory: \(DemoDirectory.yaml(path))
            apps:
              - bundleId: \(DemoDirectory.bundleId)
                appAppleId: \(DemoDirectory.appAppleId)
                api:
                  keyId: \(key.keyId)
                  issuerId: \(key.issuerId)
                  privateKeyFile: \(DemoDirectory.yaml(file(DemoDirectory.key)))
                  baseUrl: "http://127.0.0.1:\(applePort)"
            trustedRoots: [\(DemoDirectory.yaml(file(DemoDirectory.root)))]
            # Apple does not state how long these last.
            products:
              com.example.pass: { duration: P30D }
              com.example.season: { duration: P1M }
            audit:
              origin: \(DemoDirectory.origin)
              keyFile: \(DemoDirectory.yaml(file(DemoDirectory.auditKey)))

            """
        try write(Array(text.utf8), to: DemoDirectory.configuration)
    }
}

/// Runs the demo's commands once the service listens, then waits for shutdown.
struct DemoRun: Service {
    let place: DemoDirectory
    /// The subscription to show.
    let id: String
    let applePort: Int
    let isOnce: Bool
    /// Options that name the window to recover.
    let window: [String]
    let ports: AsyncStream<Int>

    func run() async throws {
        var port: Int?
        for await announced in ports { port = announced }
        guard let port else { return }
        try await step(["ingest", place.file(DemoDirectory.notifications)])
        try await step(["recover"] + window)
        try await step(["audit", "verify"])
        try await hint(port)
        // Shuts down as on SIGTERM.
        if isOnce { kill(getpid(), SIGTERM) }
        try? await gracefulShutdown()
    }

    /// Prints a command as it would be typed, and runs it.
    private func step(_ arguments: [String]) async throws {
        let stated = arguments + place.statedOptions
        try Terminal.out("$ subledger \(stated.map(\.shellWord).joined(separator: " "))\n")
        try await Subledger.run(arguments + place.options)
        try Terminal.out("\n")
    }

    /// Five next steps. After a demo that ends here, only those that need neither the service nor
    /// the simulated App Store.
    private func hint(_ port: Int) async throws {
        let binary = (CommandLine.arguments.first ?? "subledger").shellWord
        let config = place.statedOptions.map(\.shellWord).joined(separator: " ")
        let database = place.file("production/projections.sqlite").shellWord
        let since = Terminal.now.advanced(byMilliseconds: -DemoRun.reportMilliseconds)
        let timeline = "\(binary) timeline \(id) \(config)"
        let churn = "\(binary) churn --from \(since.rfc3339.prefix(10)) \(config)"
        let sql =
            "sqlite3 -readonly \(database)"
            + " 'SELECT state, count(*) FROM current_subscriptions GROUP BY state'"
        let own = "README.md, \"Your own data\": your notifications instead of simulated ones"
        let links = try await consoleLinks(port)
        let head: String
        let steps: [String]
        if isOnce {
            head = "The service and the simulated App Store stop now; the ledger remains. Next:"
            let proof = "\(binary) export events --after 0 --evidence \(config) | head -1"
            steps = [timeline, churn, proof, sql, own]
        } else {
            head = """
                The service listens on http://127.0.0.1:\(port), the simulated App Store Server API on
                http://127.0.0.1:\(applePort); Ctrl-C ends both. The console, in a browser:
                \(links.map { "  \($0)\n" }.joined())Next, in another terminal:
                """
            let overHTTP = "curl -s http://127.0.0.1:\(port)/v1/subscriptions/\(id)"
            steps = [timeline, overHTTP, own]
        }
        try Terminal.out("\(head)\n" + steps.map { "  \($0)\n" }.joined())
    }

    /// The first page, and three worth looking at: a customer whose payment failed, one who was
    /// refunded, and churn.
    private func consoleLinks(_ port: Int) async throws -> [String] {
        var wanted: [ChainState: String] = [.billingRetry: "", .revoked: ""]
        let settings = try Settings(SharedOptions.parse(place.options))
        try await settings.withSession { session in
            var cursor: ChainCursor?
            let now = Moment(at: nil, now: Terminal.now)
            while wanted.values.contains(""),
                let reading = try await session.snapshot.next(after: &cursor, moment: now)
            {
                let holders = reading.life.holders.holders(at: now.at)
                let (state, reason) = (reading.answer.state, reading.answer.endReason)
                guard wanted[state] == "", state != .revoked || reason == .refund,
                    let holder = holders.first
                else { continue }
                wanted[state] = holder.customer.rawValue
            }
        }
        let home = "http://127.0.0.1:\(port)/console/production"
        let customers = [ChainState.billingRetry, .revoked].compactMap { wanted[$0] }
            .filter { !$0.isEmpty }
        return ["\(home)/"] + customers.map { "\(home)/customers/\($0)" }
            + ["\(home)/reports/churn"]
    }

    /// How far back the suggested report begins: a quarter.
    private static let reportMilliseconds: Int64 = 92 * 86_400_000
}
