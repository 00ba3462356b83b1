import Foundation

/// A file that holds secrets, one a line.
package enum SecretFile {
    /// The lines of a text that hold anything, without the white space around them.
    package static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The text of a file of at most so many bytes; `key` names the setting in errors.
    ///
    /// Throws `unreadableFile`.
    package static func text(
        _ file: String, key: String, upTo byteCount: Int
    ) throws(ConfigurationError) -> String {
        guard let data = FileManager.default.contents(atPath: file), data.count <= byteCount else {
            throw ConfigurationError(
                .unreadableFile, key: key,
                reason: "The file cannot be read, or is no secret; check its path and permissions.")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
