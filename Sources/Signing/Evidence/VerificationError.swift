/// Evidence that was not verified or not accepted. Contains no bytes of the evidence, so it may be
/// logged; two errors are equal if code, part and cause are.
public struct VerificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code.
    public let code: VerificationCode
    /// The signed part that failed.
    public let part: EvidencePart
    /// One sentence for people. Its wording may change.
    public let reason: String
    /// For `nestedPartInvalid`, the code of the part's failure, if there is one.
    public let cause: VerificationCode?

    /// An error; `reason` must not contain any part of the evidence except the names of its app and
    /// environment, as `named`.
    public init(
        _ code: VerificationCode, part: EvidencePart = .outer, reason: String,
        cause: VerificationCode? = nil
    ) {
        self.code = code
        self.part = part
        self.reason = reason
        self.cause = cause
    }

    /// Whether the same bytes may be accepted later without a change of the evidence.
    public var isRetryable: Bool {
        let retryable: [VerificationCode] = [
            .revocationUnknown, .tooManyUnknownChains, .sharedSecretMissing,
        ]
        return retryable.contains(code) || cause.map { retryable.contains($0) } ?? false
    }

    /// Code, cause, part and reason in one line, for logs.
    public var description: String {
        let because = cause.map { " (\($0.rawValue))" } ?? ""
        return "\(code.rawValue)\(because) in \(part.rawValue): \(reason)"
    }

    /// This error as the failure of a nested part of a notification or pair.
    func nested(as part: EvidencePart) -> VerificationError {
        VerificationError(.nestedPartInvalid, part: part, reason: reason, cause: code)
    }

    public static func == (left: VerificationError, right: VerificationError) -> Bool {
        left.code == right.code && left.part == right.part && left.cause == right.cause
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(part)
    }
}

extension String {
    /// The name of an app or environment for a message: printable ASCII up to `namedByteCount`
    /// bytes, else what is wrong with it. Such names come from untrusted input.
    package var named: String {
        guard !isEmpty else { return "no name" }
        guard utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return "an unprintable name" }
        return utf8.count <= String.namedByteCount ? self : "a name that is too long"
    }

    /// Longest name in a message; Apple's bundle ids have at most 155 characters.
    package static let namedByteCount = 155
}
