import HTTPTypes
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// Links, grants and notes about customers and their chains, and the erasure of a person's data.
/// Durable before the response.
extension WebService {
    func addDecisions(to groups: RouteGroups) {
        groups.write.put("/v1/customers/:id/subscriptions/:chain") { request, context in
            try await link(request, context) { .link($0) }
        }
        groups.write.delete("/v1/customers/:id/subscriptions/:chain") { request, context in
            try await link(request, context) { .unlink($0) }
        }
        groups.write.post("/v1/customers/:id/grants") { request, context in
            let customer = try PathReader.customer(context)
            let body = try await bodies.json(request, upTo: GrantBody.maximumByteCount) {
                try GrantBody($0)
            }
            return try await decide(
                .grant(customer, entitlement: body.entitlement, until: body.until), about: nil,
                request, context)
        }
        groups.write.delete("/v1/customers/:id/grants/:grant") { request, context in
            let grant = try PathReader.text("grant", context)
            return try await decide(
                .ungrant(try PathReader.customer(context), grant: grant), about: nil, request,
                context)
        }
        // Notes: the reason is the text, as in the command.
        groups.write.post("/v1/customers/:id/notes") { request, context in
            try await decide(
                .note(try PathReader.customer(context)), about: nil, request, context)
        }
        groups.write.post("/v1/subscriptions/:id/notes") { request, context in
            try await decide(
                .note(nil), about: try PathReader.text("id", context), request, context)
        }
        groups.admin.post("/v1/erasures") { request, context in
            let scope = try QueryParameters.read(request) { try $0.place() }
            let key = try CommandHeaders.key(request)
            let body = try await bodies.json(request, upTo: ErasureBody.maximumByteCount) {
                try ErasureBody($0)
            }
            let order = CommandIntake.Order(
                actor: body.actor, tokenName: context.principal?.name, reason: body.reason,
                key: key)
            return try await host.eraseAnswer(body, order, scope)
        }
    }

    private func link(
        _ request: Request, _ context: WebContext, _ action: (CustomerId) -> Command.Action
    ) async throws -> RepeatableAnswer {
        let chain = try PathReader.text("chain", context)
        return try await decide(
            action(try PathReader.customer(context)), about: chain, request, context)
    }

    private func decide(
        _ action: Command.Action, about chain: String?, _ request: Request,
        _ context: WebContext
    ) async throws -> RepeatableAnswer {
        let scope = try QueryParameters.read(request) { try $0.place() }
        return try await host.decide(
            action, about: chain, try CommandHeaders.order(request, context), scope)
    }
}
