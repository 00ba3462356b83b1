internal import AppStore
import Foundation
import Hummingbird
internal import Ledger
internal import Projection
internal import Queries
internal import Reports
internal import Service

/// The parameters of one query, read one by one. An unread parameter is an error: a misspelt
/// `knownAt` must not be ignored.
struct QueryParameters {
    private let values: [(name: String, value: String)]
    /// Whether a person may have typed the values.
    private let isForm: Bool
    /// Names that were read; not recorded when the query has no parameters.
    private var read: [String] = []

    /// Throws for a parameter that occurs twice or cannot be decoded.
    ///
    /// - Parameter isForm: a browser sent the fields of a form (WHATWG URL §5): a plus sign is a
    ///   space, as is a control character, which pasted text may have; blanks around a value do
    ///   not count, and an empty field is absent.
    init(_ query: String?, isForm: Bool = false) throws(Problem) {
        var values: [(name: String, value: String)] = []
        var names: Set<String> = []
        for pair in query?.split(separator: "&") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let text = parts.count > 1 ? parts[1] : ""
            let name = PercentCoding.decoded(parts[0])
            var value = PercentCoding.decoded(
                isForm ? text.replacing("+", with: " ") : text,
                allowing: isForm ? PercentCoding.controls : [])
            if isForm {
                value = value.map(PercentCoding.spaced)?
                    .replacing("\n", with: " ").trimmingCharacters(in: .whitespacesAndNewlines)
                if value == "" { continue }
            }
            guard let name, let value else {
                throw Problem.invalid(
                    "A parameter is not percent-encoded UTF-8, or contains a control character.")
            }
            guard names.insert(name).inserted else {
                throw Problem.invalid("A parameter is given twice.")
            }
            values.append((name, value))
        }
        self.values = values
        self.isForm = isForm
    }

    /// The arguments of a call, whose names are unique.
    init(named values: [(name: String, value: String)]) {
        self.values = values
        isForm = false
    }

    /// The result of `body`, which must read all of a request's parameters.
    static func read<Value>(
        _ request: Request, isForm: Bool = false, _ body: (inout QueryParameters) throws -> Value
    ) throws -> Value { try QueryParameters(request.uri.query, isForm: isForm).readAll(body) }

    /// The result of `body`, which must read all of these parameters.
    func readAll<Value>(_ body: (inout QueryParameters) throws -> Value) throws -> Value {
        var parameters = self
        let value = try body(&parameters)
        try parameters.requireNothingElse()
        return value
    }

    /// The value of a parameter; nil when it is absent.
    mutating func text(_ name: String) -> String? {
        guard !values.isEmpty else { return nil }
        read.append(name)
        return values.first { $0.name == name }?.value
    }

    /// A moment; nil is the present, which a form may also state as `now`. A form takes the times
    /// of pages, too.
    ///
    /// - Parameter other: what else the field takes.
    private mutating func moment(
        _ name: String, orElse other: String? = nil
    ) throws(Problem) -> Timestamp? {
        guard isForm, let text = text(name) else { return try time(name) }
        guard text != "now" else { return nil }
        if let number = Int64(plain: text), number < QueryParameters.leastMilliseconds {
            let hint =
                other != nil && number >= 0 ? " For a position write #\(number)." : ""
            throw Problem.invalid(
                "\(name) takes epoch milliseconds from \(QueryParameters.leastMilliseconds) on;"
                    + " \(number) is too small.\(hint)", code: "invalidTime")
        }
        guard let time = Timestamp(formInput: text) else {
            let forms = Timestamp.formInputs + (other.map { ", or \($0)" } ?? "")
            throw Problem.invalid("\(name) takes now, \(forms).", code: "invalidTime")
        }
        return time
    }

    /// The least number in a form that is a time, in 1973: a smaller one is a position.
    private static let leastMilliseconds: Int64 = 100_000_000_000

    /// A form takes the times of pages, too.
    mutating func time(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let time = isForm ? Timestamp(formInput: text) : Timestamp(userInput: text) else {
            let forms =
                isForm
                ? Timestamp.formInputs
                : "a day (2026-01-31), RFC 3339 (2026-01-31T23:59:59.000Z) or epoch milliseconds"
            throw Problem.invalid("\(name) takes \(forms).", code: "invalidTime")
        }
        return time
    }

    /// A moment, for which a day is one of a zone.
    mutating func time(_ name: String, of zone: ReportZone) throws(Problem) -> Timestamp? {
        guard let time = try time(name), let text = text(name) else { return nil }
        return MetricParameters.isDay(text) ? zone.start(of: time.date) : time
    }

    /// A whole number that is not negative.
    mutating func position(_ name: String) throws(Problem) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(plain: text), number >= 0 else {
            throw Problem.invalid("\(name) takes a position: a whole number that is not negative.")
        }
        return number
    }

    mutating func flag(_ name: String) throws(Problem) -> Bool {
        switch text(name) {
        case nil, "false": return false
        case "true": return true
        default:
            throw Problem.invalid("\(name) takes true or false.")
        }
    }

    /// The page size. Throws beyond the bound.
    mutating func limit(
        usually usual: Int = LedgerHost.usualPageCount,
        upTo maximum: Int = LedgerHost.maximumPageCount
    ) throws(Problem) -> Int {
        guard let text = text("limit") else { return usual }
        guard let number = Int64(plain: text), (1...Int64(maximum)).contains(number) else {
            throw Problem.invalid("limit takes 1 to \(maximum).")
        }
        return Int(number)
    }

    /// Longest list cursor, in bytes: the longest id of a chain (1,024), that of an app, and what
    /// separates them.
    static let cursorByteCount = 1_281

    /// The `next` of the previous page. Throws for any other text.
    mutating func cursor<Place>(
        _ name: String = "after", _ place: (String) -> Place?
    ) throws(Problem) -> Place? {
        guard let text = text(name) else { return nil }
        guard text.utf8.count <= QueryParameters.cursorByteCount, let place = place(text) else {
            throw Problem.invalid(
                "\(name) takes the next of the previous page, unchanged.", code: "invalidCursor")
        }
        return place
    }

    /// The direction of a timeline.
    mutating func order() throws(Problem) -> TimelineOrder { try choice("order") ?? .oldest }

    mutating func environment() throws(Problem) -> AppStore.Environment {
        try statedEnvironment() ?? .production
    }

    /// Nil when none is named.
    mutating func statedEnvironment() throws(Problem) -> AppStore.Environment? {
        guard let name = text("environment") else { return nil }
        guard let found = EnvironmentLedger.environment(named: name) else {
            throw Problem.invalid(
                "environment is production, sandbox, xcode or localTesting.",
                code: "unknownEnvironment")
        }
        return found
    }

    /// Environment and app, for queries of the log itself.
    mutating func place() throws(Problem) -> QueryScope {
        QueryScope(
            environment: try environment(), bundleId: text("bundleId").map { BundleId($0) })
    }

    /// As `place`, of a state that includes `minPosition`.
    mutating func presentScope() throws(Problem) -> QueryScope {
        var scope = try place()
        scope.minPosition = try position("minPosition")
        return scope
    }

    /// The parameters of every query at a point in time.
    mutating func scope() throws(Problem) -> QueryScope {
        var scope = try periodScope()
        scope.at = try moment("at")
        return scope
    }

    /// As `scope`, for a query over a period of time.
    mutating func periodScope() throws(Problem) -> QueryScope {
        var scope = try presentScope()
        let knownPosition = try position("knownPosition")
        // The field of a form takes a position, too.
        if isForm, let text = text("knownAt"), text.hasPrefix("#") {
            guard knownPosition == nil, let position = Int64(plain: String(text.dropFirst())),
                position >= 0
            else {
                throw Problem.invalid("As known at takes now, \(Timestamp.formInputs), or #13.")
            }
            scope.knowledge = .knownPosition(position)
            return scope
        }
        let knownAt = try moment("knownAt", orElse: "#13")
        switch (knownAt, knownPosition) {
        case (.some, .some):
            throw Problem.invalid("Give knownAt or knownPosition, not both.")
        case (let time?, nil): scope.knowledge = .knownAt(time)
        case (nil, let position?): scope.knowledge = .knownPosition(position)
        case (nil, nil): break
        }
        return scope
    }

    mutating func metric() -> MetricParameters {
        var metric = MetricParameters()
        metric.from = bound("from")
        metric.to = bound("to")
        metric.interval = text("interval")
        metric.timeZone = text("timeZone")
        metric.by = MetricParameters.list(text("by"))
        metric.filters = MetricParameters.pairs(text("where"))
        return metric
    }

    /// An end of a report's range, in a form that its reader takes: a day stays one, of the
    /// report's zone.
    private mutating func bound(_ name: String) -> String? {
        let text = text(name)
        guard isForm, let text, text.contains(" ") else { return text }
        return Timestamp(formInput: text)?.rfc3339 ?? text
    }

    /// One value of a fixed set; nil when the parameter is absent.
    mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(Problem) -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            throw Problem.invalid(
                "\(name) takes "
                    + Value.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        return value
    }

    /// The table by which amounts are converted; without one, the configured one.
    mutating func rates() throws -> RateChoice {
        switch text("rates") {
        case nil: .usual
        case RateChoice.separateName?: .separate
        case let table?: .table(try CurrencyRates(inline: table))
        }
    }

    /// The states of knowledge to compare: of one kind, two separated by a comma.
    mutating func comparedKnowledge() throws(Problem) -> [AsOf] {
        var limits: [AsOf] = []
        for text in MetricParameters.list(text("knownAt")) {
            guard let time = Timestamp(userInput: text) else {
                throw Problem.invalid(
                    "knownAt takes RFC 3339 (2026-01-31T23:59:59.000Z) or epoch"
                        + " milliseconds, or two separated by a comma.", code: "invalidTime")
            }
            limits.append(.knownAt(time))
        }
        let hasTimes = !limits.isEmpty
        for text in MetricParameters.list(text("knownPosition")) {
            guard let position = Int64(plain: text), position >= 0, !hasTimes else {
                throw Problem.invalid(
                    "knownPosition takes a position, or two separated by a comma, and"
                        + " no knownAt beside it.")
            }
            limits.append(.knownPosition(position))
        }
        return limits
    }

    /// Throws for the first parameter that no call has read.
    private func requireNothingElse() throws(Problem) {
        guard values.allSatisfy({ read.contains($0.name) }) else {
            let known = Set(read).sorted().joined(separator: ", ")
            throw Problem.invalid(
                known.isEmpty ? "It takes no parameters." : "Known parameters are \(known).",
                code: "unknownParameter")
        }
    }
}

extension Timestamp {
    /// Parses a field of a form: what a person may write anywhere (`init(userInput:)`), or a time
    /// as pages show it: `2026-01-31 23:59:59` in UTC, `2026-01-31 23:59:59+09:00` elsewhere.
    init?(formInput text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self.init(userInput: text)
            return
        }
        let time = "\(parts[0])T\(parts[1])"
        guard let moment = Timestamp(userInput: time) ?? Timestamp(userInput: time + "Z") else {
            return nil
        }
        self = moment
    }

    /// What `init(formInput:)` takes, for messages.
    static let formInputs =
        "a day (2026-01-31), a time in UTC (2026-01-31 23:59:59), RFC 3339"
        + " (2026-01-31T23:59:59.000Z) or epoch milliseconds"
}
