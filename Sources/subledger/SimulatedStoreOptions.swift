import AppStore
import ArgumentParser
import Foundation
import Intake
import Service
import Simulator

/// The simulated store of a command and its faults, shared by the commands that simulate Apple.
struct SimulatedStoreOptions: ParsableArguments {
    @Option(help: "Number of lives.")
    var chains = 200

    @Option(help: "Seed of the lives (0 to 1000000).")
    var seed: UInt64 = 0

    @Option(
        help: ArgumentHelp(
            "Directory of the authority and the key, both unencrypted.", valueName: "dir"),
        completion: .directory)
    var authority: String

    @Option(
        name: .customLong("outage"),
        help: ArgumentHelp(
            "Lose every notification in this time: FROM/TO; repeatable.", valueName: "from/to"))
    var outages: [String] = []

    @Option(
        help: ArgumentHelp(
            "When lives begin; they continue for seven months after it"
                + " (default: 2022-01-01/2026-01-01).", valueName: "from/to"))
    var firstPurchases: String?

    /// The store's contents.
    func books(_ settings: Settings) throws(CommandFailure) -> ServedRecords {
        var range = SubscriberWorld.defaultFirstPurchases
        if let firstPurchases {
            range = try SimulatedStoreOptions.range(firstPurchases, "first-purchases")
        }
        return ServedRecords(
            try settings.simulatedLives(.chains(chains), seed: seed, firstPurchases: range))
    }

    /// The signing authority and the accepted API key; both created on first use.
    func keys() throws -> (authority: Authority, key: ServedKey) {
        (try Authority.kept(in: authority), try ServedKey.kept(in: authority))
    }

    /// Times in which every notification is lost.
    func statedOutages() throws(CommandFailure) -> [DeliveryOutage] {
        try outages.map { text throws(CommandFailure) in
            DeliveryOutage(try SimulatedStoreOptions.range(text, "outage"))
        }
    }

    /// A URL to post notifications to.
    static func address(_ to: String) throws(CommandFailure) -> String {
        guard let url = URL(string: to), ["http", "https"].contains(url.scheme ?? ""),
            url.host?.isEmpty == false
        else {
            throw CommandFailure.invalidOption(
                "--to takes a full URL, e.g. http://127.0.0.1:8080/appstore/notifications.")
        }
        return to
    }

    /// A range of time, written FROM/TO.
    private static func range(
        _ text: String, _ option: String
    ) throws(CommandFailure) -> ClosedRange<Timestamp> {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 2 else {
            throw CommandFailure.invalidOption("--\(option) takes FROM/TO.")
        }
        let (from, to) = (
            try MomentOptions.time(parts[0], "--\(option)"),
            try MomentOptions.time(parts[1], "--\(option)")
        )
        guard from <= to else {
            throw CommandFailure.invalidOption("--\(option) ends before it begins.")
        }
        return from...to
    }

    static func script<Fault: ScriptedFault>(
        _ path: String?
    ) throws(CommandFailure) -> [FaultRule<Fault>] {
        guard let path else { return [] }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("unreadableInput", "\(path) cannot be read.", .io)
        }
        do throws(FaultScriptProblem) { return try FaultRule.script(Array(data)) } catch {
            throw CommandFailure.invalidOption("\(path): \(error)")
        }
    }
}

extension Settings {
    /// The seeded lives of the configured app, or of an invented one.
    func simulatedLives(
        _ limit: HistoryPlan.Limit, seed: UInt64,
        firstPurchases: ClosedRange<Timestamp> = SubscriberWorld.defaultFirstPurchases
    ) throws(CommandFailure) -> HistoryPlan {
        let count =
            switch limit {
            case .events(let count), .chains(let count): count
            }
        guard count > 0, seed <= HistoryPlan.maximumSeed,
            [.production, .sandbox].contains(environment)
        else {
            throw CommandFailure.invalidOption(
                "--chains and --events take 1 or more, --seed at most \(HistoryPlan.maximumSeed),"
                    + " and lives are simulated in production and sandbox only.")
        }
        let usual = SubscriberWorld()
        let app = configuration.apps.first
        return HistoryPlan(
            world: SubscriberWorld(
                bundleId: app?.bundleId ?? usual.bundleId,
                appAppleId: app?.appAppleId ?? usual.appAppleId,
                firstPurchases: firstPurchases,
                horizon: firstPurchases.upperBound.advanced(
                    byMilliseconds: SubscriberWorld.followedMilliseconds)),
            environment: environment, seed: seed, limit: limit)
    }
}
