internal import AppStore
internal import LedgerStore
internal import Signing

/// A text with signatures (C2SP signed-note):
///
///     text, each line ended
///
///     — name base64(key id ‖ signature)
public struct SignedNote: Hashable, Sendable {
    /// One line below the text.
    public struct Signature: Hashable, Sendable {
        public let name: String
        /// The key id (4 bytes) and the signature, in the form of the key's algorithm.
        let bytes: [UInt8]

        /// `— name base64`, without a line end.
        public var line: String {
            "\(SignedNote.dash) \(name) "
                + String(decoding: Base64.standard.encode(bytes), as: UTF8.self)
        }

        /// Nil for any other line.
        init?(line: some StringProtocol) {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == SignedNote.dash, NoteKeyName.isValid(parts[1]),
                let bytes = Base64.standard.decode(Array(parts[2].utf8)),
                bytes.count > NoteVerifierKey.idByteCount
            else { return nil }
            name = String(parts[1])
            self.bytes = bytes
            guard self.line == line else { return nil }
        }

        fileprivate init(_ key: NoteVerifierKey, _ signature: [UInt8]) {
            name = key.name
            bytes = key.id + signature
        }

        /// Whether it names the key, by name and id.
        func isOf(_ key: NoteVerifierKey) -> Bool {
            name == key.name && bytes.starts(with: key.id)
        }
    }

    /// Ends with a line end.
    public let text: String
    public private(set) var signatures: [Signature]

    /// U+2014.
    fileprivate static let dash = "\u{2014}"
    /// Bytes of a time in a cosignature.
    private static let timeByteCount = 8
    /// Largest note that is read.
    public static let maximumByteCount = StoredCheckpoint.noteByteCount
    /// Most signatures that are read.
    public static let maximumSignatureCount = StoredCheckpoint.signatureCount

    /// Signs a text that ends with a line end.
    init(_ text: String, signedBy key: NoteSignerKey) throws(ProofError) {
        self.text = text
        guard let signature = try? key.key.sign(Array(text.utf8)) else {
            throw ProofError(.invalidKey, "The key does not sign.")
        }
        signatures = [Signature(key.verifier, signature)]
    }

    /// Reads a note. Throws `malformedNote` for any other text.
    public init(_ note: String) throws(ProofError) {
        let bytes = Array(note.utf8)
        let lineEnd = UInt8(ascii: "\n")
        let end = bytes.indices.dropLast().last {
            bytes[$0] == lineEnd && bytes[$0 + 1] == lineEnd
        }
        guard bytes.count <= SignedNote.maximumByteCount, let end else {
            throw SignedNote.malformed
        }
        text = String(decoding: bytes[...end], as: UTF8.self)
        let lines = String(decoding: bytes[(end + 2)...], as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.last == "", lines.count - 1 <= SignedNote.maximumSignatureCount,
            note.unicodeScalars.allSatisfy({ $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F })
        else { throw SignedNote.malformed }
        signatures = []
        for line in lines.dropLast() {
            guard let signature = Signature(line: line) else { throw SignedNote.malformed }
            signatures.append(signature)
        }
        guard !signatures.isEmpty else { throw SignedNote.malformed }
    }

    private static var malformed: ProofError {
        ProofError(.malformedNote, "This is no signed note: text, an empty line, signatures.")
    }

    /// The note as it is written.
    public var note: String { text + "\n" + signatures.map { $0.line + "\n" }.joined() }

    /// The note with the signatures of one key alone.
    public func part(of key: NoteVerifierKey) -> SignedNote {
        var note = self
        note.signatures = signatures.filter { $0.isOf(key) }
        return note
    }

    /// The note with further signatures below those that are there.
    public func adding(_ more: [Signature]) -> SignedNote {
        var note = self
        note.signatures += more.filter { !signatures.contains($0) }
        return note
    }

    // MARK: Verifying

    /// Whether a signature of the key is there and valid; for a cosignature, when it was made, in
    /// seconds since 1970.
    ///
    /// A note may have several signatures; those of other keys say nothing about this one.
    public func verify(_ key: NoteVerifierKey) -> (isValid: Bool, seconds: Int64?) {
        for signature in signatures where signature.isOf(key) {
            let bytes = Array(signature.bytes.dropFirst(NoteVerifierKey.idByteCount))
            switch key.algorithm {
            case .ed25519:
                return (key.key.isValid(signature: bytes, of: Array(text.utf8)), nil)
            case .cosignature:
                let time = bytes.prefix(SignedNote.timeByteCount)
                let seconds = time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                let isValid = key.key.isValid(
                    signature: Array(bytes.dropFirst(SignedNote.timeByteCount)),
                    of: SignedNote.cosigned(text, seconds))
                return (isValid, Int64(clamping: seconds))
            }
        }
        return (false, nil)
    }

    /// Whether every signature that names the key is valid; also true where there is none.
    func isValidWhereSigned(by key: NoteVerifierKey) -> Bool {
        signatures.allSatisfy { signature in
            var alone = self
            alone.signatures = [signature]
            return !signature.isOf(key) || alone.verify(key).isValid
        }
    }

    /// What a witness signs (C2SP tlog-cosignature, `cosignature/v1`).
    private static func cosigned(_ text: String, _ seconds: UInt64) -> [UInt8] {
        Array("cosignature/v1\ntime \(seconds)\n\(text)".utf8)
    }

    /// A witness's signature of a text, made at a time.
    static func cosignature(
        of text: String, by key: NoteSignerKey, atSeconds seconds: UInt64
    ) throws(ProofError) -> Signature {
        guard let signature = try? key.key.sign(cosigned(text, seconds)) else {
            throw ProofError(.invalidKey, "The key does not sign.")
        }
        let time = (0..<timeByteCount).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * $0)) }
        return Signature(key.verifier, time + signature)
    }
}
