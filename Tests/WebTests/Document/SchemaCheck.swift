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
        for member in members
        where !SchemaCheck.annotations.contains(member.key)
            && !SchemaCheck.assertions.contains(member.key)
        {
            result.findings.append("\(place): unknown keyword \(member.key)")
        }
        if let pointer = schema["$ref"]?.string {
            result.add(check(value, document.resolved(pointer), place))
        }
        for part in schema["allOf"]?.array ?? [] { result.add(check(value, part, place)) }
        if let choices = schema["anyOf"]?.array {
            let fitting = choices.map { check(value, $0, place) }.filter(\.findings.isEmpty)
            for fit in fitting { result.add(fit) }
            if fitting.isEmpty { result.findings.append("\(place): fits none of anyOf") }
        }
        result.findings += kindFindings(value, schema, place)
        result.findings += boundFindings(value, schema, place)
        result.findings += textFindings(value, schema, place)
        if let elements = value.array, let items = schema["items"] {
            for (index, element) in elements.enumerated() {
                result.findings += check(element, items, "\(place)[\(index)]").findings
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
        for member in object {
            guard let known = schema["properties"]?[member.key] else { continue }
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
        _ value: JSONValue, _ schema: JSONValue, _ place: String
    ) -> [String] {
        var findings: [String] = []
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            if !names.contains(where: { SchemaCheck.isOfType(value, $0) }) {
                findings.append("\(place): is no \(names.joined(separator: " or "))")
            }
        }
        if let values = schema["enum"]?.array, !values.contains(where: { $0 == value }) {
            let text = String(decoding: value.encoded(), as: UTF8.self)
            findings.append("\(place): \(text) is none of the values")
        }
        if let constant = schema["const"], constant != value {
            findings.append("\(place): is not the constant")
        }
        return findings
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
        _ value: JSONValue, _ schema: JSONValue, _ place: String
    ) -> [String] {
        let size: Int64?
        let (least, most): (String, String)
        switch value {
        case .number: (size, least, most) = (value.int64, "minimum", "maximum")
        case .string(let text):
            (size, least, most) = (Int64(text.unicodeScalars.count), "minLength", "maxLength")
        case .array(let elements):
            (size, least, most) = (Int64(elements.count), "minItems", "maxItems")
        default: return []
        }
        var findings: [String] = []
        if let bound = schema[least]?.int64, let size, size < bound {
            findings.append("\(place): is under \(least)")
        }
        if let bound = schema[most]?.int64, let size, size > bound {
            findings.append("\(place): is over \(most)")
        }
        return findings
    }

    private func textFindings(
        _ value: JSONValue, _ schema: JSONValue, _ place: String
    ) -> [String] {
        guard let text = value.string else { return [] }
        var findings: [String] = []
        if let pattern = schema["pattern"]?.string,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            findings.append("\(place): does not match \(pattern)")
        }
        switch schema["format"]?.string {
        case nil, "int64": break
        case "date-time":
            if Timestamp(rfc3339: text) == nil { findings.append("\(place): is no date-time") }
        case "date":
            if text.utf8.count != 10 || Timestamp(userInput: text) == nil {
                findings.append("\(place): is no date")
            }
        case "uri":
            if URL(string: text)?.scheme == nil { findings.append("\(place): is no URI") }
        case .some(let name): findings.append("\(place): unknown format \(name)")
        }
        return findings
    }
}
