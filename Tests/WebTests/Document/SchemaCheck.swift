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

        mutating func add(_ others: [String], of key: String) {
            findings += others.map { ".\(key)\($0)" }
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
        check(value, schema).findings.map { place + $0 }
    }

    /// Findings begin with the rest of their place: most values have none, and need no text of it.
    private func check(_ value: JSONValue, _ schema: JSONValue) -> Result {
        var result = Result()
        guard let members = schema.object else {
            result.findings.append(": there is no schema")
            return result
        }
        // In the order of the schema's members: looking each keyword up takes far longer.
        for member in members {
            switch member.key {
            case "$ref":
                let target = document.resolved(member.value.string ?? "")
                result.add(check(value, target))
            case "allOf":
                for part in member.value.array ?? [] { result.add(check(value, part)) }
            case "anyOf":
                let fitting = (member.value.array ?? []).map { check(value, $0) }
                    .filter(\.findings.isEmpty)
                for fit in fitting { result.add(fit) }
                if fitting.isEmpty { result.findings.append(": fits none of anyOf") }
            case "items":
                for (index, element) in (value.array ?? []).enumerated() {
                    result.findings += check(element, member.value).findings.map {
                        "[\(index)]\($0)"
                    }
                }
            case "type", "enum", "const":
                result.findings += kindFindings(value, member)
            case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
                result.findings += boundFindings(value, member)
            case "pattern", "format": result.findings += textFindings(value, member)
            case "properties", "required", "additionalProperties", "unevaluatedProperties": break
            default:
                guard !SchemaCheck.annotations.contains(member.key) else { break }
                result.findings.append(": unknown keyword \(member.key)")
            }
        }
        if let object = value.object { checkMembers(object, schema, &result) }
        return result
    }

    private func checkMembers(
        _ object: [JSONMember], _ schema: JSONValue, _ result: inout Result
    ) {
        // Names mostly come in the order of the schema: the next one is looked for first.
        var next = 0
        for name in schema["required"]?.array ?? [] {
            let name = name.string ?? ""
            if next < object.count, object[next].key == name {
                next += 1
            } else if let found = object.firstIndex(where: { $0.key == name }) {
                next = found + 1
            } else {
                result.findings.append(": \(name) is missing")
            }
        }
        let properties = schema["properties"]?.object ?? []
        let others = schema["additionalProperties"]
        next = 0
        for member in object {
            if next >= properties.count || properties[next].key != member.key {
                next = properties.firstIndex { $0.key == member.key } ?? properties.count
            }
            if next < properties.count {
                result.add(check(member.value, properties[next].value).findings, of: member.key)
                next += 1
                result.evaluated.insert(member.key)
            } else if let others, others.object != nil {
                result.add(check(member.value, others).findings, of: member.key)
                result.evaluated.insert(member.key)
            } else if others?.bool == false {
                result.findings.append(": \(member.key) is not documented")
            }
        }
        guard schema["unevaluatedProperties"]?.bool == false else { return }
        for member in object where !result.evaluated.contains(member.key) {
            result.findings.append(": \(member.key) is not documented")
        }
    }

    // MARK: Values

    private func kindFindings(_ value: JSONValue, _ keyword: JSONMember) -> [String] {
        switch keyword.key {
        case "type":
            let type = keyword.value
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            let fits = names.contains { SchemaCheck.isOfType(value, $0) }
            return fits ? [] : [": is no \(names.joined(separator: " or "))"]
        case "enum":
            guard keyword.value.array?.contains(value) == false else { return [] }
            let text = String(decoding: value.encoded(), as: UTF8.self)
            return [": \(text) is none of the values"]
        default: return keyword.value == value ? [] : [": is not the constant"]
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

    private func boundFindings(_ value: JSONValue, _ keyword: JSONMember) -> [String] {
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
            return size < bound ? [": is under \(keyword.key)"] : []
        }
        return size > bound ? [": is over \(keyword.key)"] : []
    }

    private func textFindings(_ value: JSONValue, _ keyword: JSONMember) -> [String] {
        guard let text = value.string else { return [] }
        let name = keyword.value.string ?? ""
        guard keyword.key == "format" else {
            return document.matches(text, name) ? [] : [": does not match \(name)"]
        }
        switch name {
        case "int64": return []
        case "date-time":
            return Timestamp(rfc3339: text) == nil ? [": is no date-time"] : []
        case "date":
            let isDate = text.utf8.count == 10 && Timestamp(userInput: text) != nil
            return isDate ? [] : [": is no date"]
        case "uri": return URL(string: text)?.scheme == nil ? [": is no URI"] : []
        default: return [": unknown format \(name)"]
        }
    }
}
