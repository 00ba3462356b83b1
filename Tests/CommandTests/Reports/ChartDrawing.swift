import Foundation
import FoundationXML
import Testing

/// The elements of a chart, read by an XML parser.
final class ChartDrawing: NSObject, XMLParserDelegate {
    private(set) var elements: [(name: String, attributes: [String: String])] = []
    private(set) var text = ""

    /// Throws for invalid XML.
    static func reading(_ svg: String) throws -> ChartDrawing {
        let parser = XMLParser(data: Data(svg.utf8))
        let drawing = ChartDrawing()
        parser.delegate = drawing
        try #require(parser.parse(), "it is no XML")
        return drawing
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) { elements.append((name, attributes)) }

    func parser(_ parser: XMLParser, foundCharacters found: String) { text += found + "\n" }
}
