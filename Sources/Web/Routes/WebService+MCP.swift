import HTTPTypes
import Hummingbird
internal import Service

extension HTTPField.Name {
    /// The revision of the Model Context Protocol that a client uses.
    static let mcpProtocolVersion = HTTPField.Name("MCP-Protocol-Version")!
}

/// The Model Context Protocol over HTTP ("Streamable HTTP"), without sessions and streams: each
/// request gets one response.
extension WebService {
    /// The revision of a client that names none.
    private static let assumedVersion = "2025-03-26"

    func addMCP(to groups: RouteGroups) {
        let server = MCPServer(host: host)
        groups.tools.post("/mcp") { request, context -> Response in
            try QueryParameters.read(request) { _ in }
            try WebService.requireVersion(request)
            let response = try await bodies.json(request, upTo: MCPLimits.messageByteCount) {
                body -> [UInt8]? in
                let message = try MCPMessage(body)
                // Evidence is read before its length is known. Other calls may wait for data.
                let share = try answers.require(
                    message.readsEvidence
                        ? ResponseMemoryBudget.makingByteCount : MCPLimits.resultByteCount)
                defer { withExtendedLifetime(share) {} }
                return try await ReportClient.$current.withValue(await ReportClient(context)) {
                    try await server.response(to: message)
                }
            }
            guard let response else { return Response(status: .accepted) }
            return Response(response, type: "application/json")
        }
    }

    /// Throws `badRequest` for a revision that is not supported; without the field the protocol
    /// assumes `assumedVersion`, which has everything used here.
    private static func requireVersion(_ request: Request) throws(Problem) {
        let known = MCPServer.versions + [assumedVersion]
        let stated = request.headers[values: .mcpProtocolVersion]
        guard stated.allSatisfy({ known.contains($0) }) else {
            throw Problem.invalid(
                "MCP-Protocol-Version takes \(MCPServer.versions.joined(separator: " or ")).",
                code: "badRequest")
        }
    }
}
