public import AppStore
import Foundation
import Signing
import Synchronization

/// An app's shared secret of App Store Connect: authenticates version 1 notifications, and is sent
/// to verifyReceipt. Read from a file with one per line, so that the old one stays valid during
/// rotation. Never printed: neither its description nor its mirror contains it.
public struct SharedSecret: Sendable, Equatable, Undisclosed {
    /// The first one is sent in requests.
    private let values: [String]

    /// Apple's have 32 characters; other short lengths are allowed.
    static let byteCounts = 8...128
    /// Secrets in one file.
    static let count = 4
    static let fileByteCount = 4 * 1024

    /// Reads the text of a secret file; nil unless each line is one word of a valid length.
    public init?(text: String) {
        let lines = SecretFile.lines(text)
        guard (1...SharedSecret.count).contains(lines.count),
            lines.allSatisfy({ line in
                SharedSecret.byteCounts.contains(line.utf8.count)
                    && line.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            })
        else { return nil }
        values = lines
    }

    /// Reads a secret file; `key` names the setting in errors.
    public init(file: String, key: String) throws(ConfigurationError) {
        let text = try SecretFile.text(file, key: key, upTo: SharedSecret.fileByteCount)
        guard let secret = SharedSecret(text: text) else {
            throw ConfigurationError(
                .invalidValue, key: key,
                reason: "The file must hold the app's shared secret of App Store Connect, 8 to 128"
                    + " characters without spaces; one per line, at most \(SharedSecret.count).")
        }
        self = secret
    }

    /// The newest, for requests to Apple.
    public var newest: String { values[0] }

    /// Whether `text` is one of them, compared in constant time.
    func isEqual(to text: String) -> Bool {
        let digest = SHA256.hash(Array(text.utf8))
        // Compares all of them, even after a match.
        return values.reduce(false) { found, value in
            SHA256.hash(Array(value.utf8)).equalsInConstantTime(digest) || found
        }
    }

    /// Whether JSON bytes contain one of them, plainly or with characters escaped.
    func occurs(in bytes: [ArraySlice<UInt8>]) -> Bool {
        occurs(inSpellings: SharedSecret.spellings(bytes))
    }

    /// The part of a response to the secret that may be displayed: all of it, without the value of
    /// a `password` member. Nil where the secret occurs anywhere else.
    package func shown(_ body: [UInt8]) -> [UInt8]? {
        let rest = Redaction.withoutPasswords(body)
        return occurs(in: [rest[...]]) ? nil : rest
    }

    fileprivate func occurs(inSpellings bytes: [ArraySlice<UInt8>]) -> Bool {
        values.contains { value in
            let secret = Array(value.utf8)
            return bytes.contains { Redaction.contains(secret, in: $0) }
        }
    }

    /// The spellings that are replaced in copies: plain, and inside base64 of either alphabet.
    fileprivate var replaceable: [[UInt8]] {
        values.flatMap { value in
            [Array(value.utf8)] + (0..<3).flatMap { SharedSecret.base64(value, after: $0) }
        }
    }

    /// The base64 text, in either alphabet, of `value` at this offset within a three-byte group:
    /// only the characters that do not depend on adjacent bytes.
    private static func base64(_ value: String, after offset: Int) -> [[UInt8]] {
        let bytes = [UInt8](repeating: 0, count: offset) + Array(value.utf8)
        let first = (offset * 8 + 5) / 6
        let text = Data(bytes).base64EncodedString().prefix(bytes.count * 8 / 6).dropFirst(first)
        let forAddresses = text.replacing("+", with: "-").replacing("/", with: "_")
        return [Array(text.utf8), Array(forAddresses.utf8)]
    }

    /// JSON bytes as they are and, where anything is escaped, also unescaped.
    fileprivate static func spellings(_ bytes: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        let escape = [UInt8(ascii: "\\")]
        return bytes
            + bytes.filter { Redaction.contains(escape, in: $0) }
            .map { Redaction.unescaped($0)[...] }
    }

    /// Whether `code` is the HMAC of `message` under one of them.
    func verifies(_ code: Digest, of message: [UInt8]) -> Bool {
        values.reduce(false) { found, value in
            HMACSHA256.code([message], key: Array(value.utf8)).equalsInConstantTime(code) || found
        }
    }
}

/// The shared secrets of all apps that have one, shared by all intakes, so that changed files can
/// be reloaded while they run.
package final class SharedSecrets: Sendable {
    private let files: [BundleId: String]
    private let secrets: Mutex<[BundleId: SharedSecret]>

    /// An app whose file cannot be used, and the reason.
    package typealias Failure = (bundleId: BundleId, error: ConfigurationError)

    /// The files that could not be used when they were first read, in order: their apps have no
    /// secret. `doctor` and the start of the service report them.
    package let failures: [Failure]

    /// Reads the apps' files.
    package init(_ apps: [Configuration.App]) {
        files = Dictionary(
            apps.compactMap { app in app.sharedSecretFile.map { (app.bundleId, $0) } }
        ) { first, _ in first }
        let read = SharedSecrets.read(files)
        secrets = Mutex(read.secrets)
        failures = read.failures
    }

    private static func read(
        _ files: [BundleId: String]
    ) -> (secrets: [BundleId: SharedSecret], failures: [Failure]) {
        var secrets: [BundleId: SharedSecret] = [:]
        var failures: [Failure] = []
        for (bundleId, file) in files.sorted(by: { $0.key < $1.key }) {
            do throws(ConfigurationError) {
                secrets[bundleId] = try SharedSecret(file: file, key: "sharedSecretFile")
            } catch { failures.append((bundleId, error)) }
        }
        return (secrets, failures)
    }

    /// Reads every file again. An unusable file keeps the previous secret; returns those apps and
    /// the reasons, in order.
    package func reload() -> [Failure] {
        let read = SharedSecrets.read(files)
        secrets.withLock { $0.merge(read.secrets) { $1 } }
        return read.failures
    }

    package subscript(bundleId: BundleId) -> SharedSecret? { secrets.withLock { $0[bundleId] } }

    /// Whether any app has a file, usable or not.
    package var hasFiles: Bool { !files.isEmpty }

    /// Whether none of those apps has one.
    func isEmpty(where isMeant: (BundleId) -> Bool) -> Bool {
        secrets.withLock { $0 }.keys.allSatisfy { !isMeant($0) }
    }

    /// Whether JSON bytes contain the secret of any app, plainly or with characters escaped.
    func occur(in bytes: [ArraySlice<UInt8>]) -> Bool {
        let spellings = SharedSecret.spellings(bytes)
        return secrets.withLock { $0 }.contains { $0.value.occurs(inSpellings: spellings) }
    }

    /// Bytes of any kind with the secrets of all apps replaced, plain and inside base64; empty
    /// where one is spelled otherwise. Nil where there is nothing to replace.
    func replaced(in bytes: [UInt8]) -> [UInt8]? {
        let spellings = secrets.withLock { $0 }.values.flatMap(\.replaceable)
            .sorted { $0.count > $1.count }
        let occurs = { (bytes: [UInt8]) in
            SharedSecret.spellings([bytes[...]]).contains { text in
                spellings.contains { Redaction.contains($0, in: text) }
            }
        }
        guard occurs(bytes) else { return nil }
        let rest = spellings.reduce(bytes) { Redaction.without($1, in: $0) }
        return occurs(rest) ? [] : rest
    }

    /// The apps whose secret authenticates a body, in order. Compares all of them.
    package func apps(of sealed: SealedNotificationV1) -> [BundleId] {
        secrets.withLock { $0 }.filter { sealed.isSealed(by: $0.value) }.map(\.key).sorted()
    }
}
