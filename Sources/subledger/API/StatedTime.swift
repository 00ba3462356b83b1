import AppStore

/// A time given as an option.
enum StatedTime {
    /// Throws, naming the option, unless it is RFC 3339, a day, or epoch milliseconds.
    static func read(_ text: String, _ option: String) throws(CommandFailure) -> Timestamp {
        guard let time = Timestamp(userInput: text) else {
            throw CommandFailure(
                code: "invalidTime",
                message: "--\(option) takes RFC 3339 (2026-01-31T23:59:59.000Z), a day (2026-01-31,"
                    + " midnight UTC) or milliseconds since 1970.", exit: .usage)
        }
        return time
    }
}
