import Hummingbird
import LedgerService

/// Uploads from apps and back ends.
struct TransactionRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    /// Who claims where nobody has to say who they are.
    static let unnamedSender = "client"

    func add(to groups: RouteGroups) {
        groups.write.post("/v1/transactions") { request, context in
            try QuestionReader(request).requireNothingElse()
            let receipt = try await bodies.json(request, upTo: UploadBody.maximumByteCount) {
                do throws(IntakeRefusal) {
                    return try await host.takeUpload(try UploadBody($0))
                } catch { throw Problem(upload: error) }
            }
            let sender = context.principal?.name ?? TransactionRoutes.unnamedSender
            let answer = try await host.answer(receipt, sender: sender)
            return AnswerResponse.make(answer, for: request)
        }
    }
}
