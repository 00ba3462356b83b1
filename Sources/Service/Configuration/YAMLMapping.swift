import AppStore
internal import Intake
import Ledger
internal import Projection
import Yams

/// One mapping of a YAML file, read key by key. An unread key is an error, so that typos are not
/// ignored silently.
struct YAMLMapping {
    /// The keys, in the order of the file.
    let keys: [String]
    /// By key: a mapping of Yams is searched from its end to its start.
    private let values: [String: Node]
    let path: String
    private var readKeys: Set<String> = []

    init(_ node: Node, path: String) throws(ConfigurationError) {
        func fault(_ reason: String) -> ConfigurationError {
            ConfigurationError(.invalidValue, key: path.isEmpty ? "file" : path, reason: reason)
        }
        guard let mapping = node.mapping else { throw fault("A mapping is expected.") }
        // A key that is itself a list, a mapping or null is no setting, and an error could not name
        // it.
        guard mapping.keys.allSatisfy({ $0.scalar?.string.isEmpty == false }) else {
            throw fault("A mapping's keys must be names.")
        }
        keys = mapping.keys.compactMap { $0.scalar?.string }
        values = Dictionary(zip(keys, mapping.values)) { first, _ in first }
        // Yams treats 1 and "1" as different keys.
        guard values.count == keys.count else { throw fault("A mapping has a key twice.") }
        self.path = path
    }

    /// The content of a YAML text, with or without a byte order mark; nil for an empty one.
    static func root(of text: String) throws -> Node? {
        let isMarked = text.unicodeScalars.first == "\u{FEFF}"
        return try Yams.compose(yaml: isMarked ? String(text.unicodeScalars.dropFirst()) : text)
    }

    func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// The error for a key whose value is not valid.
    func invalid(_ key: String, _ reason: String) -> ConfigurationError {
        ConfigurationError(.invalidValue, key: name(key), reason: reason)
    }

    mutating func node(_ key: String) -> Node? {
        readKeys.insert(key)
        guard let found = values[key] else { return nil }
        return found.null == nil ? found : nil
    }

    mutating func isList(_ key: String) -> Bool { node(key)?.sequence != nil }

    mutating func mapping(_ key: String) throws(ConfigurationError) -> YAMLMapping? {
        guard let node = node(key) else { return nil }
        return try YAMLMapping(node, path: name(key))
    }

    /// As `mapping`, but an empty mapping, not nil, for a key without a value.
    mutating func presentMapping(_ key: String) throws(ConfigurationError) -> YAMLMapping? {
        if let found = try mapping(key) { return found }
        return values[key] == nil ? nil : try YAMLMapping([:], path: name(key))
    }

    /// The result of `body`, which must read the whole mapping; nil where the key is absent. A key
    /// with nothing below it is an empty mapping: its settings may be commented out by mistake.
    mutating func read<Value>(
        _ key: String, _ body: (inout YAMLMapping) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
        guard var mapping = try presentMapping(key) else { return nil }
        let value = try body(&mapping)
        try mapping.requireNothingElse()
        return value
    }

    mutating func mappings(_ key: String) throws(ConfigurationError) -> [YAMLMapping] {
        var found: [YAMLMapping] = []
        for (index, node) in try sequence(key).enumerated() {
            found.append(try YAMLMapping(node, path: "\(name(key))[\(index)]"))
        }
        return found
    }

    private mutating func sequence(_ key: String) throws(ConfigurationError) -> [Node] {
        guard let node = node(key) else { return [] }
        guard let sequence = node.sequence else {
            throw invalid(key, "A list is expected.")
        }
        return Array(sequence)
    }

    mutating func text(_ key: String) throws(ConfigurationError) -> String? {
        guard let node = node(key) else { return nil }
        guard let text = node.scalar?.string else {
            throw invalid(key, "A single value is expected.")
        }
        return text
    }

    mutating func required(_ key: String) throws(ConfigurationError) -> String {
        guard let text = try text(key), !text.isEmpty else {
            throw ConfigurationError(.missingKey, key: name(key), reason: "It is required.")
        }
        return text
    }

    /// The value that `read` parses from the text; nil where the key is absent.
    ///
    /// - Parameter expected: the reason of the error where `read` returns nil.
    mutating func value<Value>(
        _ key: String, _ expected: String, _ read: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let text = try text(key) else { return nil }
        guard let value = read(text) else { throw invalid(key, expected) }
        return value
    }

    /// A text of which `isValid` holds.
    mutating func text(
        _ key: String, _ expected: String, where isValid: (String) -> Bool
    ) throws(ConfigurationError) -> String? {
        try value(key, expected) { isValid($0) ? $0 : nil }
    }

    mutating func integer(_ key: String) throws(ConfigurationError) -> Int64? {
        try value(key, "A whole number is expected.") { Int64($0) }
    }

    /// An environment, by the name of its directory in any case, as everywhere.
    mutating func environment(_ key: String) throws(ConfigurationError) -> Environment? {
        try value(key, "One of production, sandbox, xcode, localTesting.") {
            EnvironmentLedger.environment(named: $0)
        }
    }

    /// The start, in UTC, of a day of the Gregorian calendar, e.g. `2026-01-31`, that is the value
    /// of a key or the key itself.
    func day(_ text: String, at key: String) throws(ConfigurationError) -> Timestamp {
        guard let moment = Timestamp(userInput: text), moment.date.text == text else {
            throw invalid(key, "A day is expected, e.g. 2026-01-31.")
        }
        return moment
    }

    mutating func day(_ key: String) throws(ConfigurationError) -> Timestamp {
        try day(try required(key), at: key)
    }

    mutating func period(_ key: String) throws(ConfigurationError) -> ISO8601Period? {
        try value(key, "An ISO 8601 duration is expected, e.g. P1M, P30D or PT2H.") {
            $0 == "0" ? ISO8601Period() : ISO8601Period($0)
        }
    }

    /// As `period`, without months and years, in milliseconds.
    mutating func duration(_ key: String) throws(ConfigurationError) -> Int64? {
        guard let period = try period(key) else { return nil }
        guard period.months == 0 else {
            throw invalid(key, "Days, hours, minutes or seconds are expected, e.g. PT2H.")
        }
        return (period.days * 86_400 + period.seconds) * 1_000
    }

    /// Whether the value is `on` rather than `off`; nil when it is absent.
    mutating func isOn(_ key: String) throws(ConfigurationError) -> Bool? {
        try value(key, "on or off.") { ["on": true, "off": false][$0] }
    }

    mutating func texts(_ key: String) throws(ConfigurationError) -> [String] {
        var found: [String] = []
        for node in try sequence(key) {
            guard let text = node.scalar?.string else {
                throw invalid(key, "A list of single values is expected.")
            }
            found.append(text)
        }
        return found
    }

    /// The same, empty where the key is absent, which means all. Throws for a key without any,
    /// which would mean none.
    mutating func values(_ key: String) throws(ConfigurationError) -> [String] {
        let found = try texts(key)
        guard values[key] == nil || !found.isEmpty else {
            throw invalid(key, "At least one value is expected; omit the key for all.")
        }
        return found
    }

    /// Sets `value` to the choice that the key names, if it is there.
    mutating func choose<Value: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ value: inout Value
    ) throws(ConfigurationError) {
        if let text = try text(key) { value = try choice(text, of: key) }
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String, of key: String
    ) throws(ConfigurationError) -> Value {
        guard let value = Value(rawValue: text) else {
            throw invalid(
                key, "One of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return value
    }

    /// Throws for the first key that was not read.
    func requireNothingElse() throws(ConfigurationError) {
        for key in keys where !readKeys.contains(key) {
            throw ConfigurationError(
                .unknownKey, key: name(key),
                reason:
                    "Unknown setting; valid here: \(readKeys.sorted().joined(separator: ", "))."
            )
        }
    }
}
