import Hummingbird
internal import Service

/// Uploads from apps and back ends.
struct TransactionRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    /// The claiming sender where no token is required.
    static let unnamedSender = "client"

    func add(to groups: RouteGroups) {
        groups.write.post("/v1/transactions") { request, context in
            var question = try QueryParameters(request)
            let environment = try question.statedEnvironment()
            try question.requireNothingElse()
            let key = try CommandHeaders.key(request)
            let sender = context.principal?.name ?? TransactionRoutes.unnamedSender
            let upload = try await bodies.json(request, upTo: UploadBody.maximumByteCount) {
                do {
                    return try await host.upload($0, only: environment, key: key, sender: sender)
                } catch let refusal
                    as IntakeRefusal
                { throw Problem(upload: refusal) }
            }
            var response = AnswerResponse.make(upload.answer, for: request)
            if upload.isRepeated { response.headers[.idempotencyReplayed] = "true" }
            return response
        }
    }
}
