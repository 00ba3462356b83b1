internal import Queries

/// A piece of a page. A literal is markup; every value put into it becomes text, so that nothing
/// from outside can become markup. Values belong between tags or inside quoted attributes only.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    package private(set) var text: String

    package init(stringLiteral value: String) { text = value }

    package init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    package init() { text = "" }

    /// Markup of our own making.
    init(markup: String) { text = markup }

    /// Escapes text for content and for quoted attributes. Control and format characters, which
    /// could reorder the text around them, are shown as escapes (`String.printable`), and so are
    /// those that XML, the form of charts, does not have.
    package init(escaping value: String) { self.init(value.printableLines, isShown: true) }

    /// Escapes the value of a form's field, which the browser sends back unchanged: a character
    /// that is invisible belongs to a person's text.
    init(field value: String) { self.init(value, isShown: false) }

    private init(_ value: String, isShown: Bool) {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // As itself, it would become a line feed.
            case "\r": escaped += "&#13;"
            case "\u{FFFE}" where isShown: escaped += "\\uFFFE"
            case "\u{FFFF}" where isShown: escaped += "\\uFFFF"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        text = escaped
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: String) {
            text += HTML(escaping: value).text
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += HTML(escaping: value.description).text
        }

        package mutating func appendInterpolation(_ value: HTML) { text += value.text }

        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        /// Nothing for nil.
        package mutating func appendInterpolation(_ value: HTML?) { text += value?.text ?? "" }
    }

    static func + (left: HTML, right: HTML) -> HTML { HTML(markup: left.text + right.text) }

    static func += (left: inout HTML, right: HTML) { left.text += right.text }

    var isEmpty: Bool { text.isEmpty }
}

extension [HTML] {
    func joined(_ separator: HTML) -> HTML {
        var joined = HTML()
        for (place, part) in enumerated() {
            if place > 0 { joined += separator }
            joined += part
        }
        return joined
    }
}
