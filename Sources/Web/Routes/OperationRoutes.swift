internal import AppStore
import HTTPTypes
import Hummingbird
internal import Queries
internal import Service

/// What operators see of intake, quarantine, webhooks, recoveries and audits, and what they do.
struct OperationRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader
    let answers: ResponseMemoryBudget

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/status") { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            return try await host.statusAnswer(environment)
        }
        addQuarantine(to: groups)
        addWebhooks(to: groups)
        addRecoveries(to: groups)
        addAudit(to: groups)
        groups.people.get("/v1/decisions") { request, _ in
            let (environment, before, limit) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("before"), try $0.limit())
            }
            return try await host.decisionsAnswer(environment, before: before, limit: limit)
        }
    }

    private func addQuarantine(to groups: RouteGroups) {
        groups.read.get("/v1/quarantine") { request, _ in
            let (environment, after, limit) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("after"), try $0.limit())
            }
            return try await host.quarantineAnswer(environment, after: after, limit: limit)
        }
        groups.read.get("/v1/quarantine/:id") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let id = try OperationRoutes.number("id", context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            return try await host.quarantineItemAnswer(id, environment)
        }
        groups.admin.post("/v1/quarantine:retry") { request, context in
            let environment = try QueryParameters.read(request) { try $0.statedEnvironment() }
            return try await host.retryQuarantineAnswer(
                try CommandHeaders.order(request, context), environment ?? .production,
                isEnvironmentNamed: environment != nil)
        }
    }

    private func addWebhooks(to groups: RouteGroups) {
        groups.read.get("/v1/webhooks") { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            return try await host.webhooksAnswer(environment)
        }
        groups.admin.post("/v1/webhooks/{name}:redeliver") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let name = try PathReader.text("name", context)
            let order = try CommandHeaders.order(request, context)
            let redelivery = try await bodies.json(
                request, upTo: LedgerHost.Redelivery.maximumByteCount
            ) { try LedgerHost.Redelivery($0) }
            return try await host.redeliverAnswer(name, redelivery, order, environment)
        }
    }

    private func addRecoveries(to groups: RouteGroups) {
        groups.read.get("/v1/recoveries") { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            return try await host.recoveriesAnswer(environment)
        }
        groups.read.get("/v1/recoveries/:id") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            return try await host.recoveryAnswer(try PathReader.text("id", context), environment)
        }
        groups.admin.post("/v1/recoveries") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let order = try CommandHeaders.order(request, context)
            let window = try await bodies.json(request, upTo: RecoveryBody.maximumByteCount) {
                try RecoveryBody($0)
            }
            return try await host.startRecoveryAnswer(window, order, environment)
        }
    }

    private func addAudit(to groups: RouteGroups) {
        groups.read.get("/v1/audit") { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            return try await host.auditAnswer(environment)
        }
        groups.admin.post("/v1/audit:verify") { request, context in
            let (environment, withSignatures) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.flag("signatures"))
            }
            return try await host.startAuditAnswer(
                withSignatures: withSignatures, try CommandHeaders.order(request, context),
                environment)
        }
    }

    /// A number in a path; another text names nothing.
    private static func number(_ name: String, _ context: WebContext) throws -> Int64 {
        guard let number = Int64(plain: try PathReader.text(name, context)) else {
            throw Problem(.notFound, code: "noSuchItem", detail: "Items are named by numbers.")
        }
        return number
    }
}
