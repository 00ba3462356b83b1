import Intake
import LedgerStore
import Signing

/// Splits a stored file: a receipt in any form is one piece; anything else is lines, or a body over
/// several of them. Memory use is limited to a few lines.
///
/// A file ends after a JSON list at its beginning, whose lines are not separate pieces of evidence,
/// and after `ImportLimits.barrenLineCount` pieces without evidence.
final class StoredFileReader {
    /// A piece, with its content or the reason why it is unusable.
    typealias Piece = (chunk: InputChunk, document: Result<StoredDocument, IngestError>)

    private let path: String
    private let name: String
    private var whole: InputChunk?
    private var lines: LineReader?
    private var isOpen = false
    private var hasEvidence = false
    private var badCount = 0
    private var isEnded = false

    /// Reports name the file `name`.
    init(path: String, name: String) {
        self.path = path
        self.name = name
    }

    /// The next pieces; none at the end.
    func next() async throws(LineReader.Failure) -> [Piece] {
        if isEnded { return [] }
        var pieces: [Piece] = []
        for chunk in try await chunks() {
            do throws(IngestError) {
                let document = try StoredDocument(chunk, name: chunk.name ?? name)
                hasEvidence = true
                pieces.append((chunk, .success(document)))
            } catch {
                badCount += 1
                pieces.append((chunk, .failure(error)))
                let isList = badCount == 1 && error.code == StoredDocument.listCode
                isEnded = !hasEvidence && (isList || badCount >= ImportLimits.barrenLineCount)
                if isEnded { break }
            }
        }
        return pieces
    }

    private func chunks() async throws(LineReader.Failure) -> [InputChunk] {
        if !isOpen {
            isOpen = true
            whole = await wholeReceipt()
            if whole == nil { lines = try LineReader(path: path) }
        }
        if let piece = whole {
            whole = nil
            return [piece]
        }
        guard let lines else { return [] }
        return try await lines.next(
            limit: ImportLimits.piecesPerBatch, byteLimit: ImportLimits.bytesPerBatch
        ).map { chunk in
            var piece = chunk
            piece.name = "\(name):\(chunk.line)"
            return piece
        }
    }

    /// The file, if it is a single receipt: binary, base64 with any line length, or of iOS 6.
    private func wholeReceipt() async -> InputChunk? {
        let (path, name) = (path, name)
        let bytes = await Blocking.run { () -> [UInt8]? in
            let limit = InputLine.maximumByteCount
            guard let bytes = InputFile.read(path, limit: limit), bytes.count <= limit else {
                return nil
            }
            return StoredFileReader.receipt(
                bytes.starts(with: LineReader.byteOrderMark)
                    ? Array(bytes.dropFirst(LineReader.byteOrderMark.count)) : bytes)
        }
        return bytes.map { InputChunk(bytes: $0, line: 1, isTooLong: false, name: name) }
    }

    /// The receipt as a line of `ingest`; nil if the file is not a single receipt.
    private static func receipt(_ bytes: [UInt8]) -> [UInt8]? {
        if ReceiptForm.transactionReceipt(bytes) != nil { return bytes }
        return WholeReceipt.decode(bytes).map { Base64.standard.encode($0) }
    }
}
