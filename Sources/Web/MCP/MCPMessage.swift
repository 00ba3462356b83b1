internal import AppStore
import HTTPTypes

/// One JSON-RPC 2.0 message of a client.
struct MCPMessage: Sendable {
    /// A text or a whole number; nil: no response is due.
    let id: JSONValue?
    /// Nil for a response, which this server never requests.
    let method: String?
    let params: JSONValue?

    /// Throws `malformedJSON`, or `invalidBody` for a batch and for anything but a message.
    init(_ body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw Problem.invalid(
                "The message is not valid JSON (\(error.code.rawValue)).", code: "malformedJSON")
        }
        guard value["jsonrpc"]?.string == "2.0" else {
            throw MCPMessage.invalid(
                "One message of JSON-RPC 2.0 is expected, with \"jsonrpc\": \"2.0\"; no batch.")
        }
        id = value["id"]
        guard id.map(MCPMessage.isId) ?? true else {
            throw MCPMessage.invalid("id takes a text or a whole number.")
        }
        method = value["method"]?.string
        guard method != nil || value["method"] == nil && id != nil else {
            throw MCPMessage.invalid("method takes a name.")
        }
        params = value["params"]
    }

    /// The id of a message that was refused; nil where it is not valid JSON, or `id` is neither a
    /// text nor a whole number.
    static func id(of body: [UInt8]) -> JSONValue? {
        guard let id = (try? JSONValue.parse(body))?["id"], isId(id) else { return nil }
        return id
    }

    private static func isId(_ value: JSONValue) -> Bool {
        value.string != nil || value.int64 != nil
    }

    /// Whether it calls the tool that reads evidence.
    var readsEvidence: Bool {
        method == "tools/call" && params?["name"]?.string == MCPTool.evidence.rawValue
    }

    private static func invalid(_ detail: String) -> Problem {
        Problem.invalid(detail, code: "invalidBody")
    }
}

/// An error of JSON-RPC 2.0 §5.1, with a stable code and a number.
struct MCPError: Error, Sendable {
    /// The numbers of JSON-RPC 2.0.
    enum Number: Int64, Sendable {
        case parseError = -32_700
        case invalidRequest = -32_600
        case methodNotFound = -32_601
        case invalidParams = -32_602
        case internalError = -32_603
    }

    let number: Number
    /// Stable; clients depend on it.
    let code: String
    /// What happened, and what to do.
    let message: String
}

extension MCPError {
    /// Of a message that was not accepted, or of a fault, with its remedy: a user who can start the
    /// command can read the files that it names.
    init(_ problem: Problem) {
        guard problem.status != .internalServerError else {
            self.init(
                number: .internalError, code: problem.code,
                message: problem.remedy ?? problem.detail)
            return
        }
        self.init(
            number: problem.code == "malformedJSON" ? .parseError : .invalidRequest,
            code: problem.code, message: problem.detail)
    }

    /// The response with this error.
    ///
    /// - Parameter id: of the request; nil when it is unknown.
    func response(to id: JSONValue?) -> [UInt8] {
        JSONWriter.object { json in
            json.member("jsonrpc", "2.0")
            json.member("id", id)
            json.object("error") { json in
                json.member("code", number.rawValue)
                json.member("message", message)
                json.object("data") { json in json.member("code", code) }
            }
        }
    }
}
