import AppStore
import ArgumentParser
import Simulator

extension SimulateCommand {
    struct NotifyCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "notify",
            abstract: "Post the notifications of seeded lives to a server, as Apple does.",
            discussion: """
                Sends what `simulate history` writes for the same --seed and --chains, in \
                simulated time up to now (or --until), and retries after 1, 12, 24, 48 and 72 \
                simulated hours whatever is not answered with 200 to 206. Simulated hours pass \
                at once. --faults names delivery faults: a JSON list of rules such as \
                {"fault":"refused","status":503,"type":"DID_RENEW",\
                "from":1,"count":5,"attempts":2}; \
                the faults are lost, late and duplicated (with milliseconds), reordered, dropped, \
                refused (with status) and unreachable. --rough draws all of them from a seed. With \
                --port the App Store Server API is served as well, reports the outcome of every \
                attempt, and runs until it is stopped. The directory holds the authority: trust \
                its root.der.
                """)

        @Option(help: ArgumentHelp("The URL to post to.", valueName: "url"))
        var to: String

        @Option(help: "Skip what was signed before this (default: skip nothing).")
        var from: String?

        @Option(
            help: """
                Skip what arrives later (default: now; lives last for years, and the store's clock \
                follows them).
                """)
        var until: String?

        @Option(
            help: ArgumentHelp("Delivery faults and when they occur: JSON.", valueName: "file"),
            completion: .file())
        var faults: String?

        @Option(help: ArgumentHelp("Draw faults of every kind from a seed.", valueName: "seed"))
        var rough: UInt64?

        @Option(help: "Also serve the App Store Server API on this port; 0 takes a free one.")
        var port: Int?

        @OptionGroup var store: SimulatedStoreOptions
        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            try requirePort(port)
            let url = try SimulatedStoreOptions.address(to)
            let books = try store.books(settings)
            let attempts = AttemptLog()
            let notifier = Notifier(
                books: books, attempts: attempts, faults: try deliveryFaults(),
                from: try from.map { try MomentOptions.time($0, "--from") })
            let now = Terminal.now
            let end = try until.map { try MomentOptions.time($0, "--until") } ?? now
            let time = SimulatedClock(from: min(notifier.nextArrival ?? now, end))
            let kept = try store.keys()
            let delivery = SimulatedDelivery(
                notifier: notifier,
                signer: DeliverySigner(authority: kept.authority), time: time, url: url,
                end: end, rest: min(end, now), lifeCount: books.chainCount, isJSON: common.json)
            let setup = SimulatedAPI.Setup(
                books: books, key: kept.key, authority: kept.authority, attempts: attempts,
                storeClock: { time.now }, clock: { Terminal.now })
            try await ServerCommand.serve(
                setup, store.authority, port: port, beside: delivery, isJSON: common.json)
            return .printed()
        }

        // MARK: Options

        private func deliveryFaults() throws(CommandFailure) -> DeliveryFaults {
            var found = DeliveryFaults()
            found.outages = try store.statedOutages()
            found.chance = rough.map { RandomDeliveryFaults(seed: $0, isRough: true) }
            found.rules = try SimulatedStoreOptions.script(faults)
            return found
        }
    }
}
