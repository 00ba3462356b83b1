extension Sequence<[UInt8]> {
    /// The lines of a file, a line feed between each and the next. `joined` goes byte by byte, and
    /// takes longer than to ingest them where nothing is optimised.
    package func inLines() -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\n")) }
            bytes += line
        }
        return bytes
    }
}
