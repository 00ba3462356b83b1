package import AppStore

extension SalesReportReader {
    /// Reads a whole report, text or gzip of it, in the pieces that arrive. What is decompressed
    /// counts toward `SalesReport.byteCount`.
    ///
    /// - Parameter source: returns the next bytes; nil at the end.
    ///
    /// Throws `SalesReportError`, and what the source throws.
    package mutating func readWhole(
        _ source: @escaping () throws -> [UInt8]?, _ take: (SalesReport.Row) -> Void
    ) throws {
        var first: [UInt8] = []
        while first.count < GzipReader.magic.count, let more = try source() { first += more }
        var pending: [UInt8]? = first
        let input: GzipReader.Source = {
            guard let piece = pending else { return try source() }
            pending = nil
            return piece
        }
        let next: GzipReader.Source =
            GzipReader.isGzip(first) ? GzipReader(input).next : input
        while let piece = try next() { try read(piece, take) }
        try finish(take)
    }
}
