public import AppStore

/// Why a proof cannot be made or read. Never holds evidence, ids of persons, or keys.
public struct ProofError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// No key, or one that cannot be read.
        case invalidKey
        /// No key is configured to sign with.
        case missingAuditKey
        /// A text is no signed note.
        case malformedNote
        /// A signed note is no checkpoint.
        case malformedCheckpoint
        /// A checkpoint is of another log than the key's.
        case foreignCheckpoint
        /// The log does not extend a checkpoint that was signed before.
        case logForked
        /// The log is damaged where a proof needs it.
        case logUnsound
        /// A file is no bundle, or was altered.
        case malformedBundle
        /// The log has no such events.
        case nothingToProve
    }

    public let code: Code
    /// What happened, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}

extension ProofError {
    /// The configuration names no key of an environment.
    public static func missingKey(_ environment: Environment) -> ProofError {
        ProofError(
            .missingAuditKey,
            "No key signs checkpoints of \(environment.rawValue): make one with"
                + " `audit keygen`, and name it as audit.keyFile.")
    }

    /// An erasure removed the bytes of an event.
    package static var erased: ProofError {
        ProofError(
            .nothingToProve,
            "The evidence of one of these events was erased: its hashes remain, and prove nothing"
                + " to a reader.")
    }

    /// A bundle that was just made does not pass its own check.
    public static func unproven(_ reason: String) -> ProofError {
        ProofError(.logUnsound, "The bundle does not pass its own check: \(reason)")
    }
}
