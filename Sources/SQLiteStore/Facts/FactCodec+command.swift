internal import AppStore
internal import Ledger

extension FactCodec {
    /// Appends the fields of an operator's command, after everything else; other facts have none.
    /// The subject is in the row's key.
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
