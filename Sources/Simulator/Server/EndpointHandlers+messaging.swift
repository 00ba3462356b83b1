import AppStore
import Foundation
import Synchronization

/// The Retention Messaging API. Images and messages are approved at once, as Sandbox does.
extension EndpointHandlers {
    // MARK: Images

    func uploadImage(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        try requireUUID(id)
        guard request.body.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
            throw ServedError(4_000_161, "Invalid image.")
        }
        let size = request.value("imageSize")
        guard size.map({ ["FULL_SIZE", "BULLET_POINT"].contains($0) }) ?? true else {
            throw ServedError(4_000_216, "Bad image size.")
        }
        return try change { (messaging) throws(ServedError) in
            guard messaging.images[id] == nil else {
                throw ServedError(4_090_000, "The image exists.")
            }
            guard messaging.images.count < ServedMessaging.count else {
                throw ServedError(4_030_014, "Too many images.")
            }
            messaging.images.updateValue(size, forKey: id)
        }
    }

    func deleteImage(_ id: String) throws(ServedError) -> ServedResponse {
        return try change { (messaging) throws(ServedError) in
            guard messaging.images[id] != nil else {
                throw ServedError(4_040_014, "Image not found.")
            }
            guard !messaging.messages.values.contains(where: { $0.contains(id) }) else {
                throw ServedError(4_030_019, "The image is in use.")
            }
            messaging.images.removeValue(forKey: id)
        }
    }

    func imageList() -> ServedResponse {
        let images = api.state.withLock { $0.messaging.images }.sorted { $0.key < $1.key }
        return list("image", images.map { (id: $0.key, size: $0.value) })
    }

    /// The approved images or messages.
    private func list(_ kind: String, _ entries: [(id: String, size: String?)]) -> ServedResponse {
        ServedResponse { json in
            json.objects("\(kind)Identifiers", entries) { json, entry in
                json.member("\(kind)Identifier", entry.id)
                json.member("\(kind)State", "APPROVED")
                json.memberIfPresent("imageSize", entry.size)
            }
        }
    }

    // MARK: Messages

    func uploadMessage(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        try requireUUID(id)
        let body = try object(request.body)
        let images = try messageImages(body)
        return try change { (messaging) throws(ServedError) in
            guard messaging.messages[id] == nil else {
                throw ServedError(4_090_001, "The message exists.")
            }
            guard messaging.messages.count < ServedMessaging.count else {
                throw ServedError(4_030_016, "Too many messages.")
            }
            guard images.allSatisfy({ messaging.images[$0] != nil }) else {
                throw ServedError(4_040_014, "Image not found.")
            }
            messaging.messages[id] = images
        }
    }

    /// The images of a message whose texts have Apple's lengths.
    private func messageImages(_ body: JSONValue) throws(ServedError) -> Set<String> {
        let bullets = body["bulletPoints"]?.array ?? []
        let parts = [body["image"]].compactMap { $0 } + bullets
        guard let header = body["header"]?.string, header.count <= 66 else {
            throw ServedError(4_000_162, "Header too long.")
        }
        guard let text = body["body"]?.string, text.count <= 144 else {
            throw ServedError(4_000_163, "Body too long.")
        }
        guard parts.allSatisfy({ ($0["altText"]?.string?.count ?? 0) <= 150 }) else {
            throw ServedError(4_000_175, "Alt text too long.")
        }
        guard bullets.count <= 5 else { throw ServedError(4_000_218, "Too many bullet points.") }
        guard bullets.allSatisfy({ ($0["text"]?.string?.count ?? 0) <= 66 }) else {
            throw ServedError(4_000_219, "Bullet point text too long.")
        }
        guard body["headerPosition"]?.string != "ABOVE_IMAGE" || body["image"] != nil else {
            throw ServedError(4_000_224, "ABOVE_IMAGE requires an image.")
        }
        return Set(parts.compactMap { $0["imageIdentifier"]?.string })
    }

    func deleteMessage(_ id: String) throws(ServedError) -> ServedResponse {
        try change { (messaging) throws(ServedError) in
            guard messaging.messages.removeValue(forKey: id) != nil else {
                throw ServedError(4_040_015, "Message not found.")
            }
        }
    }

    func messageList() -> ServedResponse {
        let messages = api.state.withLock { $0.messaging.messages.keys.sorted() }
        return list("message", messages.map { (id: $0, size: nil) })
    }

    // MARK: Defaults

    func setDefault(
        _ ids: [String], _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let message = try object(request.body)["messageIdentifier"]?.string ?? ""
        return try change { (messaging) throws(ServedError) in
            guard messaging.messages[message] != nil else {
                throw ServedError(4_040_015, "Message not found.")
            }
            messaging.defaults[ids.joined(separator: " ")] = message
        }
    }

    func removeDefault(_ ids: [String]) throws(ServedError) -> ServedResponse {
        try change { (messaging) throws(ServedError) in
            guard messaging.defaults.removeValue(forKey: ids.joined(separator: " ")) != nil else {
                throw ServedError(4_040_020, "Default message not found.")
            }
        }
    }

    func defaultMessage(_ ids: [String]) throws(ServedError) -> ServedResponse {
        let found = api.state.withLock { $0.messaging.defaults[ids.joined(separator: " ")] }
        guard let found else { throw ServedError(4_040_020, "Default message not found.") }
        return ServedResponse { $0.member("messageIdentifier", found) }
    }

    // MARK: The real-time URL and its test

    func setRealtimeURL(_ request: ServedRequest) throws(ServedError) -> ServedResponse {
        guard let url = try object(request.body)["realtimeURL"]?.string, url.count <= 256,
            url.hasPrefix("https://") || EndpointHandlers.isLocal(url)
        else { throw ServedError(4_000_215, "Bad real-time URL.") }
        return change { $0.realtimeURL = url }
    }

    /// Whether a URL is of a service on this machine, which needs no TLS. Apple would refuse it.
    private static func isLocal(_ text: String) -> Bool {
        guard let url = URL(string: text), url.scheme == "http" else { return false }
        return url.host == "127.0.0.1"
    }

    func removeRealtimeURL() throws(ServedError) -> ServedResponse {
        _ = try configuredURL()
        return change { $0.realtimeURL = nil }
    }

    func realtimeURL() throws(ServedError) -> ServedResponse {
        let url = try configuredURL()
        return ServedResponse { $0.member("realtimeURL", url) }
    }

    private func configuredURL() throws(ServedError) -> String {
        guard let url = api.state.withLock({ $0.messaging.realtimeURL }) else {
            throw ServedError(4_040_021, "Real-time URL not found.")
        }
        return url
    }

    /// `SimulatedServer` sends the requests.
    func startTest(_ request: ServedRequest) throws(ServedError) -> ServedResponse {
        let chain = try chain(try object(request.body)["originalTransactionId"]?.string ?? "")
        let test = ServedPerformanceTest(
            chain: chain.originalTransactionId, target: try configuredURL())
        let begun = api.state.withLock { state -> String? in
            guard !state.messaging.tests.values.contains(where: { $0.isPending }) else {
                return nil
            }
            let id = "test-\(state.messaging.tests.count + 1)"
            state.messaging.tests[id] = test
            return id
        }
        guard let id = begun else { throw ServedError(4_000_213, "A test is running.") }
        api.testBegun.yield(id)
        return ServedResponse { json in
            ServedPerformanceTest.writeConfig(to: &json)
            json.member("requestId", id)
        }
    }

    func testResult(_ id: String) throws(ServedError) -> ServedResponse {
        guard let test = api.state.withLock({ $0.messaging.tests[id] }) else {
            throw ServedError(4_040_018, "Test run not found.")
        }
        return ServedResponse { test.writeMembers(to: &$0) }
    }

    // MARK: Checks

    private func change<Failure: Error>(
        _ body: (inout ServedMessaging) throws(Failure) -> Void
    ) throws(Failure) -> ServedResponse {
        try api.state.withLock { (state) throws(Failure) in try body(&state.messaging) }
        return ServedResponse(status: 200)
    }

    private func requireUUID(_ id: String) throws(ServedError) {
        guard UUID(uuidString: id) != nil else { throw ServedError(4_000_212, "Invalid id.") }
    }
}
