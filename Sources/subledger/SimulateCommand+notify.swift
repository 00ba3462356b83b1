import AppStore
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Simulator
import UnixSignals

extension SimulateCommand {
    struct NotifyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "notify",
            abstract: "Post the notifications of seeded lives to a server, as Apple does.",
            discussion: """
                Sends what `simulate history` tells with the same --seed and --chains, in the time \
                of the lives up to now (or --until), and tries again after 1, 12, 24, 48 and 72 \
                hours of it what is not answered with 200 to 206. Nothing is waited for unless \
                --speed says how many seconds of the lives pass in one of yours. --faults names \
                what goes wrong on the way: a JSON list of rules such as {"fault":"refused",\
                "status":503,"type":"DID_RENEW","from":1,"count":5,"attempts":2}; the faults are \
                lost, late and duplicated (with milliseconds), reordered, dropped, refused (with \
                status) and unreachable. --rough draws them all from a seed. With --port the App \
                Store Server API is served beside it, knows what became of every attempt, and stays \
                until it is stopped. The directory holds the authority: root.der is to be trusted.
                """)

        @Option(help: ArgumentHelp("Where Apple would post to.", valueName: "url"))
        var to: String

        @Option(help: "Seconds of the lives in one of yours (default: nothing is waited for).")
        var speed: Double?

        @Option(help: "What was signed before is not sent (default: from the first on).")
        var from: String?

        @Option(
            help: """
                What would arrive later is not sent (default: now; lives go on for years, and the \
                store's time goes where they go).
                """)
        var until: String?

        @Option(
            help: ArgumentHelp("What goes wrong on the way, and when: JSON.", valueName: "file"))
        var faults: String?

        @Option(help: ArgumentHelp("Draws faults of every kind from a seed.", valueName: "seed"))
        var rough: UInt64?

        @Option(help: "Also serves the App Store Server API there; 0 takes a free port.")
        var port: Int?

        @OptionGroup var store: SimulatedStoreOptions
        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let url = try address()
                let books = try store.books(settings)
                let attempts = AttemptBook()
                let notifier = Notifier(
                    books: books, attempts: attempts, faults: try deliveryFaults(),
                    from: try from.map { try StatedTime.read($0, "from") })
                let (now, speed) = (Console.now, try statedSpeed())
                let end = try until.map { try StatedTime.read($0, "until") } ?? now
                let time = StoreTime(
                    from: min(notifier.nextArrival ?? now, end), speed: speed, until: end)
                let kept = try store.keys()
                let progress = ProgressLine()
                let isJSON = common.json
                let delivery = SimulatedDelivery(
                    notifier: notifier,
                    signer: DeliverySigner(authority: kept.authority), time: time, url: url,
                    end: end, rest: speed == nil ? min(end, now) : nil,
                    report: { moment in progress.show("notify: \(moment.rfc3339)") },
                    finished: { tally in
                        progress.end()
                        try? Console.out(
                            NotifyCommand.report(
                                tally, books, attempts, until: end, isJSON: isJSON))
                    })
                let setup = SimulatedAPI.Setup(
                    books: books, key: kept.key, authority: kept.authority, attempts: attempts,
                    storeClock: { time.now }, clock: { Console.now })
                try await serve(delivery, setup)
            }
        }

        // MARK: Serving

        /// Runs the deliveries, and the API for as long as nobody stops it.
        private func serve(
            _ delivery: SimulatedDelivery, _ setup: SimulatedAPI.Setup
        ) async throws {
            let logger = Logger(label: "subledger.simulate") { _ in SwiftLogNoOpLogHandler() }
            typealias Hosted = ServiceGroupConfiguration.ServiceConfiguration
            var services: [Hosted] = []
            if let port {
                let (directory, isJSON) = (store.authority, common.json)
                let server = SimulatedServer(SimulatedAPI(setup), port: port, logger: logger) {
                    port in
                    try? Console.out(
                        ServerCommand.greeting(setup, directory, port: port, isJSON: isJSON))
                }
                services.append(Hosted(service: server))
            }
            services.append(
                Hosted(
                    service: delivery,
                    successTerminationBehavior: port == nil ? .gracefullyShutdownGroup : .ignore))
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: services, gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: logger))
            do { try await group.run() } catch {
                guard let port else { throw error }
                throw CommandFailure(
                    code: "portUnavailable",
                    message: "127.0.0.1:\(port) cannot be listened on; choose another --port.",
                    exit: .io)
            }
        }

        // MARK: Options

        private func address() throws(CommandFailure) -> String {
            guard let url = URL(string: to), ["http", "https"].contains(url.scheme ?? ""),
                url.host?.isEmpty == false
            else {
                throw CommandFailure(
                    code: "invalidOption",
                    message: "--to takes the whole address, e.g."
                        + " http://127.0.0.1:8080/appstore/notifications.", exit: .usage)
            }
            return to
        }

        private func statedSpeed() throws(CommandFailure) -> Double? {
            guard let speed else { return nil }
            guard speed > 0, speed.isFinite else {
                throw CommandFailure(
                    code: "invalidOption", message: "--speed takes a number above 0.",
                    exit: .usage)
            }
            return speed
        }

        private func deliveryFaults() throws(CommandFailure) -> DeliveryFaults {
            var found = DeliveryFaults()
            found.outages = try store.statedOutages()
            found.chance = rough.map { DeliveryChance.rough(seed: $0) }
            found.rules = try SimulatedStoreOptions.script(faults) {
                (bytes) throws(ServedFaultRule.ScriptProblem) in
                try DeliveryFaultRule.script(bytes)
            }
            return found
        }

        // MARK: Telling

        private static func report(
            _ tally: Notifier.Tally, _ books: ServedBooks, _ attempts: AttemptBook,
            until end: Timestamp, isJSON: Bool
        ) -> String {
            guard isJSON else {
                return """
                    \(tally.notifications) notifications of \(books.chainCount) lives up to \
                    \(end.rfc3339): \(tally.attempts) attempts, \(tally.handedOver) handed over, \
                    \(tally.failed) failed, \(tally.lost) lost unnoticed, \
                    \(tally.givenUp) given up, \(attempts.failedCount) never taken

                    """
            }
            var json = JSONWriter()
            json.object { json in
                json.member("notifications", tally.notifications)
                json.member("lives", books.chainCount)
                json.member("until", end)
                json.member("attempts", tally.attempts)
                json.member("handedOver", tally.handedOver)
                json.member("failed", tally.failed)
                json.member("lost", tally.lost)
                json.member("givenUp", tally.givenUp)
                json.member("neverTaken", attempts.failedCount)
            }
            json.newline()
            return json.string
        }
    }
}
