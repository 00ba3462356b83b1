public import AppStore
import Queries

/// A response of Apple's for people: one member per line, dates in RFC 3339.
public enum AnswerText {
    /// The value's lines, each with a line feed.
    public static func lines(_ value: JSONValue) -> String {
        var text = ""
        write(value, key: "", depth: 0, to: &text)
        return text
    }

    private static func write(
        _ value: JSONValue, key: String, depth: Int, to text: inout String
    ) {
        let indent = String(repeating: "  ", count: depth)
        switch value {
        case .object(let members):
            for member in members {
                switch member.value {
                case .object, .array:
                    text += "\(indent)\(member.key.printable):\n"
                    write(member.value, key: member.key, depth: depth + 1, to: &text)
                default:
                    let value = plain(member.value, member.key)
                    text += "\(indent)\(member.key.printable): \(value)\n"
                }
            }
        case .array(let elements):
            if elements.isEmpty { text += "\(indent)none\n" }
            for element in elements {
                switch element {
                case .object, .array:
                    text += "\(indent)-\n"
                    write(element, key: key, depth: depth + 1, to: &text)
                default: text += "\(indent)- \(plain(element, key))\n"
                }
            }
        default: text += "\(indent)\(plain(value, key))\n"
        }
    }

    /// One value. Keeps control characters from the terminal.
    private static func plain(_ value: JSONValue, _ key: String) -> String {
        if key.hasSuffix("Date") || key == "renewalDate", let milliseconds = value.int64 {
            return Timestamp(milliseconds: milliseconds).rfc3339
        }
        switch value {
        case .string(let text): return text.printable
        case .number(let token): return token
        case .bool(let truth): return truth ? "true" : "false"
        default: return "null"
        }
    }
}
