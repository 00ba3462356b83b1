public import AppStore

/// The Retention Messaging API. Its objects belong to one environment; tests run in Sandbox only.
extension AppStoreServerAPIClient {
    /// Upload Image: a PNG, under a UUID of the caller's. Sent once.
    public func uploadImage(
        _ id: String, _ png: [UInt8], size: MessageImageSize?, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        var request = try APIRequest(
            .uploadImage, [id],
            query: size.map { [.init(name: "imageSize", value: $0.rawValue)] } ?? [], body: png)
        request.contentType = "image/png"
        let isPNG = png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        try Endpoint.uploadImage.require(
            isPNG && png.count <= APILimits.imageByteCount,
            "The image is no PNG of at most \(APILimits.imageByteCount) bytes.")
        return try await emit(request, .only(environment))
    }

    /// Delete Image. Sent once.
    public func deleteImage(
        _ id: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await emit(APIRequest(.deleteImage, [id]), .only(environment))
    }

    /// Get Image List.
    public func imageList(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<ImageListResponse> {
        try await response(APIRequest(.imageList), .only(environment))
    }

    /// Upload Message, under a UUID of the caller's. Sent once.
    public func uploadMessage(
        _ id: String, _ request: UploadMessageRequest, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        var upload = try APIRequest(.uploadMessage, [id])
        try requireMessage(request)
        // As images are uploaded.
        var sent = request
        sent.image?.imageIdentifier = request.image?.imageIdentifier?.lowercased()
        sent.bulletPoints = request.bulletPoints?.map { point in
            var point = point
            point.imageIdentifier = point.imageIdentifier?.lowercased()
            return point
        }
        upload.body = sent.encoded()
        return try await emit(upload, .only(environment))
    }

    /// Delete Message. Sent once.
    public func deleteMessage(
        _ id: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await emit(APIRequest(.deleteMessage, [id]), .only(environment))
    }

    /// Get Message List.
    public func messageList(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<MessageListResponse> {
        try await response(APIRequest(.messageList), .only(environment))
    }

    /// Configure Default Message.
    public func configureDefaultMessage(
        _ id: String, product: ProductId, locale: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.configureDefaultMessage
        try APIRequest.requireUUID(id, endpoint)
        let body = APIRequest.body("messageIdentifier", id.lowercased())
        return try await emit(
            APIRequest(endpoint, [product.rawValue, locale], body: body), .only(environment))
    }

    /// Delete Default Message. Sent once.
    public func deleteDefaultMessage(
        product: ProductId, locale: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await emit(
            APIRequest(.deleteDefaultMessage, [product.rawValue, locale]), .only(environment))
    }

    /// Get Default Message.
    public func defaultMessage(
        product: ProductId, locale: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<DefaultMessage> {
        try await response(
            APIRequest(.defaultMessage, [product.rawValue, locale]), .only(environment))
    }

    /// Configure Realtime URL.
    public func configureRealtimeURL(
        _ url: String, in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let endpoint = Endpoint.configureRealtimeURL
        let isUsable = Self.realtimePrefixes.contains { url.hasPrefix($0) }
        try endpoint.require(
            isUsable && url.count <= APILimits.realtimeURLCharacterCount,
            "The address must begin with https:// and have at most"
                + " \(APILimits.realtimeURLCharacterCount) characters; http:// is for a"
                + " simulated Apple on the same machine, which reaches 127.0.0.1 only.")
        return try await emit(
            APIRequest(endpoint, body: APIRequest.body("realtimeURL", url)), .only(environment))
    }

    /// Delete Realtime URL. Sent once.
    public func deleteRealtimeURL(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        try await emit(APIRequest(.deleteRealtimeURL), .only(environment))
    }

    /// Get Realtime URL.
    public func realtimeURL(
        in environment: Environment
    ) async throws(APIFailure) -> APIResponse<RealtimeURL> {
        try await response(APIRequest(.realtimeURL), .only(environment))
    }

    /// Initiate Performance Test: Apple sends requests about the subscription to the address
    /// configured in Sandbox. Sent once.
    public func initiatePerformanceTest(
        _ id: OriginalTransactionId
    ) async throws(APIFailure) -> APIResponse<PerformanceTestResponse> {
        let endpoint = Endpoint.initiatePerformanceTest
        _ = try APIRequest.segment(id.rawValue, "originalTransactionId", endpoint)
        let body = APIRequest.body("originalTransactionId", id.rawValue)
        return try await response(APIRequest(endpoint, body: body), .only(.sandbox))
    }

    /// Get Performance Test Results.
    public func performanceTestResult(
        _ requestId: String
    ) async throws(APIFailure) -> APIResponse<PerformanceTestResult> {
        try await response(APIRequest(.performanceTestResult, [requestId]), .only(.sandbox))
    }

    /// Apple takes https only.
    private static let realtimePrefixes = ["https://", "http://127.0.0.1:"]

    // MARK: Validation

    private func requireMessage(_ request: UploadMessageRequest) throws(APIFailure) {
        let bullets = request.bulletPoints ?? []
        let images =
            [request.image].compactMap { $0 }.map { ($0.imageIdentifier, $0.altText) }
            + bullets.map { ($0.imageIdentifier, $0.altText) }
        try require(request.header, "header", APILimits.messageHeaderCharacterCount)
        try require(request.body, "body", APILimits.messageBodyCharacterCount)
        let endpoint = Endpoint.uploadMessage
        try endpoint.require(
            bullets.count <= APILimits.bulletPointCount,
            "At most \(APILimits.bulletPointCount) bullet points.")
        for bullet in bullets {
            try require(bullet.text, "bullet point", APILimits.messageHeaderCharacterCount)
        }
        for (id, text) in images {
            try APIRequest.requireUUID(id ?? "", endpoint)
            try require(text, "description of an image", APILimits.altTextCharacterCount)
        }
        try endpoint.require(
            request.headerPosition != Raw(.aboveImage) || request.image != nil,
            "A header above the image requires an image.")
    }

    private func require(
        _ text: String?, _ name: String, _ limit: Int
    ) throws(APIFailure) {
        guard let text, (1...limit).contains(text.count) else {
            throw .invalid(.uploadMessage, "A \(name) of 1 to \(limit) characters is required.")
        }
    }
}
