/// An invalid configuration: the key, what is wrong with it, and what is expected.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    public let code: Code
    /// The key in the file, e.g. `apps[0].bundleId`, the flag or the file.
    public let key: String
    public let reason: String

    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable {
        case unreadableFile
        case invalidYAML
        case unknownKey
        case missingKey
        case invalidValue
    }

    public init(_ code: Code, key: String, reason: String) {
        self.code = code
        self.key = key
        self.reason = reason
    }

    public var description: String { "\(key): \(reason)" }

    public static func == (left: ConfigurationError, right: ConfigurationError) -> Bool {
        left.code == right.code && left.key == right.key
    }
}
