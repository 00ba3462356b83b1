internal import AppStore
internal import Console
import HTTPTypes
internal import Ledger
internal import Projection
internal import Queries
internal import Service

/// What a tool answers: a short text with positions and addresses, and the JSON of the contract.
struct MCPAnswer: Sendable {
    let text: String
    let structured: [UInt8]

    /// - Parameter lines: of the text. Line breaks inside are escaped, so that input such as an id
    ///   cannot add lines that look like the server's.
    init(_ lines: [String], _ write: (inout JSONWriter) -> Void) {
        text = lines.map(\.printable).joined(separator: "\n")
        var json = JSONWriter()
        write(&json)
        structured = json.bytes
    }

    /// The refusal of a call: its code and sentence, and when to repeat a call that failed for now.
    init(_ problem: Problem) {
        let again = problem.retryAfter.map { " Call again after \($0) s." } ?? ""
        self.init(["\(problem.code): \(problem.detail)\(again)"]) { json in
            json.object { json in
                json.member("code", problem.code)
                json.member("detail", problem.detail)
                json.memberIfPresent("position", problem.position)
                json.memberIfPresent("retryAfterSeconds", problem.retryAfter)
            }
        }
    }

    /// The result of `tools/call`.
    ///
    /// - Parameter age: for how long the log could not be read or followed; nil while it can.
    func result(isError: Bool, age: Duration? = nil) -> [UInt8] {
        let aged = age.map { age in
            "\nThe log could not be read for \(age.components.seconds) s;"
                + " newer events may be missing."
        }
        return JSONWriter.object { json in
            json.objects("content", [text + (aged ?? "")]) { json, text in
                json.member("type", "text")
                json.member("text", text)
            }
            json.key("structuredContent")
            json.raw(structured)
            json.member("isError", isError)
        }
    }
}

/// Answers the calls of tools with the functions that answer HTTP.
extension MCPServer {
    /// The result of a call: an answer, or a refusal with its code. What fails for now (503 of any
    /// other route) is a refusal, too: the assistant can wait and repeat it, and sees results, not
    /// errors of the protocol. Throws a fault of the service or its files, which is logged and
    /// counted as that of any route.
    func call(_ tool: MCPTool, _ arguments: JSONValue?) async throws -> [UInt8] {
        do {
            let answer = try await answer(tool, arguments)
            let result = answer.result(isError: false, age: age(arguments))
            if let problem = MCPLimits.problem(resultByteCount: result.count) { throw problem }
            return result
        } catch {
            let problem = Problem(error)
            guard problem.status != .internalServerError else { throw error }
            return MCPAnswer(problem).result(isError: true)
        }
    }

    private func answer(_ tool: MCPTool, _ arguments: JSONValue?) async throws -> MCPAnswer {
        switch tool {
        case .find: try await find(arguments)
        case .access: try await access(arguments)
        case .timeline: try await timeline(arguments)
        case .metrics: try await metrics(arguments)
        case .chains: try await chains(arguments)
        case .missing: try await missing(arguments)
        case .evidence: try await evidence(arguments)
        }
    }

    // MARK: Arguments

    /// How old the answers of the environment are that the arguments name, as `Subledger-Age`
    /// states it over HTTP.
    private func age(_ arguments: JSONValue?) -> Duration? {
        let name =
            arguments?["environment"]?.string ?? usual.first { $0.name == "environment" }?.value
        let environment = name.flatMap { EnvironmentLedger.environment(named: $0) } ?? .production
        return try? host.ledger(environment).age
    }

    /// The result of `body`, which must read all of the arguments. They are read as the parameters
    /// of HTTP are.
    ///
    /// - Parameter more: arguments of calls that name none, besides those of every tool.
    func read<Value>(
        _ arguments: JSONValue?, usually more: [(name: String, value: String)] = [],
        _ body: (inout QueryParameters) throws -> Value
    ) throws -> Value {
        var values = try MCPServer.values(arguments)
        for value in usual + more where !values.contains(where: { $0.name == value.name }) {
            values.append(value)
        }
        return try QueryParameters(named: values).readAll(body)
    }

    /// The arguments as texts; null is an absent one. Throws `invalidParameter`.
    private static func values(
        _ arguments: JSONValue?
    ) throws(Problem) -> [(name: String, value: String)] {
        guard let arguments, !arguments.isNull else { return [] }
        guard let members = arguments.object else {
            throw Problem.invalid("arguments takes an object.")
        }
        var values: [(name: String, value: String)] = []
        for member in members where !member.value.isNull {
            let text: String? =
                member.value.string ?? member.value.int64.map { String($0) }
                ?? member.value.bool.map { $0 ? "true" : "false" }
            guard let text, text.utf8.count <= MCPLimits.argumentByteCount else {
                throw Problem.invalid(
                    "An argument takes a text of at most \(MCPLimits.argumentByteCount) bytes, a"
                        + " whole number, true or false.")
            }
            values.append((member.key, text))
        }
        return values
    }

    func texts(_ scope: QueryScope) -> MCPText {
        var state = ViewState(environment: scope.environment)
        state.bundleId = scope.bundleId
        state.at = scope.at
        state.knowledge = scope.knowledge
        return MCPText(origin: host.configuration.server.consoleOrigin, state: state)
    }

    // MARK: Tools

    private func find(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let (text, scope) = try read(arguments) {
            let scope = try $0.presentScope()
            return ($0.text("text") ?? "", scope)
        }
        let answer = try await host.search(text, scope)
        return MCPAnswer(texts(scope).text(answer)) { answer.write(to: &$0) }
    }

    private func access(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let (subject, scope) = try read(arguments) { (try $0.subject(), try $0.scope()) }
        switch subject {
        case .customer(let id):
            let (answer, reading) = try await host.customer(id, scope)
            return MCPAnswer(texts(scope).access(answer, reading)) { answer.write(to: &$0) }
        case .subscription(let id):
            let reading = try await host.reading(id, scope)
            return MCPAnswer(texts(scope).access(reading)) { reading.write(to: &$0) }
        }
    }

    private func timeline(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let (subject, scope, order, after, limit) = try read(arguments) {
            (
                try $0.subject(), try $0.scope(), try $0.choice("order") ?? TimelineOrder.newest,
                try $0.cursor { TimelinePlace(cursor: $0) }, try $0.entryLimit()
            )
        }
        switch subject {
        case .customer(let id):
            let reading = try await host.reading(of: id, scope)
            let page = reading.page(order, after: after, limit: limit)
            return MCPAnswer(texts(scope).timeline(reading, page)) {
                reading.writeTimeline(to: &$0, page)
            }
        case .subscription(let id):
            let reading = try await host.reading(id, scope)
            let page = reading.page(order, after: after, limit: limit)
            return MCPAnswer(texts(scope).timeline(reading, page)) {
                reading.writeTimeline(to: &$0, page)
            }
        }
    }

    private func missing(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let scope = try read(arguments) { try $0.place() }
        // Before the first state nothing is known of completeness; a broken projector has none.
        let ledger = try host.ledger(scope.environment)
        do throws(ServingError) { _ = try await ledger.snapshot() } catch {
            if error == .otherRules { throw error }
        }
        let status = try await host.status(scope.environment)
        let lines = texts(scope).text(status, of: scope.bundleId, isServing: isServing)
        return MCPAnswer(lines) { status.write(to: &$0) }
    }

    private func evidence(_ arguments: JSONValue?) async throws -> MCPAnswer {
        let (position, scope) = try read(arguments) {
            (try $0.position("position") ?? 0, try $0.place())
        }
        guard position > 0 else {
            throw Problem.invalid("position takes a position: a whole number from 1.")
        }
        guard let detail = try await host.event(at: position, scope) else {
            throw Problem.noSuchEvent
        }
        return MCPAnswer(texts(scope).text(detail)) { detail.write(to: &$0) }
    }
}

/// What a question is about.
private enum Subject {
    case customer(CustomerId)
    case subscription(String)
}

extension QueryParameters {
    fileprivate mutating func subject() throws(Problem) -> Subject {
        let (customer, subscription) = (text("customer"), text("subscription"))
        let id = customer ?? subscription ?? ""
        guard customer == nil || subscription == nil,
            1...PathReader.maximumByteCount ~= id.utf8.count
        else {
            throw Problem.invalid(
                "Give either customer or subscription, of 1 to \(PathReader.maximumByteCount)"
                    + " bytes.")
        }
        return customer == nil ? .subscription(id) : .customer(CustomerId(stated: id))
    }

    /// The entries of a page. Throws beyond the bound.
    mutating func entryLimit() throws(Problem) -> Int {
        try limit(usually: MCPLimits.usualEntryCount, upTo: MCPLimits.entryCount)
    }
}
