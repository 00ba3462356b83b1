internal import Signing

/// Reassembles packed evidence byte for byte as it was received (`PackedEvidence`).
///
/// Base64 is encoded in small pieces that stay in the CPU cache. Signed parts of a notification are
/// encoded twice, as the payload that contains their text is encoded itself.
struct EvidenceAssembly<Output: EvidenceOutput> {
    private var reader: PackedReader
    private let headers: [EvidenceHeader]
    private(set) var output: Output
    /// Bytes of a payload with signed parts that are held back until whole groups of three can be
    /// encoded.
    private var pendingCount = 0

    init(_ body: UnsafeRawBufferPointer, headers: [EvidenceHeader], output: Output) {
        reader = PackedReader(body)
        self.headers = headers
        self.output = output
    }

    /// False when the body is invalid, or the output stopped.
    mutating func run() -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Workspace.byteCount) { memory in
            guard let start = memory.baseAddress, let count = reader.readVarint() else {
                return false
            }
            return putPieces(count, Workspace(start)) && reader.isAtEnd
        }
    }

    /// Scratch memory for encoding: small enough for the stack.
    private struct Workspace {
        /// Bytes encoded at once: whole groups of three.
        static var pieceByteCount: Int { 240 }
        private static var textByteCount: Int {
            Base64URL.capacity(forByteCount: pieceByteCount)
        }
        static var byteCount: Int { pieceByteCount + 2 * textByteCount }

        let pending: UnsafeMutablePointer<UInt8>
        let text: UnsafeMutablePointer<UInt8>
        let partText: UnsafeMutablePointer<UInt8>

        init(_ start: UnsafeMutablePointer<UInt8>) {
            pending = start
            text = start + Workspace.pieceByteCount
            partText = text + Workspace.textByteCount
        }
    }

    // MARK: Pieces

    /// Appends `count` pieces: of the body, or, with `isInside`, of a payload.
    private mutating func putPieces(
        _ count: Int, isInside: Bool = false, _ workspace: Workspace
    ) -> Bool {
        for _ in 0..<count {
            guard let tag = reader.readVarint() else { return false }
            if tag & 1 == 0 {
                guard let text = reader.readBytes(tag >> 1), put(text, isInside, workspace) else {
                    return false
                }
            } else if !putToken(header: tag >> 1, isInside, workspace) {
                return false
            }
        }
        return true
    }

    /// Appends a compact JWS; one inside a payload has no nested signed parts.
    private mutating func putToken(header: Int, _ isInside: Bool, _ workspace: Workspace) -> Bool {
        guard header < headers.count, let tag = reader.readVarint(),
            headers[header].bytes.withUnsafeBytes({ put($0, isInside, workspace) }),
            putDot(isInside, workspace)
        else { return false }
        if tag & 1 == 0 {
            guard let payload = reader.readBytes(tag >> 1),
                putEncoded(payload, isInside, workspace)
            else { return false }
        } else {
            guard !isInside, putPieces(tag >> 1, isInside: true, workspace) else { return false }
            let last = UnsafeRawBufferPointer(start: workspace.pending, count: pendingCount)
            pendingCount = 0
            guard putEncoded(last, false, workspace) else { return false }
        }
        guard let signature = reader.readBytes(CompactJWS.signatureByteCount) else { return false }
        return putDot(isInside, workspace) && putEncoded(signature, isInside, workspace)
    }

    private mutating func putDot(_ isInside: Bool, _ workspace: Workspace) -> Bool {
        withUnsafeBytes(of: UInt8(ascii: ".")) { put($0, isInside, workspace) }
    }

    private mutating func putEncoded(
        _ bytes: UnsafeRawBufferPointer, _ isInside: Bool, _ workspace: Workspace
    ) -> Bool {
        let text = isInside ? workspace.partText : workspace.text
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Workspace.pieceByteCount))
            let count = Base64URL.encode(piece, into: text)
            guard put(UnsafeRawBufferPointer(start: text, count: count), isInside, workspace)
            else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        }
        return true
    }

    /// Bytes inside a payload are encoded in whole pieces; the remainder is kept.
    private mutating func put(
        _ bytes: UnsafeRawBufferPointer, _ isInside: Bool, _ workspace: Workspace
    ) -> Bool {
        guard isInside else { return output.put(bytes) }
        var rest = bytes
        while !rest.isEmpty {
            if pendingCount == 0, rest.count >= Workspace.pieceByteCount {
                let whole = rest.count - rest.count % Workspace.pieceByteCount
                let pieces = UnsafeRawBufferPointer(rebasing: rest.prefix(whole))
                guard putEncoded(pieces, false, workspace) else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(whole))
                continue
            }
            let count = min(rest.count, Workspace.pieceByteCount - pendingCount)
            UnsafeMutableRawBufferPointer(start: workspace.pending + pendingCount, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            pendingCount += count
            guard pendingCount == Workspace.pieceByteCount else { continue }
            pendingCount = 0
            let full = UnsafeRawBufferPointer(
                start: workspace.pending, count: Workspace.pieceByteCount)
            guard putEncoded(full, false, workspace) else { return false }
        }
        return true
    }
}
