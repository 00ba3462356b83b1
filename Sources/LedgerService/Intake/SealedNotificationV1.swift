import AppStore
import Signing

/// A version 1 notification whose password was replaced by a seal: a keyed digest of all the rest,
/// made with the password as its key. The secret itself is nowhere, and yet who has it can tell at
/// any time that Apple, or whoever else had it, sent these bytes, and that none was changed since.
struct SealedNotificationV1: Sendable {
    /// What is kept: the body with `"hmac-sha256:<64 hexadecimal digits>"` for its password.
    let bytes: [UInt8]
    /// The body with an empty password: what was sealed, and what tells one body from another,
    /// whatever its password.
    let blank: [UInt8]
    private let code: Digest
    /// The password as it came; nil of a body that came sealed.
    private let password: String?

    static let prefix = "hmac-sha256:"

    /// Seals a body as it was posted, with the password inside it; one that is sealed already stays
    /// as it is.
    ///
    /// Throws `JSONError` for what is not JSON; nil without a password.
    init?(_ body: [UInt8]) throws(JSONError) {
        guard let found = try NotificationV1.password(in: body), let text = found.text,
            // A key that ends in zeros has the codes of one without them (RFC 2104).
            !text.utf8.contains(0)
        else {
            return nil
        }
        var blank = body
        blank.replaceSubrange(found.range, with: Array("\"\"".utf8))
        self.blank = blank
        if text.hasPrefix(SealedNotificationV1.prefix),
            let code = Digest(
                hexadecimal: text.dropFirst(SealedNotificationV1.prefix.count))
        {
            self.code = code
            self.password = nil
            bytes = body
            return
        }
        code = HMACSHA256.code([blank], key: Array(text.utf8))
        self.password = text
        var sealed = body
        let seal = "\"\(SealedNotificationV1.prefix)\(code.hexadecimal)\""
        sealed.replaceSubrange(found.range, with: Array(seal.utf8))
        bytes = sealed
    }

    /// Whether it was sealed with one of the app's secrets, compared in constant time.
    func isSealed(by secret: SharedSecret) -> Bool {
        // What came with a password was sealed with it just now.
        password.map { secret.isEqual(to: $0) } ?? secret.made(code, of: blank)
    }
}

extension SealedNotificationV1: CustomStringConvertible, CustomReflectable {
    /// Nothing of the body, and no password.
    var description: String { "SealedNotificationV1" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
