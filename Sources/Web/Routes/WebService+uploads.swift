internal import AppStore
import Hummingbird
internal import Service

/// What apps and back ends send: transactions, receipts of original StoreKit, and orders of
/// signatures that apps pass to StoreKit.
extension WebService {
    /// The claiming sender where no token is required.
    private static let unnamedSender = "client"

    func addUploads(to groups: RouteGroups) {
        groups.write.post("/v1/transactions") { request, context in
            try await take(request, context, upTo: UploadBody.maximumByteCount) {
                try await host.upload($0, only: $1, key: $2, sender: $3)
            }
        }
        groups.write.post("/v1/receipts") { request, context in
            try await take(request, context, upTo: ReceiptBody.maximumByteCount) {
                try await host.takeReceipt($0, only: $1, key: $2, sender: $3)
            }
        }
        for kind in SignatureOrder.kinds {
            groups.sign.post(RouterPath("/v1/signatures/\(kind)")) { request, _ in
                let scope = try QueryParameters.read(request) { try $0.presentScope() }
                let order = try await bodies.json(
                    request, upTo: SignatureOrder.maximumByteCount
                ) { try SignatureOrder(kind: kind, body: $0) }
                return try await host.sign(order, scope)
            }
        }
    }

    /// Passes the body to `work`, with the only environment accepted, the key and the sender.
    private func take<Answer>(
        _ request: Request, _ context: WebContext, upTo limit: Int,
        _ work: ([UInt8], AppStore.Environment?, String?, String) async throws -> Answer
    ) async throws -> Answer {
        let environment = try QueryParameters.read(request) { try $0.statedEnvironment() }
        let key = try CommandHeaders.key(request)
        let sender = context.principal?.name ?? WebService.unnamedSender
        return try await bodies.json(request, upTo: limit) { body in
            do { return try await work(body, environment, key, sender) } catch let refusal
                as IntakeRefusal
            { throw Problem(upload: refusal) }
        }
    }
}
