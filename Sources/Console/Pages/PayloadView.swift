package import AppStore
internal import Queries
internal import Signing

/// A decoded payload for reading.
package enum PayloadView {
    /// Deepest nesting that is shown.
    static let depth = 12
    /// Longest payload that is shown, bytes; a longer one can be downloaded.
    static let byteCount = 18 * 1_024

    /// The certificates of the header's x5c, leaf first, by the SHA-256 of their DER.
    static func certificates(of bytes: [UInt8]) -> [String] {
        let header = bytes.prefix { $0 != UInt8(ascii: ".") }
        guard let decoded = Base64.url.decode(Array(header)),
            let list = (try? JSONValue.parse(decoded))?["x5c"]?.array
        else { return [] }
        return list.compactMap { entry in
            entry.string.flatMap { Base64.standard.decode(Array($0.utf8)) }
                .map { SHA256.hash($0).hexadecimal }
        }
    }

    /// - Parameter value: nil where the evidence is not JSON.
    static func html(_ value: JSONValue?) -> HTML {
        guard let value else { return "<p class=\"muted\">The evidence is not JSON.</p>" }
        let text = PayloadView.text(of: value)
        guard text.utf8.count <= PayloadView.byteCount else {
            return
                "<p class=\"muted\">The payload is too long for this page; see the raw bytes.</p>"
        }
        return "<pre class=\"json\" tabindex=\"0\" aria-label=\"Decoded payload\">\(text)</pre>"
    }

    /// One value with indented members; dates also in RFC 3339. Control characters are escaped.
    package static func text(of value: JSONValue) -> String {
        var text = ""
        write(value, "", 0, to: &text)
        return text
    }

    private static func write(
        _ value: JSONValue, _ key: String, _ level: Int, to text: inout String
    ) {
        let indent = String(repeating: "  ", count: level + 1)
        guard level < depth else {
            text += "…"
            return
        }
        switch value {
        case .object(let members):
            text += "{\n"
            for member in members {
                text += "\(indent)\(member.key.printable): "
                write(member.value, member.key, level + 1, to: &text)
                text += "\n"
            }
            text += indent.dropFirst(2) + "}"
        case .array(let elements):
            text += "[\n"
            for element in elements {
                text += indent
                write(element, key, level + 1, to: &text)
                text += "\n"
            }
            text += indent.dropFirst(2) + "]"
        case .string(let string): text += "\"\(string.printable)\""
        case .number(let token):
            text += token
            if key.hasSuffix("Date"), let milliseconds = value.int64 {
                text += "  (\(Timestamp(milliseconds: milliseconds).rfc3339))"
            }
        case .bool(let truth): text += truth ? "true" : "false"
        case .null: text += "null"
        }
    }
}
