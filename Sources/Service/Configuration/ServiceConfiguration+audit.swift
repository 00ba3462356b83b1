public import AppStore
public import Intake
internal import LedgerStore
public import Proofs

extension ServiceConfiguration {
    /// How checkpoints of an environment's log are signed (`Proof.md`).
    public struct Audit: Sendable, Equatable {
        /// The setting it was read from, for messages.
        package var key = "audit"
        public var environment: Environment
        /// The name of the log and of its key.
        public var origin: String
        /// The file of the signer key.
        public var keyFile: String
        public var intervalMilliseconds: Int64 = 3_600_000
        public var witnesses: [Witness] = []

        /// The checkpoints of an environment that no other entry names; at least
        /// `minimumIntervalMilliseconds` apart. The values are not checked as those of a file are.
        public init(
            environment: Environment, origin: String, keyFile: String,
            intervalMilliseconds: Int64 = 3_600_000, witnesses: [Witness] = []
        ) {
            self.environment = environment
            self.origin = origin
            self.keyFile = keyFile
            self.intervalMilliseconds = intervalMilliseconds
            self.witnesses = witnesses
        }

        /// A server that signs that a checkpoint extends the previous one.
        public struct Witness: Sendable, Equatable {
            public var name: String
            public var url: String
            public var key: NoteVerifierKey

            /// A witness with a cosignature key, at an https address; plain http only on loopback.
            public init(name: String, url: String, key: NoteVerifierKey) {
                self.name = name
                self.url = url
                self.key = key
            }
        }

        /// The shortest interval: a minute.
        public static let minimumIntervalMilliseconds: Int64 = 60_000
        /// The largest key file.
        static let keyByteCount = 4_096

        /// Reads the key. Throws `ConfigurationError` for a file that holds none, or another
        /// origin's.
        public func signerKey() throws(ConfigurationError) -> NoteSignerKey {
            let key = "\(self.key).keyFile"
            let text = try SecretFile.text(keyFile, key: key, upTo: Audit.keyByteCount)
            let found: NoteSignerKey
            do throws(ProofError) { found = try NoteSignerKey(text) } catch {
                throw ConfigurationError(.invalidValue, key: key, reason: error.message)
            }
            guard found.verifier.algorithm == .ed25519 else {
                throw ConfigurationError(
                    .invalidValue, key: key,
                    reason: "It is a witness's key; make the log's with `audit keygen`.")
            }
            guard found.verifier.name == origin else {
                throw ConfigurationError(
                    .invalidValue, key: key,
                    reason: "It is the key of \(found.verifier.name); \(self.key).origin is"
                        + " \(origin).")
            }
            return found
        }
    }

    /// The key that an environment's checkpoints are signed with; nil where none is configured.
    /// Throws like `Audit.signerKey()`.
    public func auditKey(
        _ environment: Environment
    ) throws(ConfigurationError) -> NoteVerifierKey? {
        guard let audit = audits.first(where: { $0.environment == environment }) else { return nil }
        return try audit.signerKey().verifier
    }

    /// The keys of the witnesses that are configured for an environment's log.
    public func witnessKeys(_ environment: Environment) -> [NoteVerifierKey] {
        audits.first { $0.environment == environment }?.witnesses.map(\.key) ?? []
    }

    /// A warning for each origin that several environments have.
    public var originWarnings: [String] {
        let origins = audits.map(\.origin)
        return Set(origins).sorted().compactMap { origin in
            guard origins.count(where: { $0 == origin }) > 1 else { return nil }
            return """
                Several environments have the origin \(origin): to a witness, two logs of one name \
                look like a fork. Give a new environment an origin and a key of its own (subledger \
                audit keygen). Keep the origin of a log with checkpoints: each of them names it.
                """
        }
    }

    /// Most witnesses of a log.
    public static let witnessCount = 20

    /// Reads `audit`: one log, or a list of them.
    static func audits(_ file: inout YAMLMapping) throws(ConfigurationError) -> [Audit] {
        var list: [YAMLMapping]
        if file.isList("audit") {
            list = try file.mappings("audit")
        } else {
            list = try file.presentMapping("audit").map { [$0] } ?? []
        }
        var audits: [Audit] = []
        for var entry in list {
            let audit = try audit(&entry)
            guard !audits.contains(where: { $0.environment == audit.environment }) else {
                throw entry.invalid("environment", "It has two entries.")
            }
            audits.append(audit)
        }
        return audits
    }

    private static func audit(_ entry: inout YAMLMapping) throws(ConfigurationError) -> Audit {
        var audit = Audit(
            environment: try entry.environment("environment") ?? .production,
            origin: try entry.required("origin"), keyFile: try entry.required("keyFile"))
        guard NoteKeyName.isValid(audit.origin) else {
            throw entry.invalid(
                "origin",
                "At most \(NoteKeyName.maximumByteCount) bytes without spaces, plus signs and control"
                    + " characters are expected.")
        }
        audit.key = entry.path
        if let interval = try entry.duration("interval") {
            guard interval >= Audit.minimumIntervalMilliseconds else {
                throw entry.invalid("interval", "At least a minute (PT1M).")
            }
            audit.intervalMilliseconds = interval
        }
        for var witness in try entry.mappings("witnesses") {
            audit.witnesses.append(try self.witness(&witness))
        }
        guard audit.witnesses.count <= witnessCount else {
            throw entry.invalid("witnesses", "At most \(witnessCount).")
        }
        try entry.requireNothingElse()
        return audit
    }

    private static func witness(
        _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> Audit.Witness {
        let (name, url) = (try entry.required("name"), try entry.required("url"))
        guard webhookHost(url) != nil else {
            throw entry.invalid(
                "url",
                "An https address is expected; plain http only on loopback; a port is 1 to 65535.")
        }
        let text = try entry.required("key")
        let key: NoteVerifierKey
        do throws(ProofError) { key = try NoteVerifierKey(text) } catch {
            throw entry.invalid("key", error.message)
        }
        guard key.algorithm == .cosignature else {
            throw entry.invalid("key", "A witness's key is expected (cosignature/v1).")
        }
        try entry.requireNothingElse()
        return Audit.Witness(name: name, url: url, key: key)
    }
}
