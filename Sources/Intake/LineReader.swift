import AppStore
import Foundation
import LedgerStore
import Signing

/// One line (or whole body) of an input.
package struct InputChunk: Sendable {
    package let bytes: [UInt8]
    /// From 1.
    package let line: Int
    /// The line was longer than `InputLine.maximumByteCount`; only its beginning was kept.
    package let isTooLong: Bool
    /// The name in reports, where file and line do not identify it.
    package var name: String?

    package init(bytes: [UInt8], line: Int, isTooLong: Bool, name: String? = nil) {
        self.bytes = bytes
        self.line = line
        self.isTooLong = isTooLong
        self.name = name
    }
}

/// Reads a file or standard input line by line with bounded memory, off the cooperative pool.
///
/// A file that is one JSON value over several lines is one chunk (`Contract.md`: "or whole JSON
/// file"), as is a file that is a single receipt; anything else is read as lines. Blank lines are
/// skipped. Compressed input is refused.
package final class LineReader {
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private var buffer: [UInt8] = []
    private var start = 0
    private var line = 0
    private var isAtEnd = false
    private var isFirst: Bool
    /// Why reading stopped after the lines returned last.
    private var failure: Failure?

    static let readByteCount = 256 * 1024
    /// The UTF-8 byte order mark.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The first bytes of gzip (RFC 1952). No evidence begins so.
    private static let gzipMark: [UInt8] = [0x1F, 0x8B]

    /// An input that cannot be opened or read.
    package struct Failure: Error, Sendable {
        let path: String
        package let reason: String
    }

    private let path: String

    /// `-` is standard input.
    ///
    /// - Parameter isDialogue: every line is returned as soon as it is complete; the first is not
    ///   examined for a JSON value over several lines, since that would wait for further lines.
    package init(path: String, isDialogue: Bool = false) throws(Failure) {
        self.path = path
        isFirst = !isDialogue
        guard path != "-" else {
            descriptor = STDIN_FILENO
            ownsDescriptor = false
            return
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        ownsDescriptor = true
        guard descriptor >= 0 else { throw Failure(path: path, reason: LineReader.lastError()) }
    }

    deinit { if ownsDescriptor, descriptor >= 0 { close(descriptor) } }

    private static func lastError() -> String { String(cString: strerror(errno)) }

    /// The next lines, at most `limit` of them and about `byteLimit` bytes; empty at the end. A
    /// read error is thrown by the call after the one that returns the last lines before it.
    package func next(limit: Int, byteLimit: Int) async throws(Failure) -> [InputChunk] {
        if let failure { throw failure }
        if isFirst, let whole = try await wholeBody() { return [whole] }
        var chunks: [InputChunk] = []
        var byteCount = 0
        do throws(Failure) {
            while chunks.count < limit, byteCount < byteLimit, let chunk = try await nextLine() {
                byteCount += chunk.bytes.count
                if chunk.isTooLong || !chunk.bytes.isEmpty { chunks.append(chunk) }
            }
        } catch {
            guard !chunks.isEmpty else { throw error }
            failure = error
        }
        return chunks
    }

    // MARK: Lines

    private func nextLine() async throws(Failure) -> InputChunk? {
        var searched = start
        while true {
            if let end = lineEnd(from: searched) {
                return take(to: end, next: end + 1)
            }
            searched = buffer.count
            if buffer.count - start > InputLine.maximumByteCount {
                return try await skipLine()
            }
            if isAtEnd {
                guard start < buffer.count else { return nil }
                return take(to: buffer.count, next: buffer.count)
            }
            let moved = start
            compact()
            searched -= moved
            try await fill()
        }
    }

    /// The first line feed of the buffer at this index or later.
    private func lineEnd(from index: Int) -> Int? {
        buffer.withUnsafeBufferPointer { $0.firstPlace(of: UInt8(ascii: "\n"), from: index) }
    }

    private func take(to end: Int, next: Int) -> InputChunk {
        line += 1
        let isTooLong = end - start > InputLine.maximumByteCount
        let bytes = LineReader.trimmed(
            isTooLong ? buffer[start..<end].prefix(InputLine.keptByteCount) : buffer[start..<end])
        start = next
        return InputChunk(bytes: bytes, line: line, isTooLong: isTooLong)
    }

    /// Skips the rest of a line that is too long without keeping it.
    private func skipLine() async throws(Failure) -> InputChunk {
        line += 1
        let kept = LineReader.trimmed(buffer[start...].prefix(InputLine.keptByteCount))
        while true {
            if let end = lineEnd(from: start) {
                start = end + 1
                break
            }
            buffer.removeAll(keepingCapacity: true)
            start = 0
            if isAtEnd { break }
            try await fill()
        }
        return InputChunk(bytes: kept, line: line, isTooLong: true)
    }

    private func compact() {
        guard start > 0 else { return }
        buffer.removeFirst(start)
        start = 0
    }

    private static func trimmed(_ slice: ArraySlice<UInt8>) -> [UInt8] {
        var slice = slice
        while let last = slice.last, isBlank(last) { slice.removeLast() }
        while let first = slice.first, isBlank(first) { slice.removeFirst() }
        return Array(slice)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }

    // MARK: Whole bodies

    /// Whether the bytes are one complete JSON object.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "{") && (try? JSONValue.parse(bytes)) != nil
    }

    /// The whole input, when it is one JSON body over several lines and within the size limit.
    private func wholeBody() async throws(Failure) -> InputChunk? {
        isFirst = false
        while !isAtEnd, buffer.count < LineReader.byteOrderMark.count { try await fill() }
        guard !buffer.starts(with: LineReader.gzipMark) else {
            throw Failure(
                path: path,
                reason: "it is compressed with gzip; decompress it first, as gunzip does")
        }
        // Some editors write it before the text.
        if buffer.starts(with: LineReader.byteOrderMark) {
            buffer.removeFirst(LineReader.byteOrderMark.count)
        }
        while !isAtEnd, buffer.isEmpty { try await fill() }
        if WholeReceipt.mayBegin(buffer) { return try await wholeReceipt() }
        guard buffer.first(where: { !LineReader.isBlank($0) }) == UInt8(ascii: "{") else {
            return nil
        }
        while true {
            if let end = lineEnd(from: 0),
                LineReader.isObject(LineReader.trimmed(buffer[..<end]))
            {
                return nil
            }
            guard !isAtEnd, buffer.count <= InputLine.maximumByteCount else { break }
            try await fill()
        }
        guard isAtEnd, buffer.count <= InputLine.maximumByteCount else { return nil }
        let whole = LineReader.trimmed(buffer[...])
        guard LineReader.isObject(whole) else { return nil }
        start = buffer.count
        return InputChunk(bytes: whole, line: 1, isTooLong: false)
    }

    /// The whole input, when it is one receipt; a binary one is never lines, whatever its size.
    private func wholeReceipt() async throws(Failure) -> InputChunk? {
        while !isAtEnd, buffer.count <= InputLine.maximumByteCount {
            // A receipt per line needs no further reading.
            if !WholeReceipt.isBinary(buffer),
                let end = lineEnd(from: 0),
                WholeReceipt.isReceipt(buffer[..<end])
            {
                return nil
            }
            try await fill()
        }
        guard buffer.count <= InputLine.maximumByteCount else {
            guard WholeReceipt.isBinary(buffer) else { return nil }
            let kept = Array(buffer.prefix(InputLine.keptByteCount))
            (buffer, start, isAtEnd) = ([], 0, true)
            return InputChunk(bytes: kept, line: 1, isTooLong: true)
        }
        guard let receipt = WholeReceipt.decode(buffer) else { return nil }
        start = buffer.count
        return InputChunk(bytes: receipt, line: 1, isTooLong: false)
    }

    // MARK: Reading

    private func fill() async throws(Failure) {
        let (descriptor, path) = (self.descriptor, self.path)
        let chunk = try await Blocking.run { () throws(Failure) -> [UInt8] in
            var chunk = [UInt8](repeating: 0, count: LineReader.readByteCount)
            var count = read(descriptor, &chunk, chunk.count)
            while count < 0, errno == EINTR { count = read(descriptor, &chunk, chunk.count) }
            guard count >= 0 else { throw Failure(path: path, reason: LineReader.lastError()) }
            return Array(chunk[..<count])
        }
        if chunk.isEmpty { isAtEnd = true }
        buffer += chunk
    }
}
