import AppStore
import ArgumentParser
import Queries

/// The time and the knowledge limit of a query (`Lifecycle.md` §1).
struct MomentOptions: ParsableArguments {
    @Option(
        help:
            "The time to query: RFC 3339, a day (midnight UTC) or epoch milliseconds (default: now)."
    )
    var at: String?

    @OptionGroup var knowledge: AsOfOptions

    func moment() throws(CommandFailure) -> Moment {
        let knowledge = try knowledge.limit()
        let at: Timestamp? = if let at { try MomentOptions.time(at, "--at") } else { nil }
        return Moment(at: at, now: Terminal.now, knowledge: knowledge)
    }

    static func time(_ text: String, _ option: String) throws(CommandFailure) -> Timestamp {
        guard let time = Timestamp(userInput: text) else {
            throw CommandFailure(
                "invalidTime",
                "\(option) takes RFC 3339 (2026-01-31T23:59:59.000Z), a day (2026-01-31,"
                    + " midnight UTC) or epoch milliseconds.", .usage)
        }
        return time
    }
}
