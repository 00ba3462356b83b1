import AppStore

/// A time given as an option.
enum StatedTime {
    /// Throws, naming the option, for what is neither RFC 3339 nor epoch milliseconds.
    static func read(_ text: String, _ option: String) throws(CommandFailure) -> Timestamp {
        guard let time = Timestamp(userInput: text) else {
            throw CommandFailure(
                code: "invalidTime",
                message: "--\(option) takes RFC 3339 or milliseconds since 1970.", exit: .usage)
        }
        return time
    }
}
