import Hummingbird
import LedgerService

/// Uploads from apps and back ends.
struct TransactionRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    func add(to groups: RouteGroups) {
        groups.write.post("/v1/transactions") { request, _ in
            let receipt = try await bodies.json(request, upTo: UploadBody.maximumByteCount) {
                do throws(IntakeRefusal) {
                    return try await host.takeUpload(try UploadBody($0))
                } catch { throw Problem(upload: error) }
            }
            return AnswerResponse.make(try await host.answer(receipt), for: request)
        }
    }
}
