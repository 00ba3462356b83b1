import AppStore
import Foundation

/// Compares values with schemas (JSON Schema 2020-12), as far as the document uses them; an
/// unsupported keyword is a finding, so that nothing is skipped.
struct SchemaCheck: Sendable {
    let document: APIDocument

    /// The result of one comparison.
    struct Result: Sendable {
        var findings: [String] = []
        /// Members that some part of the schema has evaluated.
        var evaluated: Set<String> = []

        mutating func add(_ other: Result) {
            findings += other.findings
            evaluated.formUnion(other.evaluated)
        }
    }

    static let annotations: Set<String> = [
        "description", "title", "default", "example", "examples",
    ]
    static let assertions: Set<String> = [
        "$ref", "type", "enum", "const", "properties", "required", "additionalProperties",
        "unevaluatedProperties", "items", "minItems", "maxItems", "minimum", "maximum",
        "minLength", "maxLength", "pattern", "format", "allOf", "anyOf",
    ]

    func findings(_ value: JSONValue, _ schema: JSONValue, at place: String = "$") -> [String] {
        check(value, schema, place).findings
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> Result {
        var result = Result()
        guard let members = schema.object else {
            result.findings.append("\(place): there is no schema")
            return result
        }
        // In the order of the schema's members: looking each keyword up takes far longer.
        for member in members {
            switch member.key {
            case "$ref":
                let target = document.resolved(member.value.string ?? "")
                result.add(check(value, target, place))
            case "allOf":
                for part in member.value.array ?? [] { result.add(check(value, part, place)) }
            case "anyOf":
                let fitting = (member.value.array ?? []).map { check(value, $0, place) }
                    .filter(\.findings.isEmpty)
                for fit in fitting { result.add(fit) }
                if fitting.isEmpty { result.findings.append("\(place): fits none of anyOf") }
            case "items":
                for (index, element) in (value.array ?? []).enumerated() {
                    let place = "\(place)[\(index)]"
                    result.findings += check(element, member.value, place).findings
                }
            case "type", "enum", "const":
                result.findings += kindFindings(value, member, place)
            case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
                result.findings += boundFindings(value, member, place)
            case "pattern", "format": result.findings += textFindings(value, member, place)
            case "properties", "required", "additionalProperties", "unevaluatedProperties": break
            default:
                guard !SchemaCheck.annotations.contains(member.key) else { break }
                result.findings.append("\(place): unknown keyword \(member.key)")
            }
        }
        if let object = value.object { checkMembers(object, schema, place, &result) }
        return result
    }

    private func checkMembers(
        _ object: [JSONMember], _ schema: JSONValue, _ place: String, _ result: inout Result
    ) {
        for name in schema["required"]?.array ?? []
        where !object.contains(where: { $0.key == name.string }) {
            result.findings.append("\(place): \(name.string ?? "") is missing")
        }
        var own: Set<String> = []
        let properties = schema["properties"]
        for member in object {
            guard let known = properties?[member.key] else { continue }
            own.insert(member.key)
            result.findings +=
                check(member.value, known, "\(place).\(member.key)").findings
        }
        if let others = schema["additionalProperties"], others.object != nil {
            for member in object where !own.contains(member.key) {
                result.findings += check(member.value, others, "\(place).\(member.key)").findings
                result.evaluated.insert(member.key)
            }
        }
        if schema["additionalProperties"]?.bool == false {
            for member in object where !own.contains(member.key) {
                result.findings.append("\(place): \(member.key) is not documented")
            }
        }
        result.evaluated.formUnion(own)
        if schema["unevaluatedProperties"]?.bool == false {
            for member in object where !result.evaluated.contains(member.key) {
                result.findings.append("\(place): \(member.key) is not documented")
            }
        }
    }

    // MARK: Values

    private func kindFindings(
        _ value: JSONValue, _ keyword: JSONMember, _ place: String
    ) -> [String] {
        switch keyword.key {
        case "type":
            let type = keyword.value
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            let fits = names.contains { SchemaCheck.isOfType(value, $0) }
            return fits ? [] : ["\(place): is no \(names.joined(separator: " or "))"]
        case "enum":
            guard keyword.value.array?.contains(value) == false else { return [] }
            let text = String(decoding: value.encoded(), as: UTF8.self)
            return ["\(place): \(text) is none of the values"]
        default: return keyword.value == value ? [] : ["\(place): is not the constant"]
        }
    }

    private static func isOfType(_ value: JSONValue, _ name: String) -> Bool {
        switch (name, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
            ("number", .number), ("null", .null):
            true
        case ("integer", .number): value.int64 != nil
        default: false
        }
    }

    private func boundFindings(
        _ value: JSONValue, _ keyword: JSONMember, _ place: String
    ) -> [String] {
        let size: Int64?
        switch (value, keyword.key) {
        case (.number, "minimum"), (.number, "maximum"): size = value.int64
        case (.string(let text), "minLength"), (.string(let text), "maxLength"):
            size = Int64(text.unicodeScalars.count)
        case (.array(let elements), "minItems"), (.array(let elements), "maxItems"):
            size = Int64(elements.count)
        default: return []
        }
        guard let size, let bound = keyword.value.int64 else { return [] }
        if keyword.key.hasPrefix("min") {
            return size < bound ? ["\(place): is under \(keyword.key)"] : []
        }
        return size > bound ? ["\(place): is over \(keyword.key)"] : []
    }

    private func textFindings(
        _ value: JSONValue, _ keyword: JSONMember, _ place: String
    ) -> [String] {
        guard let text = value.string else { return [] }
        let name = keyword.value.string ?? ""
        guard keyword.key == "format" else {
            return document.matches(text, name) ? [] : ["\(place): does not match \(name)"]
        }
        switch name {
        case "int64": return []
        case "date-time":
            return Timestamp(rfc3339: text) == nil ? ["\(place): is no date-time"] : []
        case "date":
            let isDate = text.utf8.count == 10 && Timestamp(userInput: text) != nil
            return isDate ? [] : ["\(place): is no date"]
        case "uri": return URL(string: text)?.scheme == nil ? ["\(place): is no URI"] : []
        default: return ["\(place): unknown format \(name)"]
        }
    }
}
