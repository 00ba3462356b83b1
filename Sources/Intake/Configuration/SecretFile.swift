import Foundation

/// A file of secrets, one per line.
package enum SecretFile {
    /// The non-blank lines of a text, trimmed.
    package static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The reason why a pipe is refused.
    package static let irregular = "It is not a regular file."

    /// The text of a file of at most `byteCount` bytes; `key` names the setting in errors.
    ///
    /// Throws `unreadableFile`, also for a larger file and for a pipe.
    package static func text(
        _ file: String, key: String, upTo byteCount: Int
    ) throws(ConfigurationError) -> String {
        guard !InputFile.isSpecial(file) else {
            throw ConfigurationError(.unreadableFile, key: key, reason: irregular)
        }
        guard let bytes = InputFile.readFile(file, limit: byteCount), bytes.count <= byteCount
        else {
            throw ConfigurationError(
                .unreadableFile, key: key,
                reason: "It is unreadable or over \(byteCount) bytes; check path and permissions.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
