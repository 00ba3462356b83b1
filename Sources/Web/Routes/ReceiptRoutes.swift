import Hummingbird
internal import Service

/// App receipts from apps and back ends.
struct ReceiptRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    func add(to groups: RouteGroups) {
        groups.write.post("/v1/receipts") { request, context in
            var question = try QueryParameters(request)
            let environment = try question.statedEnvironment()
            try question.requireNothingElse()
            let key = try CommandHeaders.key(request)
            let sender = context.principal?.name ?? TransactionRoutes.unnamedSender
            let answer = try await bodies.json(request, upTo: ReceiptBody.maximumByteCount) {
                do {
                    return try await host.takeReceipt(
                        $0, only: environment, key: key, sender: sender)
                } catch let
                    refusal as IntakeRefusal
                { throw Problem(upload: refusal) }
            }
            return AnswerResponse.make(answer, for: request)
        }
    }
}
