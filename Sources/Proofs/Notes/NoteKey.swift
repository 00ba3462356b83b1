internal import AppStore
internal import LedgerStore
internal import Signing

/// A public key that verifies signatures of notes (C2SP signed-note): `name+hash+key`.
public struct NoteVerifierKey: Hashable, Sendable, CustomStringConvertible {
    /// The algorithm byte before the public key, which decides what the key signs.
    public enum Algorithm: UInt8, Sendable {
        /// The text of the note.
        case ed25519 = 1
        /// The time, and the text of a checkpoint (C2SP tlog-cosignature).
        case cosignature = 4
    }

    public let name: String
    public let algorithm: Algorithm
    let key: Ed25519PublicKey

    /// The first four bytes of SHA-256(name ‖ 0x0A ‖ algorithm ‖ public key).
    public var id: [UInt8] { Array(digest.bytes.prefix(NoteVerifierKey.idByteCount)) }

    var idText: Substring { digest.hexadecimal.prefix(2 * NoteVerifierKey.idByteCount) }

    static let idByteCount = 4

    private var digest: Digest { SHA256.hash(Array(name.utf8) + [0x0A] + material) }

    private var material: [UInt8] { [algorithm.rawValue] + key.bytes }

    /// `name+hash+key`.
    public var description: String {
        "\(name)+\(idText)+\(String(decoding: Base64.standard.encode(material), as: UTF8.self))"
    }
}

extension NoteVerifierKey {
    /// Reads a verifier key. Throws `invalidKey` for any other text.
    public init(_ text: String) throws(ProofError) {
        let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, NoteKeyName.isValid(parts[0]),
            let bytes = Base64.standard.decode(Array(parts[2].utf8)),
            bytes.count == 1 + Ed25519PublicKey.byteCount,
            let algorithm = Algorithm(rawValue: bytes[0]),
            let key = Ed25519PublicKey(bytes: Array(bytes.dropFirst()))
        else { throw NoteVerifierKey.invalid }
        self.init(name: String(parts[0]), algorithm: algorithm, key: key)
        // Also refuses every other spelling of the same key.
        guard description == text else { throw NoteVerifierKey.invalid }
    }

    private static var invalid: ProofError {
        ProofError(
            .invalidKey,
            "This is no verifier key; it has the form name+hash+key, as `audit keygen`"
                + " prints it.")
    }
}

/// A private key that signs notes, with its name: `PRIVATE+KEY+name+hash+seed`.
public struct NoteSignerKey: Sendable, CustomStringConvertible {
    public let verifier: NoteVerifierKey
    let key: Ed25519PrivateKey

    private static let prefix = "PRIVATE+KEY+"

    /// A new random key. Throws `invalidKey` for a name that is empty or has spaces or a plus.
    public init(
        name: String, algorithm: NoteVerifierKey.Algorithm = .ed25519
    ) throws(ProofError) {
        guard NoteKeyName.isValid(name), let key = try? Ed25519PrivateKey() else {
            throw ProofError(
                .invalidKey,
                "An origin is a name without spaces and plus signs, such as"
                    + " example.com/subledger/production.")
        }
        self.init(name: name, algorithm, key)
    }

    private init(
        name: String, _ algorithm: NoteVerifierKey.Algorithm, _ key: Ed25519PrivateKey
    ) {
        verifier = NoteVerifierKey(name: name, algorithm: algorithm, key: key.publicKey)
        self.key = key
    }

    /// Reads the text of a key file. Throws `invalidKey`.
    public init(_ text: String) throws(ProofError) {
        let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
        let parts = line.dropFirst(NoteSignerKey.prefix.count).split(
            separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard line.hasPrefix(NoteSignerKey.prefix), parts.count == 3,
            NoteKeyName.isValid(parts[0]),
            let bytes = Base64.standard.decode(Array(parts[2].utf8)), let first = bytes.first,
            let algorithm = NoteVerifierKey.Algorithm(rawValue: first),
            let key = try? Ed25519PrivateKey(seed: Array(bytes.dropFirst()))
        else { throw NoteSignerKey.invalid }
        self.init(name: String(parts[0]), algorithm, key)
        guard secretText == line else { throw NoteSignerKey.invalid }
    }

    private static var invalid: ProofError {
        ProofError(
            .invalidKey, "The file holds no signer key; `audit keygen` makes one.")
    }

    /// The content of a key file.
    public var secretText: String {
        let bytes = [verifier.algorithm.rawValue] + key.seed
        return NoteSignerKey.prefix + verifier.name + "+" + verifier.idText + "+"
            + String(decoding: Base64.standard.encode(bytes), as: UTF8.self)
    }

    /// Names the key, and holds no key material.
    public var description: String { "signer key of \(verifier.name)" }
}
