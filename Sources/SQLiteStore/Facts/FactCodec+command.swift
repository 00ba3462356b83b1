internal import AppStore
internal import Ledger

extension FactCodec {
    /// Behind everything else, in facts of operators' commands only: the words of the evidence.
    /// What it is about stands in the row's key.
    static func encode(_ command: Command, _ writer: inout FactWriter) {
        writer.text(String(decoding: command.evidence(about: nil), as: UTF8.self))
    }

    static func command(_ reader: inout FactReader) throws(FactReader.Damage) -> Command {
        let text = try reader.text()
        guard let value = try? JSONValue.parse(Array(text.utf8)),
            let command = Command(evidence: value)
        else { throw FactReader.Damage() }
        return command
    }
}
