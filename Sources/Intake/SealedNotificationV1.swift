import AppStore
import Signing

/// A version 1 notification whose password is replaced by a seal: an HMAC of the rest, with the
/// password as its key. The secret itself is not stored, yet its holder can verify at any time that
/// a holder of the secret sent these bytes and that they are unchanged.
package struct SealedNotificationV1: Sendable, Undisclosed {
    /// The app the body names, before verification.
    package let bundleId: BundleId?
    private let body: [UInt8]
    /// The range of the password or seal in the body.
    private let place: Range<Int>
    private let authenticator: Authenticator

    private enum Authenticator: Sendable {
        /// The password as received.
        case password(String)
        /// The HMAC of a body that came sealed.
        case seal(Digest)
    }

    static let prefix = "hmac-sha256:"
    /// Length of a seal in excess of an empty password.
    static let byteCount = prefix.utf8.count + 64

    /// From a body as posted, with its password, or already sealed, and its head. Nil without a
    /// password.
    init?(_ body: [UInt8], _ head: NotificationV1.Head) {
        guard let found = head.password, let text = found.text,
            // An HMAC key that ends in zeros is equivalent to one without them (RFC 2104).
            !text.utf8.contains(0)
        else {
            return nil
        }
        self.body = body
        bundleId = head.bundleId
        place = found.range
        let code =
            text.hasPrefix(SealedNotificationV1.prefix)
            ? Digest(hexadecimal: text.dropFirst(SealedNotificationV1.prefix.count)) : nil
        authenticator = code.map { .seal($0) } ?? .password(text)
    }

    /// A copy of the body with an empty password: the sealed bytes, which identify the body
    /// whatever its password.
    var blank: [UInt8] { body(with: "") }

    /// The stored form: the body with `"hmac-sha256:<64 hexadecimal digits>"` as its password.
    var bytes: [UInt8] {
        switch authenticator {
        case .seal: return body
        case .password(let text):
            let code = HMACSHA256.code([blank], key: Array(text.utf8))
            return body(with: "\(SealedNotificationV1.prefix)\(code.hexadecimal)")
        }
    }

    /// Whether it was sent, or sealed, with one of the app's secrets, compared in constant time.
    package func isSealed(by secret: SharedSecret) -> Bool {
        switch authenticator {
        case .password(let text): secret.isEqual(to: text)
        case .seal(let code): secret.verifies(code, of: blank)
        }
    }

    /// The whole body, for decoding after verification.
    func parsed() throws(JSONError) -> JSONValue { try JSONValue.parse(body) }

    /// Whether its password also occurs elsewhere, in any spelling. Such a body is not kept:
    /// sealing removes the password in one place only.
    var repeatsPassword: Bool {
        guard case .password(let text) = authenticator, let own = SharedSecret(text: text) else {
            return false
        }
        return own.occurs(in: rest)
    }

    /// The parts before and after the password.
    var rest: [ArraySlice<UInt8>] {
        [body[..<place.lowerBound], body[place.upperBound...]]
    }

    private func body(with password: String) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(body.count + SealedNotificationV1.byteCount)
        copy += body[..<place.lowerBound]
        copy += Array("\"\(password)\"".utf8)
        copy += body[place.upperBound...]
        return copy
    }
}
