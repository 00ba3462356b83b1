import AppStore
import HTTPTypes

@testable import Web

/// Compares responses with the document. Every response in a router test is compared, so
/// undocumented ones are detected.
struct AnswerCheck: Sendable {
    let document: APIDocument

    static let shared = AnswerCheck(document: .shared)

    /// Fields of the connection, or documented elsewhere.
    private static let usualHeaders: Set<String> = [
        "content-type", "content-length", "date", "server", "transfer-encoding",
    ]

    func findings(
        _ method: HTTPRequest.Method, _ uri: String, _ answer: WebClient.Answer
    ) -> [String] {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts.first ?? "")
        // Pages are for people, and no part of the contract.
        guard !ConsoleRoutes.isPage(path) else { return [] }
        let operations = document.operations(at: path)
        guard !operations.isEmpty else { return problem("NoSuchPath", 404, answer) }
        let name = method == .head ? "GET" : method.rawValue
        guard let operation = operations.first(where: { $0.method == name }) else {
            return methodFindings(operations, answer)
        }
        guard
            let response = operation.value["responses"]?[String(answer.status)]
                .map(document.target)
        else { return ["\(operation): \(answer.status) is not documented"] }
        var findings = headerFindings(response, answer)
        if answer.status < 400 {
            findings += queryFindings(operation, parts.count > 1 ? String(parts[1]) : "")
        }
        if method != .head { findings += contentFindings(response, answer) }
        return findings.map { "\(operation) \(answer.status): \($0)" }
    }

    /// A path with other methods: 405, and `Allow` lists those of the document.
    private func methodFindings(
        _ operations: [APIDocument.Operation], _ answer: WebClient.Answer
    ) -> [String] {
        var methods = Set(operations.map(\.method))
        if methods.contains("GET") { methods.insert("HEAD") }
        let allowed = methods.sorted().joined(separator: ", ")
        let isNamed = answer.headers[.allow] == (answer.status == 405 ? allowed : nil)
        return problem("MethodNotAllowed", 405, answer) + (isNamed ? [] : ["Allow is wrong"])
    }

    /// Compares with a response that any path may give.
    private func problem(
        _ name: String, _ status: Int, _ answer: WebClient.Answer
    ) -> [String] {
        // Unauthenticated requests reveal nothing.
        if answer.status == 401, status != 401 { return problem("Unauthorized", 401, answer) }
        guard answer.status == status else {
            return ["\(answer.status) where the document has nothing"]
        }
        let response = document.response(name)
        return headerFindings(response, answer)
            + (answer.bytes.isEmpty ? [] : contentFindings(response, answer))
    }

    private func headerFindings(_ response: JSONValue, _ answer: WebClient.Answer) -> [String] {
        let documented = (response["headers"]?.object ?? []).map {
            ($0.key, document.target($0.value))
        }
        var findings: [String] = []
        for (name, header) in documented {
            guard let field = HTTPField.Name(name), let text = answer.headers[field] else {
                if header["required"]?.bool == true { findings.append("\(name) is missing") }
                continue
            }
            findings += spelledFindings(text, header["schema"] ?? .null, name)
        }
        let names = Set(documented.map { $0.0.lowercased() }).union(AnswerCheck.usualHeaders)
        for field in answer.headers where !names.contains(field.name.canonicalName) {
            findings.append("the header \(field.name) is not documented")
        }
        return findings
    }

    private func contentFindings(_ response: JSONValue, _ answer: WebClient.Answer) -> [String] {
        guard let content = response["content"]?.object else {
            return answer.bytes.isEmpty ? [] : ["a body is not documented"]
        }
        let type = answer.headers[.contentType]?.prefix { $0 != ";" } ?? ""
        guard let schema = content.first(where: { $0.key == type })?.value["schema"] else {
            return ["the type \(type) is not documented"]
        }
        let isJSON = type.hasSuffix("json")
        let value: JSONValue =
            isJSON ? answer.json : .string(answer.text)
        return SchemaCheck(document: document).findings(value, schema)
    }

    /// The request was documented.
    private func queryFindings(_ operation: APIDocument.Operation, _ query: String) -> [String] {
        let known = document.parameters(of: operation).filter { $0["in"]?.string == "query" }
        return query.split(separator: "&").flatMap { pair -> [String] in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard let name = PercentCoding.decoded(parts[0]),
                let parameter = known.first(where: { $0["name"]?.string == name })
            else { return ["the parameter \(parts[0]) is not documented"] }
            let text = PercentCoding.decoded(parts.count > 1 ? parts[1] : "") ?? ""
            return spelledFindings(text, parameter["schema"] ?? .null, name)
        }
    }

    /// The value of a header or parameter, where numbers and booleans are text.
    private func spelledFindings(
        _ text: String, _ schema: JSONValue, _ place: String
    ) -> [String] {
        var readings: [JSONValue] = [.string(text)]
        if text == "true" || text == "false" { readings.append(.bool(text == "true")) }
        if Int64(text) != nil { readings.append(.number(text)) }
        let check = SchemaCheck(document: document)
        let findings = readings.map { check.findings($0, schema, at: place) }
        return findings.contains([]) ? [] : findings[0]
    }
}
