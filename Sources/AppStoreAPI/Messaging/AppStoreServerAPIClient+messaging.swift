public import AppStore
import Foundation

/// The Retention Messaging API. Its objects belong to one environment; tests run in Sandbox only.
extension AppStoreServerAPIClient {
    /// Upload Image: a PNG, under a UUID of the caller's. Sent once.
    public func uploadImage(
        _ id: String, _ png: [UInt8], size: MessageImageSize?, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let path = try path("image", id, .uploadImage)
        guard (1...APILimits.imageByteCount).contains(png.count),
            png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        else {
            throw .invalid(
                .uploadImage, "The image is no PNG of at most \(APILimits.imageByteCount) bytes.")
        }
        return try await emit(
            APIRequest(
                endpoint: .uploadImage, method: .put, path: path,
                query: size.map { [.init(name: "imageSize", value: $0.rawValue)] } ?? [],
                body: png, contentType: "image/png"), .only(environment))
    }

    /// Delete Image. Sent once.
    public func deleteImage(
        _ id: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await delete(.deleteImage, try path("image", id, .deleteImage), environment)
    }

    /// Get Image List.
    public func imageList(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<ImageListResponse> {
        try await read(.imageList, "\(Self.messaging)/image/list", .only(environment))
    }

    /// Upload Message, under a UUID of the caller's. Sent once.
    public func uploadMessage(
        _ id: String, _ request: UploadMessageRequest, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let path = try path("message", id, .uploadMessage)
        try requireMessage(request)
        // As images are uploaded.
        var sent = request
        sent.image?.imageIdentifier = request.image?.imageIdentifier?.lowercased()
        sent.bulletPoints = request.bulletPoints?.map { point in
            var point = point
            point.imageIdentifier = point.imageIdentifier?.lowercased()
            return point
        }
        return try await emit(
            APIRequest(
                endpoint: .uploadMessage, method: .put, path: path, body: sent.encoded()),
            .only(environment))
    }

    /// Delete Message. Sent once.
    public func deleteMessage(
        _ id: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await delete(.deleteMessage, try path("message", id, .deleteMessage), environment)
    }

    /// Get Message List.
    public func messageList(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<MessageListResponse> {
        try await read(.messageList, "\(Self.messaging)/message/list", .only(environment))
    }

    /// Configure Default Message.
    public func configureDefaultMessage(
        _ id: String, product: ProductId, locale: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.configureDefaultMessage
        try requireUUID(id, endpoint)
        return try await emit(
            APIRequest(
                endpoint: endpoint, method: .put, path: try path(product, locale, endpoint),
                body: APIRequest.body("messageIdentifier", id.lowercased())), .only(environment))
    }

    /// Delete Default Message. Sent once.
    public func deleteDefaultMessage(
        product: ProductId, locale: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.deleteDefaultMessage
        return try await delete(endpoint, try path(product, locale, endpoint), environment)
    }

    /// Get Default Message.
    public func defaultMessage(
        product: ProductId, locale: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<DefaultMessage> {
        let endpoint = Endpoint.defaultMessage
        return try await read(endpoint, try path(product, locale, endpoint), .only(environment))
    }

    /// Configure Realtime URL.
    public func configureRealtimeURL(
        _ url: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.configureRealtimeURL
        let isUsable = Self.realtimePrefixes.contains { url.hasPrefix($0) }
        guard isUsable, url.count <= APILimits.realtimeURLCharacterCount else {
            throw .invalid(
                endpoint,
                "The address must begin with https:// and have at most"
                    + " \(APILimits.realtimeURLCharacterCount) characters; http:// is for a"
                    + " simulated Apple on the same machine, which reaches 127.0.0.1 only.")
        }
        return try await emit(
            APIRequest(
                endpoint: endpoint, method: .put, path: Self.realtimePath,
                body: APIRequest.body("realtimeURL", url)), .only(environment))
    }

    /// Delete Realtime URL. Sent once.
    public func deleteRealtimeURL(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await delete(.deleteRealtimeURL, Self.realtimePath, environment)
    }

    /// Get Realtime URL.
    public func realtimeURL(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<RealtimeURL> {
        try await read(.realtimeURL, Self.realtimePath, .only(environment))
    }

    /// Initiate Performance Test: Apple sends requests about the subscription to the address
    /// configured in Sandbox. Sent once.
    public func initiatePerformanceTest(
        _ id: OriginalTransactionId
    ) async throws(APIFailure) -> APIResponse<PerformanceTestResponse> {
        let endpoint = Endpoint.initiatePerformanceTest
        _ = try APIRequest.segment(id.rawValue, "originalTransactionId", endpoint)
        return try await response(
            APIRequest(
                endpoint: endpoint, method: .post, path: "\(Self.messaging)/performanceTest",
                body: APIRequest.body("originalTransactionId", id.rawValue)), .only(.sandbox))
    }

    /// Get Performance Test Results.
    public func performanceTestResult(
        _ requestId: String
    ) async throws(APIFailure) -> APIResponse<PerformanceTestResult> {
        let endpoint = Endpoint.performanceTestResult
        let segment = try APIRequest.segment(requestId, "requestId", endpoint)
        return try await read(
            endpoint, "\(Self.messaging)/performanceTest/result/\(segment)", .only(.sandbox))
    }

    // MARK: Requests

    private static var messaging: String { "/inApps/v1/messaging" }
    /// Apple takes https only.
    private static let realtimePrefixes = ["https://", "http://127.0.0.1:"]
    private static var realtimePath: String { "\(messaging)/realtime/url" }

    private func path(
        _ kind: String, _ id: String, _ endpoint: Endpoint
    ) throws(APIFailure) -> String {
        try requireUUID(id, endpoint)
        return "\(Self.messaging)/\(kind)/\(id.lowercased())"
    }

    private func path(
        _ product: ProductId, _ locale: String, _ endpoint: Endpoint
    ) throws(APIFailure) -> String {
        let product = try APIRequest.segment(product.rawValue, "productId", endpoint)
        let locale = try APIRequest.segment(locale, "locale", endpoint)
        return "\(Self.messaging)/default/\(product)/\(locale)"
    }

    private func delete(
        _ endpoint: Endpoint, _ path: String, _ environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await emit(
            APIRequest(endpoint: endpoint, method: .delete, path: path), .only(environment))
    }

    // MARK: Validation

    private func requireUUID(_ id: String, _ endpoint: Endpoint) throws(APIFailure) {
        guard UUID(uuidString: id) != nil else {
            throw .invalid(endpoint, "The identifier is not a UUID.")
        }
    }

    private func requireMessage(_ request: UploadMessageRequest) throws(APIFailure) {
        let bullets = request.bulletPoints ?? []
        let images =
            [request.image].compactMap { $0 }.map { ($0.imageIdentifier, $0.altText) }
            + bullets.map { ($0.imageIdentifier, $0.altText) }
        try require(request.header, "header", APILimits.messageHeaderCharacterCount)
        try require(request.body, "body", APILimits.messageBodyCharacterCount)
        guard bullets.count <= APILimits.bulletPointCount else {
            throw .invalid(
                .uploadMessage, "At most \(APILimits.bulletPointCount) bullet points.")
        }
        for bullet in bullets {
            try require(bullet.text, "bullet point", APILimits.messageHeaderCharacterCount)
        }
        for (id, text) in images {
            try requireUUID(id ?? "", .uploadMessage)
            try require(text, "description of an image", APILimits.altTextCharacterCount)
        }
        guard request.headerPosition != Raw(.aboveImage) || request.image != nil else {
            throw .invalid(.uploadMessage, "A header above the image requires an image.")
        }
    }

    private func require(
        _ text: String?, _ name: String, _ limit: Int
    ) throws(APIFailure) {
        guard let text, (1...limit).contains(text.count) else {
            throw .invalid(.uploadMessage, "A \(name) of 1 to \(limit) characters is required.")
        }
    }
}
