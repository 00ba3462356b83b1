import AppStore

extension DeliveryFaultRule {
    /// Reads a script: a JSON list of
    /// `{"fault":"refused","status":503,"type":"DID_RENEW","from":1,"count":2,"attempts":3}`.
    public static func script(
        _ bytes: [UInt8]
    ) throws(ServedFaultRule.ScriptProblem) -> [DeliveryFaultRule] {
        guard let list = (try? JSONValue.parse(bytes))?.array else {
            throw ServedFaultRule.ScriptProblem(
                rule: 0, reason: "A script is a JSON list of rules.")
        }
        var rules: [DeliveryFaultRule] = []
        for (index, entry) in list.enumerated() { rules.append(try rule(entry, index + 1)) }
        return rules
    }

    private static let keys: Set<String> = [
        "fault", "type", "from", "count", "every", "attempts", "milliseconds", "status",
    ]

    private static func rule(
        _ entry: JSONValue, _ number: Int
    ) throws(ServedFaultRule.ScriptProblem) -> DeliveryFaultRule {
        func problem(_ reason: String) -> ServedFaultRule.ScriptProblem {
            ServedFaultRule.ScriptProblem(rule: number, reason: reason)
        }
        if let stray = entry.object?.first(where: { !keys.contains($0.key) }) {
            throw problem("Unknown key \(stray.key).")
        }
        guard let fault = fault(entry) else {
            throw problem(
                "fault must be lost, late or duplicated (with milliseconds), reordered,"
                    + " dropped, refused (with status, 300 to 599) or unreachable.")
        }
        var rule = DeliveryFaultRule(fault)
        if let name = entry["type"] {
            guard let type = name.string.flatMap({ NotificationType(rawValue: $0) }) else {
                throw problem("Unknown notification type \(name.string ?? "of that form").")
            }
            rule.type = type
        }
        for (key, path) in [
            ("from", \DeliveryFaultRule.from), ("every", \.every), ("attempts", \.attempts),
        ] {
            guard let value = entry[key] else { continue }
            guard let count = value.int64, count >= 1 else {
                throw problem("\(key) must be 1 or more.")
            }
            rule[keyPath: path] = Int(count)
        }
        if let value = entry["count"] {
            guard let count = value.int64, count >= 1 else {
                throw problem("count must be 1 or more.")
            }
            rule.count = Int(count)
        }
        return rule
    }

    private static func fault(_ entry: JSONValue) -> DeliveryFault? {
        let wait = entry["milliseconds"]?.int64.flatMap { $0 >= 0 ? $0 : nil }
        switch entry["fault"]?.string {
        case "lost": return .lost
        case "late": return wait.map { .late(milliseconds: $0) }
        case "duplicated": return wait.map { .duplicated(milliseconds: $0) }
        case "reordered": return .reordered
        case "dropped": return .dropped
        case "refused":
            return entry["status"]?.int64.flatMap {
                (300...599).contains($0) ? .refused(status: Int($0)) : nil
            }
        case "unreachable": return .unreachable
        default: return nil
        }
    }
}
