internal import AppStore
import HTTPTypes
import Hummingbird
internal import Projection
internal import Service

extension HTTPField.Name {
    /// Seconds for which the shared log could not be read or followed; absent while it can.
    static let subledgerAge = HTTPField.Name("Subledger-Age")!
}

/// Marks answers about the environment of the query that are given while the log cannot be read or
/// followed.
struct AgeMiddleware: RouterMiddleware {
    let host: LedgerHost

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        var response = try await next(request, context)
        guard host.ledgers.contains(where: { $0.age != nil }) else { return response }
        let name = request.uri.queryParameters["environment"].map(String.init)
        let environment = name.flatMap { EnvironmentLedger.environment(named: $0) } ?? .production
        if let age = try? host.ledger(environment).age {
            response.headers[.subledgerAge] = String(age.components.seconds)
        }
        return response
    }
}
