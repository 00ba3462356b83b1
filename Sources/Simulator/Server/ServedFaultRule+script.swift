import AppStore

extension ServedFaultRule {
    /// An invalid script: the rule, counted from 1, and the reason.
    public struct ScriptProblem: Error, Sendable, CustomStringConvertible {
        public let rule: Int
        public let reason: String

        public var description: String {
            rule == 0 ? reason : "Rule \(rule): \(reason)"
        }
    }

    /// Reads a script: a JSON list of
    /// `{"fault":"rateLimited","milliseconds":1500,"endpoint":"transactionInfo","from":1,"count":2}`.
    public static func script(_ bytes: [UInt8]) throws(ScriptProblem) -> [ServedFaultRule] {
        guard let list = (try? JSONValue.parse(bytes))?.array else {
            throw ScriptProblem(rule: 0, reason: "A script is a JSON list of rules.")
        }
        var rules: [ServedFaultRule] = []
        for (index, entry) in list.enumerated() {
            rules.append(try rule(entry, index + 1))
        }
        return rules
    }

    private static let keys: Set<String> = [
        "fault", "endpoint", "from", "count", "every", "milliseconds", "status", "code", "bytes",
        "result",
    ]

    private static func rule(
        _ entry: JSONValue, _ number: Int
    ) throws(ScriptProblem) -> ServedFaultRule {
        if let stray = entry.object?.first(where: { !keys.contains($0.key) }) {
            throw ScriptProblem(rule: number, reason: "Unknown key \(stray.key).")
        }
        guard let fault = fault(entry) else {
            throw ScriptProblem(
                rule: number,
                reason: "fault must be rateLimited, slow or clock (with milliseconds), error"
                    + " (with code), status (with status), dropped, half, badSignature, anotherApp,"
                    + " loop, barren, garbage, delivery (with result) or oversized (with bytes).")
        }
        var rule = ServedFaultRule(fault)
        if let name = entry["endpoint"]?.string {
            guard let endpoint = ServedEndpoint(rawValue: name) else {
                throw ScriptProblem(rule: number, reason: "Unknown endpoint \(name).")
            }
            rule.endpoint = endpoint
        }
        for (key, path) in [("from", \ServedFaultRule.from), ("every", \.every)] {
            guard let value = entry[key] else { continue }
            guard let count = value.int64, count >= 1 else {
                throw ScriptProblem(rule: number, reason: "\(key) must be 1 or more.")
            }
            rule[keyPath: path] = Int(count)
        }
        if let value = entry["count"] {
            guard let count = value.int64, count >= 1 else {
                throw ScriptProblem(rule: number, reason: "count must be 1 or more.")
            }
            rule.count = Int(count)
        }
        return rule
    }

    private static func fault(_ entry: JSONValue) -> ServedFault? {
        let milliseconds = entry["milliseconds"]?.int64
        switch entry["fault"]?.string {
        case "rateLimited": return milliseconds.map { .rateLimited(milliseconds: $0) }
        case "slow": return milliseconds.map { .slow(milliseconds: $0) }
        case "clock": return milliseconds.map { .clock(milliseconds: $0) }
        case "error":
            return entry["code"]?.int64.flatMap {
                (4_000_000...5_999_999).contains($0) ? .error($0) : nil
            }
        case "status":
            return entry["status"]?.int64.flatMap {
                (400...599).contains($0) ? .status(Int($0)) : nil
            }
        case "oversized":
            return entry["bytes"]?.int64.flatMap {
                (1...100_000_000).contains($0) ? .oversized(byteCount: Int($0)) : nil
            }
        case "delivery": return entry["result"]?.string.map { .delivery($0) }
        case "dropped": return .dropped
        case "half": return .half
        case "badSignature": return .badSignature
        case "anotherApp": return .anotherApp
        case "loop": return .loop
        case "barren": return .barren
        case "garbage": return .garbage
        default: return nil
        }
    }
}
