import AppStore
import Signing

/// A version 1 notification whose password is replaced by a seal: a keyed digest of all the rest,
/// made with the password as its key. The secret itself is nowhere, and yet who has it can tell at
/// any time that Apple, or whoever else had it, sent these bytes, and that none was changed since.
package struct SealedNotificationV1: Sendable {
    /// The app the body names, before it is believed.
    let bundleId: BundleId?
    private let body: [UInt8]
    /// Where the password, or the seal, stands in the body.
    private let place: Range<Int>
    private let vouching: Vouching

    private enum Vouching: Sendable {
        /// The password as it came.
        case password(String)
        /// The code of a body that came sealed.
        case seal(Digest)
    }

    static let prefix = "hmac-sha256:"
    /// How much longer than the shortest password, which is none, a seal is.
    static let byteCount = prefix.utf8.count + 64

    /// Of a body as it was posted, with the password inside it, or sealed already, and of its head.
    /// Nil without a password.
    init?(_ body: [UInt8], _ head: NotificationV1.Head) {
        guard let found = head.password, let text = found.text,
            // A key that ends in zeros has the codes of one without them (RFC 2104).
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
        vouching = code.map { .seal($0) } ?? .password(text)
    }

    /// The body with an empty password: what is sealed, and what tells one body from another,
    /// whatever its password. A copy.
    var blank: [UInt8] { body(with: "") }

    /// What is kept: the body with `"hmac-sha256:<64 hexadecimal digits>"` for its password.
    var bytes: [UInt8] {
        switch vouching {
        case .seal: return body
        case .password(let text):
            let code = HMACSHA256.code([blank], key: Array(text.utf8))
            return body(with: "\(SealedNotificationV1.prefix)\(code.hexadecimal)")
        }
    }

    /// Whether it was sent, or sealed, with one of the app's secrets, compared in constant time.
    package func isSealed(by secret: SharedSecret) -> Bool {
        switch vouching {
        case .password(let text): secret.isEqual(to: text)
        case .seal(let code): secret.made(code, of: blank)
        }
    }

    /// All of it, for decoding once it is believed.
    func parsed() throws(JSONError) -> JSONValue { try JSONValue.parse(body) }

    /// Whether its own password stands anywhere else, too, in whatever spelling. Such a body is not
    /// kept: sealing takes the password out of one place.
    var repeatsPassword: Bool {
        guard case .password(let text) = vouching, let own = SharedSecret(text: text) else {
            return false
        }
        return own.stands(in: rest)
    }

    /// What stands before the password, and behind it.
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

extension SealedNotificationV1: CustomStringConvertible, CustomReflectable {
    /// Nothing of the body, and no password.
    package var description: String { "SealedNotificationV1" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
