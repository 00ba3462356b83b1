/// Bounds of what a client of the Model Context Protocol sends and receives, so that an answer fits
/// into the context of a language model. Longer answers are pages of the console and of HTTP.
enum MCPLimits {
    /// Longest message, in bytes: 64 KiB.
    static let messageByteCount = 64 * 1024
    /// Longest text of one argument, in bytes.
    static let argumentByteCount = QueryParameters.cursorByteCount
    /// Entries on a page of a timeline, by default and at most.
    static let usualEntryCount = 20
    static let entryCount = 50
    /// Rows of a report.
    static let rowCount = 100
    /// Longest result of a tool, in bytes: 128 KiB.
    static let resultByteCount = 128 * 1024
    /// Positions, notices and verdicts that one text lists.
    static let listedCount = 12

    /// The problem that a report is too long; nil up to the bound.
    static func problem(rowCount count: Int) -> Problem? {
        guard count > rowCount else { return nil }
        return tooLarge(
            "The report has \(count) rows, of at most \(rowCount): choose a shorter range, a longer"
                + " interval or fewer dimensions in by.")
    }

    /// The problem that a result is too long; nil up to the bound.
    static func problem(resultByteCount count: Int) -> Problem? {
        guard count > resultByteCount else { return nil }
        return tooLarge(
            "The answer has \(count) bytes, of at most \(resultByteCount): ask for less, or open it"
                + " in the console.")
    }

    private static func tooLarge(_ detail: String) -> Problem {
        Problem.invalid(detail, code: "answerTooLarge")
    }
}
