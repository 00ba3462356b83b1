import Hummingbird
import LedgerService

/// Uploads from apps and back ends.
struct TransactionRoutes: Sendable {
    let host: LedgerHost

    func add(to groups: RouteGroups) {
        groups.write.post("/v1/transactions") { request, _ in
            let body = try await RequestBytes.json(request, upTo: UploadBody.maximumByteCount)
            let receipt: UploadReceipt
            do {
                receipt = try await host.takeUpload(try UploadBody(body))
            } catch let refusal as IntakeRefusal {
                throw Problem(upload: refusal)
            }
            return AnswerResponse.make(try await host.answer(receipt), for: request)
        }
    }
}
