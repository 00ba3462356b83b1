import AppStore
import Testing

@testable import AppStoreAPI

extension RequestTests {
    static let uuid = "758883e8-151b-47b7-abd0-60c4d804c2f5"

    /// A PNG's first bytes.
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x41]

    static let messaging: [Case] = [
        Case(
            endpoint: .uploadImage, method: "PUT",
            target: "/inApps/v1/messaging/image/\(uuid)?imageSize=FULL_SIZE",
            body: String(decoding: png, as: UTF8.self)
        ) { _ = try await $0.uploadImage(uuid, png, size: .fullSize, in: .production) },
        Case(
            endpoint: .deleteImage, method: "DELETE", target: "/inApps/v1/messaging/image/\(uuid)"
        ) { _ = try await $0.deleteImage(uuid.uppercased(), in: .production) },
        Case(endpoint: .imageList, method: "GET", target: "/inApps/v1/messaging/image/list") {
            _ = try await $0.imageList(in: .production)
        },
        Case(
            endpoint: .uploadMessage, method: "PUT",
            target: "/inApps/v1/messaging/message/\(uuid)",
            body: """
                {"header":"Stay","body":"More","image":{"imageIdentifier":"\(uuid)",\
                "altText":"A"},"headerPosition":"ABOVE_IMAGE","bulletPoints":[{"text":"B",\
                "imageIdentifier":"\(uuid)","altText":"C"}]}
                """
        ) { _ = try await $0.uploadMessage(uuid, message(), in: .production) },
        Case(
            endpoint: .deleteMessage, method: "DELETE",
            target: "/inApps/v1/messaging/message/\(uuid)"
        ) { _ = try await $0.deleteMessage(uuid, in: .production) },
        Case(endpoint: .messageList, method: "GET", target: "/inApps/v1/messaging/message/list") {
            _ = try await $0.messageList(in: .production)
        },
        Case(
            endpoint: .configureDefaultMessage, method: "PUT",
            target: "/inApps/v1/messaging/default/com.example.pro/en-US",
            body: "{\"messageIdentifier\":\"\(uuid)\"}"
        ) {
            _ = try await $0.configureDefaultMessage(
                uuid, product: ProductId("com.example.pro"), locale: "en-US", in: .production)
        },
        Case(
            endpoint: .deleteDefaultMessage, method: "DELETE",
            target: "/inApps/v1/messaging/default/com.example.pro/en-US"
        ) {
            _ = try await $0.deleteDefaultMessage(
                product: ProductId("com.example.pro"), locale: "en-US", in: .production)
        },
        Case(
            endpoint: .defaultMessage, method: "GET",
            target: "/inApps/v1/messaging/default/com.example.pro/en-US"
        ) {
            _ = try await $0.defaultMessage(
                product: ProductId("com.example.pro"), locale: "en-US", in: .production)
        },
        Case(
            endpoint: .configureRealtimeURL, method: "PUT",
            target: "/inApps/v1/messaging/realtime/url",
            body: "{\"realtimeURL\":\"https://example.com/r\"}"
        ) { _ = try await $0.configureRealtimeURL("https://example.com/r", in: .production) },
        Case(
            endpoint: .deleteRealtimeURL, method: "DELETE",
            target: "/inApps/v1/messaging/realtime/url"
        ) { _ = try await $0.deleteRealtimeURL(in: .production) },
        Case(endpoint: .realtimeURL, method: "GET", target: "/inApps/v1/messaging/realtime/url") {
            _ = try await $0.realtimeURL(in: .production)
        },
        Case(
            endpoint: .initiatePerformanceTest, method: "POST",
            target: "/inApps/v1/messaging/performanceTest",
            body: "{\"originalTransactionId\":\"2000\"}",
            host: "api.storekit-sandbox.apple.com"
        ) { _ = try await $0.initiatePerformanceTest(OriginalTransactionId("2000")) },
        Case(
            endpoint: .performanceTestResult, method: "GET",
            target: "/inApps/v1/messaging/performanceTest/result/t-1",
            host: "api.storekit-sandbox.apple.com"
        ) { _ = try await $0.performanceTestResult("t-1") },
    ]

    static func message() -> UploadMessageRequest {
        var image = MessageImage()
        image.imageIdentifier = uuid
        image.altText = "A"
        var bullet = MessageBulletPoint()
        bullet.text = "B"
        bullet.imageIdentifier = uuid
        bullet.altText = "C"
        var request = UploadMessageRequest()
        request.header = "Stay"
        request.body = "More"
        request.image = image
        request.headerPosition = Raw(.aboveImage)
        request.bulletPoints = [bullet]
        return request
    }

    @Test("A retention message has Apple's lengths, and not one character more")
    func messageBounds() async throws {
        let asked = try Asked([.json("")])
        let changes: [@Sendable (inout UploadMessageRequest, Int) -> Void] = [
            {
                $0.header = String(
                    repeating: "h", count: APILimits.messageHeaderCharacterCount + $1)
            },
            { $0.body = String(repeating: "b", count: APILimits.messageBodyCharacterCount + $1) },
            {
                $0.image?.altText = String(
                    repeating: "a", count: APILimits.altTextCharacterCount + $1)
            },
            {
                $0.bulletPoints = Array(
                    repeating: RequestTests.message().bulletPoints![0],
                    count: APILimits.bulletPointCount + $1)
            },
        ]
        for (index, change) in changes.enumerated() {
            var request = RequestTests.message()
            change(&request, 1)
            let sent = request
            let failure = await Asked.failure {
                _ = try await asked.client.uploadMessage(RequestTests.uuid, sent, in: .production)
            }
            #expect(failure?.code == .invalidRequest)
            #expect(asked.transport.requests.count == index)
            change(&request, 0)
            _ = try await asked.client.uploadMessage(RequestTests.uuid, request, in: .production)
            #expect(asked.transport.requests.count == index + 1)
        }
    }

    @Test("An image and an address have their greatest length, and not one more")
    func lengths() async throws {
        for (excess, isSent) in [(0, true), (1, false)] {
            let asked = try Asked([.json("")])
            let padding = APILimits.imageByteCount - RequestTests.png.count + excess
            let image = RequestTests.png + Array(repeating: 0x41, count: padding)
            let start = "https://example.com/"
            let rest = APILimits.realtimeURLCharacterCount - start.count + excess
            let address = start + String(repeating: "a", count: rest)
            let failures = [
                await Asked.failure {
                    _ = try await asked.client.uploadImage(
                        RequestTests.uuid, image, size: nil, in: .production)
                },
                await Asked.failure {
                    _ = try await asked.client.configureRealtimeURL(address, in: .production)
                },
            ]
            let code: APIFailure.Code? = isSent ? nil : .invalidRequest
            #expect(failures.map { $0?.code } == [code, code])
            #expect(asked.transport.requests.count == (isSent ? 2 : 0))
        }
    }

    @Test("A message names its images in lower case, as they are uploaded")
    func imageIdentifiers() async throws {
        let asked = try Asked([.json("")])
        var request = RequestTests.message()
        request.image?.imageIdentifier = RequestTests.uuid.uppercased()
        request.bulletPoints?[0].imageIdentifier = RequestTests.uuid.uppercased()
        _ = try await asked.client.uploadMessage(RequestTests.uuid, request, in: .production)
        #expect(asked.transport.requests.first?.body == RequestTests.message().encoded())
    }

    @Test("An image is a PNG, an identifier a UUID, an address HTTPS")
    func unusableMessaging() async throws {
        let asked = try Asked([.json("")])
        let failures = [
            await Asked.failure {
                _ = try await asked.client.uploadImage(
                    RequestTests.uuid, [0x47, 0x49, 0x46], size: nil, in: .production)
            },
            await Asked.failure {
                _ = try await asked.client.deleteMessage("../message", in: .production)
            },
            await Asked.failure {
                _ = try await asked.client.configureRealtimeURL(
                    "http://example.com", in: .production)
            },
        ]
        #expect(failures.map { $0?.code } == Array(repeating: .invalidRequest, count: 3))
        #expect(asked.transport.requests.isEmpty)
    }
}
