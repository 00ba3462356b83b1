public import AppStore

/// A fault that a script can name.
public protocol ScriptedFault: Sendable, Equatable {
    /// What a rule can be limited to.
    associatedtype Subject: RawRepresentable<String>, Sendable, Hashable
    /// The member of a rule that names a subject, and its name in messages.
    static var subjectKey: String { get }
    static var subjectName: String { get }
    /// Further members of a rule.
    static var keys: Set<String> { get }
    /// The forms of a fault, for messages.
    static var forms: String { get }
    /// Nil unless the rule has one of the forms.
    static func read(_ entry: JSONValue) -> Self?
}

/// Selects what gets a fault, without randomness.
public struct FaultRule<Fault: ScriptedFault>: Sendable, Equatable {
    /// Only this subject, counted separately; nil: all, counted together.
    public var only: Fault.Subject?
    /// The first affected one, from 1.
    public var from = 1
    /// Number of affected ones; nil for all from there on.
    public var count: Int?
    /// Affects every nth from there on.
    public var every = 1
    /// Number of affected attempts of each, from the first; for deliveries.
    public var attempts = 1
    public var fault: Fault

    /// A rule for all of a subject, unless limited.
    public init(
        _ fault: Fault, only: Fault.Subject? = nil, from: Int = 1, count: Int? = nil,
        every: Int = 1
    ) {
        self.fault = fault
        self.only = only
        (self.from, self.count, self.every) = (from, count, max(1, every))
    }

    /// Whether the `number`-th is affected.
    func hits(_ number: Int) -> Bool {
        guard number >= from, (number - from) % every == 0 else { return false }
        return count.map { (number - from) / every < $0 } ?? true
    }
}

/// An invalid script: the rule, counted from 1, and the reason.
public struct FaultScriptProblem: Error, Sendable, CustomStringConvertible {
    public let rule: Int
    public let reason: String

    public var description: String { rule == 0 ? reason : "Rule \(rule): \(reason)" }
}

extension FaultRule {
    /// Reads a script: a JSON list of
    /// `{"fault":"rateLimited","milliseconds":1500,"endpoint":"transactionInfo","from":1,"count":2}`.
    public static func script(_ bytes: [UInt8]) throws(FaultScriptProblem) -> [FaultRule] {
        guard let list = (try? JSONValue.parse(bytes))?.array else {
            throw FaultScriptProblem(rule: 0, reason: "A script is a JSON list of rules.")
        }
        return try list.enumerated().map { (index, entry) throws(FaultScriptProblem) in
            try rule(entry, index + 1)
        }
    }

    private static func rule(
        _ entry: JSONValue, _ number: Int
    ) throws(FaultScriptProblem) -> FaultRule {
        func problem(_ reason: String) -> FaultScriptProblem {
            FaultScriptProblem(rule: number, reason: reason)
        }
        func count(_ key: String) throws(FaultScriptProblem) -> Int? {
            guard let value = entry[key] else { return nil }
            guard let count = value.int64, count >= 1 else {
                throw problem("\(key) must be 1 or more.")
            }
            return Int(count)
        }
        let keys = Fault.keys.union(["fault", Fault.subjectKey, "from", "count", "every"])
        if let stray = entry.object?.first(where: { !keys.contains($0.key) }) {
            throw problem("Unknown key \(stray.key).")
        }
        guard let fault = Fault.read(entry) else {
            throw problem("fault must be \(Fault.forms).")
        }
        var rule = FaultRule(fault)
        if let name = entry[Fault.subjectKey] {
            rule.only = name.string.flatMap { Fault.Subject(rawValue: $0) }
            guard rule.only != nil else {
                throw problem("Unknown \(Fault.subjectName) \(name.string ?? "of that form").")
            }
        }
        rule.from = try count("from") ?? 1
        rule.every = try count("every") ?? 1
        rule.attempts = try count("attempts") ?? 1
        rule.count = try count("count")
        return rule
    }
}
