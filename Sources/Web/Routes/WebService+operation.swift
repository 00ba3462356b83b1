internal import AppStore
import HTTPTypes
import Hummingbird
internal import Service

/// Routes of operators: the state of intake, quarantine, webhooks, recoveries and audits, and acts
/// on them.
extension WebService {
    func addOperation(to groups: RouteGroups) {
        add("/v1/status", to: groups) { try await host.status($0) }
        add("/v1/recoveries", to: groups) { try await host.recoveries($0) }
        add("/v1/audit", to: groups) { try await host.audit($0) }
        groups.people.get("/v1/decisions") { request, _ in
            let (environment, before, limit) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("before"), try $0.limit())
            }
            return try host.answer(
                try await host.decisions(environment, before: before, limit: limit), environment)
        }
        addQuarantine(to: groups)
        addWebhooks(to: groups)
        addRecoveries(to: groups)
        groups.admin.post("/v1/audit:verify") { request, context in
            let (environment, withSignatures) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.flag("signatures"))
            }
            return try host.answer(
                try await host.startAudit(
                    withSignatures: withSignatures, try CommandHeaders.order(request, context),
                    environment), environment)
        }
    }

    /// Adds a query about one environment, without other parameters.
    private func add<Value: JSONWritable & Sendable>(
        _ path: RouterPath, to groups: RouteGroups,
        _ find: @escaping @Sendable (AppStore.Environment) async throws -> Value
    ) {
        groups.read.get(path) { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            return try host.answer(try await find(environment), environment)
        }
    }

    private func addQuarantine(to groups: RouteGroups) {
        groups.read.get("/v1/quarantine") { request, _ in
            let (environment, after, limit) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("after"), try $0.limit())
            }
            return try host.answer(
                try await host.quarantine(environment, after: after, limit: limit), environment)
        }
        groups.read.get("/v1/quarantine/:id") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let id = try PathReader.item(try PathReader.text("id", context))
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            return try await host.quarantineItemAnswer(id, environment)
        }
        groups.admin.post("/v1/quarantine:retry") { request, context in
            let stated = try QueryParameters.read(request) { try $0.statedEnvironment() }
            let environment = stated ?? .production
            return try host.answer(
                try await host.retryQuarantine(
                    try CommandHeaders.order(request, context), environment,
                    isEnvironmentNamed: stated != nil), environment)
        }
    }

    private func addWebhooks(to groups: RouteGroups) {
        groups.read.get("/v1/webhooks") { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let standings = try await host.webhooks(environment)
            return try host.answer(environment) { json in
                json.object { $0.array("endpoints", standings) }
            }
        }
        groups.admin.post("/v1/webhooks/{name}:redeliver") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let name = try PathReader.text("name", context)
            let order = try CommandHeaders.order(request, context)
            let range = try await bodies.json(
                request, upTo: LedgerHost.Redelivery.maximumByteCount
            ) { try LedgerHost.Redelivery($0) }
            let act = try await host.redeliver(name, range, order, environment)
            return try host.answer(act, environment) { json, report in
                json.object {
                    report.writeMembers(
                        of: name, from: range.from, to: range.to, isDryRun: range.isDryRun, to: &$0)
                }
            }
        }
    }

    private func addRecoveries(to groups: RouteGroups) {
        groups.read.get("/v1/recoveries/:id") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let id = try PathReader.text("id", context)
            return try host.answer(try await host.recovery(id, environment), environment)
        }
        groups.admin.post("/v1/recoveries") { request, context in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            let order = try CommandHeaders.order(request, context)
            let window = try await bodies.json(request, upTo: RecoveryBody.maximumByteCount) {
                try RecoveryBody($0)
            }
            return try host.answer(
                try await host.startRecovery(window, order, environment), environment)
        }
    }
}
