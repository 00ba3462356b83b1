public import AppStore
internal import LedgerStore
internal import Signing

/// One answer with everything that proves it (`Proof.md`): a checkpoint of the log, the events the
/// answer rests on, each with its place in the log and its evidence, and the answer itself.
public struct ProofBundle: Sendable {
    public static let format = "subledger-proof/1"
    /// Largest file that is read.
    public static let maximumByteCount = 64 * 1024 * 1024
    /// Most events of a bundle.
    public static let maximumEventCount = 20_000
    /// Most statements about one chain: the time of a fold may grow with their square.
    static let maximumFactCount = 50_000
    /// Most JSON values of a file: far more than the at most 69 of an event (63 of them the hashes
    /// of its inclusion proof) and what an answer states of it, and far fewer than a file has room
    /// for.
    static let maximumValueCount = maximumEventCount * 256

    /// One event of the log.
    public struct Event: Sendable {
        public let position: Int64
        /// What the leaf commits to (`Log.md` §2).
        public let leafData: [UInt8]
        /// The inclusion proof (RFC 9162 §2.1.3), from the leaf up.
        public let inclusion: [Digest]
        /// As it was received; nil after an erasure.
        public let evidence: [UInt8]?
    }

    /// What was asked, and what the ledger answered.
    public struct Answer: Sendable {
        public let query: BundleQuery
        public let reducerVersion: Int64
        /// The product configuration (`Lifecycle.md` §6).
        public let catalogue: JSONValue
        /// What the commands answer as JSON, without what a bundle cannot prove.
        public let value: JSONValue
        /// Whether the file has `leeway` in seconds alone, as earlier releases wrote it.
        var hasLeewayInSeconds = false
    }

    public let environment: Environment
    public let checkpoint: SignedNote
    /// The key that verifies the checkpoint.
    public let key: NoteVerifierKey
    public let events: [Event]
    /// Nil for a bundle of events alone.
    public let answer: Answer?
    /// The key's signature of everything else (`sealed`).
    public private(set) var seal: [UInt8] = []

    // MARK: Writing

    /// The file: one line of JSON in one spelling.
    public var bytes: [UInt8] { bytes(seal: seal) }

    /// What the seal signs: the format, and the file without its seal.
    var sealedBytes: [UInt8] { Array("\(ProofBundle.format)\n".utf8) + bytes(seal: nil) }

    private func bytes(seal: [UInt8]?) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("format", ProofBundle.format)
            json.member("environment", environment.rawValue)
            json.member("checkpoint", checkpoint.note)
            json.member("key", key.description)
            json.objects("events", events) { json, event in
                json.member("position", event.position)
                json.member("leafData", ProofBundle.base64(event.leafData))
                json.array("inclusion", event.inclusion) { json, digest in
                    json.value(ProofBundle.base64(digest.bytes))
                }
                let text = event.evidence.flatMap { ProofBundle.text($0) }
                json.member("evidence", text ?? event.evidence.map { ProofBundle.base64($0) })
                json.member(
                    "evidenceEncoding",
                    event.evidence == nil ? nil : text == nil ? "base64" : "text")
            }
            json.object("answer", answer) { json, answer in
                json.object("query") { answer.query.writeMembers(to: &$0) }
                json.member("reducerVersion", answer.reducerVersion)
                json.key("catalogue")
                json.raw(answer.catalogue.encoded())
                json.member("leeway", answer.leeway)
                json.key("value")
                json.raw(answer.value.encoded())
            }
            if let seal { json.member("seal", ProofBundle.base64(seal)) }
        }
        json.newline()
        return json.bytes
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.standard.encode(bytes), as: UTF8.self)
    }

    /// Evidence as text where it is printable ASCII; nil for other evidence.
    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.allSatisfy { (0x20..<0x7F).contains($0) }
            ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The same with the key's signature.
    func sealed(by signer: NoteSignerKey) throws(ProofError) -> ProofBundle {
        guard let seal = try? signer.key.sign(sealedBytes) else {
            throw ProofError(.invalidKey, "The key does not sign.")
        }
        var bundle = self
        bundle.seal = seal
        return bundle
    }
}

extension ProofBundle {
    // MARK: Reading

    /// Whether the seal is valid: nothing was changed since the key's owner made the bundle.
    var isSealed: Bool { key.key.isValid(signature: seal, of: sealedBytes) }

    /// Reads a file, or the page that holds one (`ProofPage`). Throws `malformedBundle` for
    /// anything that is not exactly what `bytes` writes, and what its parts throw.
    public init(_ file: [UInt8]) throws(ProofError) {
        try self.init(file, valueCount: ProofBundle.maximumValueCount)
    }

    /// The same with other bounds: of JSON values, and of the bytes of the bundle.
    init(
        _ file: [UInt8], valueCount: Int, byteCount: Int = ProofBundle.maximumByteCount
    ) throws(ProofError) {
        let content = ProofBundle.content(ofPage: file)
        // `content(ofPage:)` bounds the size of a page.
        guard content != nil || file.count <= byteCount else {
            throw ProofBundle.tooLarge
        }
        let file = content ?? file
        let json: JSONValue
        do throws(JSONError) {
            // A value in memory takes more than 30 times its shortest text.
            try file.withUnsafeBufferPointer { (bytes) throws(JSONError) -> Void in
                var cursor = JSONCursor(bytes, skipping: valueCount)
                try cursor.skipValue()
            }
            json = try JSONValue.parse(file)
        } catch {
            throw ProofBundle.malformed("it is not valid JSON (\(error.code.rawValue))")
        }
        guard json["format"]?.string == ProofBundle.format else {
            throw ProofBundle.malformed("its format is not \(ProofBundle.format)")
        }
        guard let environment = json["environment"]?.string.flatMap({ Environment(rawValue: $0) }),
            let note = json["checkpoint"]?.string, let key = json["key"]?.string,
            let list = json["events"]?.array, let seal = ProofBundle.bytes(json["seal"])
        else {
            throw ProofBundle.malformed("environment, checkpoint, key, events or seal are missing")
        }
        guard list.count <= ProofBundle.maximumEventCount else {
            throw ProofBundle.malformed("it has more than 20,000 events")
        }
        guard let key = try? NoteVerifierKey(key) else {
            throw ProofBundle.malformed("its key is no verifier key")
        }
        var events: [Event] = []
        for entry in list { events.append(try ProofBundle.event(entry)) }
        var answer: Answer?
        if let entry = json["answer"], !entry.isNull { answer = try ProofBundle.answer(entry) }
        self.init(
            environment: environment, checkpoint: try SignedNote(note),
            key: key, events: events, answer: answer, seal: seal)
        let written = bytes
        // In a page each "<" takes six bytes, so only now the size of the bundle is known.
        guard written.count <= byteCount else { throw ProofBundle.tooLarge }
        // Any other alteration would change these bytes.
        guard (content == nil ? written : ProofBundle.escaped(written)) == file else {
            throw ProofBundle.malformed("it holds more than a bundle, or another spelling of it")
        }
    }

    /// The line that begins and ends the bundle in a page.
    package static let pageStart = "<script type=\"application/json\" id=\"bundle\">"
    package static let pageEnd = "</script>"

    /// The file as embedded in a page: only "<" could end the script element, so it is written as a
    /// JSON escape. Works on bytes, since a combining mark after "<" would form one character with
    /// it.
    package var pageBytes: [UInt8] { ProofBundle.escaped(bytes) }

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        // The algorithms of all collections took 43 seconds for a page of 64 MiB.
        for byte in bytes {
            if byte == UInt8(ascii: "<") { escaped += "\\u003c".utf8 } else { escaped.append(byte) }
        }
        return escaped
    }

    /// The range of a tag.
    private static func range(of tag: String, in bytes: [UInt8], from start: Int) -> Range<Int>? {
        bytes.withUnsafeBufferPointer { bytes in
            var start = start
            while let index = bytes.firstPlace(of: UInt8(ascii: "<"), from: start) {
                if bytes[index...].starts(with: tag.utf8) {
                    return index..<(index + tag.utf8.count)
                }
                start = index + 1
            }
            return nil
        }
    }

    /// The bundle inside a page, as embedded; nil for any other file.
    private static func content(ofPage file: [UInt8]) -> [UInt8]? {
        guard file.first == UInt8(ascii: "<"), file.count <= 2 * maximumByteCount else {
            return nil
        }
        guard let start = range(of: pageStart, in: file, from: 0),
            let end = range(of: pageEnd, in: file, from: start.upperBound)
        else { return nil }
        return Array(file[start.upperBound..<end.lowerBound])
    }

    private static func event(_ json: JSONValue) throws(ProofError) -> Event {
        guard let position = json["position"]?.int64, position >= 1,
            let leaf = bytes(json["leafData"]),
            let path = json["inclusion"]?.array
        else { throw malformed("an event lacks its position, leafData or inclusion") }
        var inclusion: [Digest] = []
        for node in path {
            guard let digest = bytes(node).flatMap({ Digest(bytes: $0) }) else {
                throw malformed(
                    "event \(position) has an inclusion proof that is no list of hashes")
            }
            inclusion.append(digest)
        }
        let evidence: [UInt8]?
        switch (json["evidenceEncoding"]?.string, json["evidence"]?.string) {
        case ("text", let text?): evidence = Array(text.utf8)
        case ("base64", .some): evidence = bytes(json["evidence"])
        default: evidence = nil
        }
        return Event(
            position: position, leafData: leaf, inclusion: inclusion, evidence: evidence)
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? {
        json?.string.flatMap { Base64.standard.decode(Array($0.utf8)) }
    }

    private static func answer(_ json: JSONValue) throws(ProofError) -> Answer {
        guard let query = json["query"].flatMap({ BundleQuery($0) }),
            let version = json["reducerVersion"]?.int64, let catalogue = json["catalogue"],
            let value = json["value"]
        else { throw malformed("its answer lacks a query, reducerVersion, catalogue or value") }
        var answer = Answer(
            query: query, reducerVersion: version, catalogue: catalogue, value: value)
        // Anything but these two spellings would change the bytes that `bytes` writes.
        answer.hasLeewayInSeconds = json["leeway"]?.string != answer.leeway
        return answer
    }

    private static var tooLarge: ProofError { malformed("it is larger than 64 MiB") }

    static func malformed(_ reason: String) -> ProofError {
        ProofError(.malformedBundle, "This is no unaltered bundle: \(reason).")
    }
}

extension ProofBundle.Answer {
    /// How long access continues while a renewal is overdue, as ISO 8601; part of the catalogue.
    var leeway: String? {
        catalogue["leewayMilliseconds"]?.int64.map { milliseconds in
            let seconds = milliseconds / 1_000
            return hasLeewayInSeconds
                ? "PT\(seconds)S" : ISO8601Period(seconds: seconds).description
        }
    }
}
