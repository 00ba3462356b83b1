public import AppStore
public import Intake
import Signing

/// The signing secrets of an endpoint (Standard Webhooks), read from a file with one `whsec_…` per
/// line. Never printed: neither its description nor its mirror contains it.
public struct WebhookSecret: Sendable, Equatable, Undisclosed {
    private let keys: [[UInt8]]

    static let prefix = "whsec_"

    /// Reads the text of a secret file; nil unless each line is `whsec_` and the base64 of 24 to 64
    /// bytes.
    public init?(text: String) {
        let lines = SecretFile.lines(text)
        guard (1...WebhookLimits.secretCount).contains(lines.count) else { return nil }
        var keys: [[UInt8]] = []
        for line in lines {
            guard line.hasPrefix(WebhookSecret.prefix),
                let key = Base64.standard.decode(
                    Array(line.utf8.dropFirst(WebhookSecret.prefix.utf8.count))),
                WebhookLimits.secretByteCounts.contains(key.count)
            else { return nil }
            keys.append(key)
        }
        self.keys = keys
    }

    public init(file: String, key: String) throws(ConfigurationError) {
        let text = try SecretFile.text(file, key: key, upTo: WebhookLimits.secretFileByteCount)
        guard let secret = WebhookSecret(text: text) else {
            throw ConfigurationError(
                .invalidValue, key: key,
                reason: "The file must hold whsec_ and the base64 of 24 to 64 bytes, a line each"
                    + " for at most \(WebhookLimits.secretCount) secrets.")
        }
        self = secret
    }

    /// The `webhook-signature` header: for each secret `v1,` and the base64 of the HMAC over
    /// `id.timestamp.body`.
    func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let head = Array("\(id).\(timestamp).".utf8)
        return keys.map { key in
            let code = HMACSHA256.code([head, body], key: key)
            return "v1," + String(decoding: Base64.standard.encode(code.bytes), as: UTF8.self)
        }.joined(separator: " ")
    }
}
