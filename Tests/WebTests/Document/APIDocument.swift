import AppStore
import Foundation
import Web
import Yams

/// The served document, read once for all tests.
struct APIDocument: Sendable {
    let root: JSONValue
    let operations: [Operation]
    /// By the number of their steps: each request has its operation looked for.
    private let operationsByLength: [Int: [Operation]]
    /// By their references: they are resolved for every value of every response.
    private let components: [String: JSONValue]
    private let patterns: [String: NSRegularExpression]

    static let shared: APIDocument = {
        do { return try APIDocument(String(decoding: OpenAPIDocument.bytes, as: UTF8.self)) } catch
        {
            fatalError("the document is no YAML: \(error)")
        }
    }()

    init(_ text: String) throws {
        root = try Yams.compose(yaml: text).map { APIDocument.value($0) } ?? .null
        operations = APIDocument.operations(root)
        operationsByLength = Dictionary(grouping: operations, by: \.steps.count)
        var components: [String: JSONValue] = [:]
        for kind in root["components"]?.object ?? [] {
            for member in kind.value.object ?? [] {
                components["#/components/\(kind.key)/\(member.key)"] = member.value
            }
        }
        self.components = components
        var patterns: [String: NSRegularExpression] = [:]
        func search(_ value: JSONValue) throws {
            if let pattern = value["pattern"]?.string, patterns[pattern] == nil {
                patterns[pattern] = try NSRegularExpression(pattern: pattern)
            }
            for member in value.object ?? [] { try search(member.value) }
            for element in value.array ?? [] { try search(element) }
        }
        try search(root)
        self.patterns = patterns
    }

    // MARK: Access

    /// The target of a `#/…` reference; null if it does not exist.
    func resolved(_ pointer: String) -> JSONValue {
        if let component = components[pointer] { return component }
        return pointer.dropFirst(2).split(separator: "/").reduce(root) { found, step in
            let key = step.replacing("~1", with: "/").replacing("~0", with: "~")
            return found[String(key)] ?? .null
        }
    }

    /// The value itself, or the one it refers to.
    func target(_ value: JSONValue) -> JSONValue {
        guard let pointer = value["$ref"]?.string else { return value }
        return target(resolved(pointer))
    }

    /// A schema by name.
    func schema(_ name: String) -> JSONValue { resolved("#/components/schemas/\(name)") }

    /// What one of the shared responses is, by its name.
    func response(_ name: String) -> JSONValue { resolved("#/components/responses/\(name)") }

    /// The schema of a refusal: `Problem` with the status and the codes of one response.
    func refusal(_ response: String) -> JSONValue {
        resolved("#/components/responses/\(response)/content/application~1problem+json/schema")
    }

    /// Whether some part of a text matches a pattern of the document.
    func matches(_ text: String, _ pattern: String) -> Bool {
        let all = NSRange(location: 0, length: text.utf16.count)
        return patterns[pattern]?.firstMatch(in: text, range: all) != nil
    }

    static let methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]

    /// One operation of one path.
    struct Operation: Sendable, CustomStringConvertible {
        /// Upper case.
        let method: String
        let path: String
        let value: JSONValue
        let steps: [Substring]

        var description: String { "\(method) \(path)" }
    }

    private static func operations(_ root: JSONValue) -> [Operation] {
        (root["paths"]?.object ?? []).flatMap { path in
            (path.value.object ?? []).filter { APIDocument.methods.contains($0.key) }.map {
                Operation(
                    method: $0.key.uppercased(), path: path.key, value: $0.value,
                    steps: path.key.split(separator: "/"))
            }
        }
    }

    /// The operations of a request's path; a path without variables takes precedence.
    func operations(at path: String) -> [Operation] {
        let asked = path.split(separator: "/", omittingEmptySubsequences: true)
        let fitting = (operationsByLength[asked.count] ?? []).filter { operation in
            zip(operation.steps, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        let variables = { (operation: Operation) in operation.path.count { $0 == "{" } }
        let least = fitting.map(variables).min()
        return fitting.filter { variables($0) == least }
    }

    func parameters(of operation: Operation) -> [JSONValue] {
        (operation.value["parameters"]?.array ?? []).map(target)
    }

    // MARK: Reading YAML

    /// YAML 1.2's JSON schema (§10.2): unquoted text that looks like a number, a boolean or null is
    /// one.
    private static func value(_ node: Node) -> JSONValue {
        switch node {
        case .mapping(let mapping):
            return .object(
                mapping.map { JSONMember(key: $0.key.string ?? "", value: value($0.value)) })
        case .sequence(let sequence): return .array(sequence.map { value($0) })
        case .scalar(let scalar):
            guard scalar.style == .plain else { return .string(scalar.string) }
            switch scalar.string {
            case "true": return .bool(true)
            case "false": return .bool(false)
            case "null", "": return .null
            default:
                return Int64(scalar.string) == nil
                    ? .string(scalar.string) : .number(scalar.string)
            }
        case .alias: return .null
        }
    }
}
