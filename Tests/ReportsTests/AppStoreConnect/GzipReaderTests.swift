import Foundation
import Testing

@testable import AppStore
@testable import Reports

@Suite("Decompression of reports")
struct GzipReaderTests {
    /// The output for these bytes, which arrive in pieces of a size.
    private func read(_ bytes: [UInt8], pieces size: Int = 4_096) throws -> [UInt8] {
        var rest = bytes[...]
        let reader = GzipReader {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            return piece.isEmpty ? nil : Array(piece)
        }
        var output: [UInt8] = []
        while let piece = try reader.next() { output += piece }
        return output
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: text)))
    }

    private static let fixed = "H4sIAAAAAAACA0tMSk4EIy4AjbP9IQoAAAA="
    private static let stored = "H4sIAAAAAAAEAwEKAPX/YWJjYWJjYWJjCo2z/SEKAAAA"
    private static let dynamic = """
        H4sIAAAAAAACA2XYO44UURBEUXtYBUuoiHr1W9AgISFwMFg+wkJ10kzvano6z8v+8f3n59ft49e3j9+ff35/+fFv\
        zHvse9zf43qPx3s83+P1Hu/3+JBhFl0hLJSFtNAW4kJdyAt9pa/+3egrfaWv9JW+0lf6St9O307f7gdL307fTt9O\
        307fTt9O36Jv0bfoW/7n0bfoW/Qt+hZ9i76DvoO+g76DvsOvBn0HfQd9B30HfSd9J30nfSd9J32n3136TvpO+k76\
        Lvou+i76Lvou+i76LpcLfRd9F303fTd9N303fTd9N303fbfbj76bvoe+h76Hvoe+h76Hvoe+h77H9Tz2swt6c0Nv\
        rujNHb25pDe39Oaa3tzTm4t6s3RSYunAZGgyOBmeDFCGKIMUTYmopEM9S3UlwhJlibREWyIuUZfIS/Ql+wDaUomJ\
        xkRkojKRmehMhCZKE6nJGm8JS9UmchO9ieBEcSI50ZyITlQnx3j2WCo8UZ5IT7Qn4hP1ifxEfyJAOccLzVINighF\
        hSJD0aEIUZQoUhQtyjUek5bKUfQoghRFiiRFkyJKUaXIUu7x7rVUmSJN0aaIU9Qp8hR9ikBFofKMJ/p4o/tI16hq\
        VDWqGlWNqkZVo6pR1ahmnBOWalQ1qhpVjapGVaOqUR13zzh85uVj6bh9xvEzrp9x/oz7ZxxAGlWNqkZ1H0eapRpV\
        japGVaOqUdWoalQ1qhrVNe5JSzWqGlWNqkZVo6pR1ahqVDWqxzh9LdWoalQ1qhpVjapGVaOqUdWonuNKt1SjqlHV\
        qGpUNaoaVY2qRlWjeo0fFCzVqGpUNaoaVY2qRlWjqlHVqN7jtw9LNaoaVY2qRlWjqlHVqGpUNarP+Jnmf+lftK9g\
        734TAAA=
        """

    /// 262,144 zeros.
    private static let zeros = """
        H4sIAAAAAAAC/+3BMQEAAADCoPVP7W0HoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA3gAi6g7iAAAEAA==
        """

    @Test("damaged or incomplete data is refused", arguments: [fixed, stored, dynamic])
    func refused(_ text: String) throws {
        let whole = try bytes(text)
        for count in 1..<whole.count {
            #expect(throws: SalesReportError.damagedGzip) { try read(Array(whole[..<count])) }
        }
        // Checksum and size.
        for place in whole.count - 8..<whole.count {
            var changed = whole
            changed[place] ^= 1
            #expect(throws: SalesReportError.damagedGzip) { try read(changed) }
        }
        #expect(throws: SalesReportError.damagedGzip) { try read(whole + [0]) }
    }

    @Test("any changed byte ends, without a trap", arguments: [fixed, stored, dynamic])
    func changed(_ text: String) throws {
        let whole = try bytes(text)
        for place in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[place] ^= 1 << UInt8(bit)
                _ = try? read(changed)
            }
        }
    }

    @Test(
        "blocks of every kind, in pieces of any size, and several members",
        arguments: [1, 7, 4_096])
    func kinds(_ size: Int) throws {
        let short = Array("abcabcabc\n".utf8)
        let fixed = try bytes(GzipReaderTests.fixed)
        let stored = try bytes(GzipReaderTests.stored)
        #expect(try read(fixed, pieces: size) == short)
        #expect(try read(stored, pieces: size) == short)
        #expect(try read(fixed + stored, pieces: size) == short + short)
        let lines = (0..<300).map { "line \($0)\tof\ttext\n" }.joined()
        let dynamic = try bytes(GzipReaderTests.dynamic)
        #expect(try read(dynamic, pieces: size) == Array(lines.utf8))
        #expect(try read([], pieces: size).isEmpty)
    }

    private static let header =
        "Event Date\tEvent\tSubscription Name\tSubscription Apple ID\tCountry\tQuantity\n"
    private static let row = "2026-01-31\tRenew\tpro\t1\tUS\t1\n"

    /// A report of 5,000 rows.
    private static let report = """
        H4sIAAAAAAACA+3JMQrCQBRAwfp7ilxAMAr2ohY2gooHiLJFQDchbhRvL5bewGK6x5vtM+VSbZqSYvvNOI2Xx3Vo+9\
        J2udo39/R7Vn1/S9VuE+tuzGV4x2FscmnLezKfzZfTWT1d1HFMOb2iH7qo43yKmjHGGGOMMcYYY4wxxhhjjDHGGGOM\
        McYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxh\
        hjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOM\
        McYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxh\
        hjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOM\
        McYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYYY4wxxhhjjDHGGGOMMcYY+xv7AHoXWNwqIwIA
        """

    @Test("the bound of a report counts what is decompressed", arguments: [7, 4_096])
    func bound(_ size: Int) throws {
        let text = GzipReaderTests.header + String(repeating: GzipReaderTests.row, count: 5_000)
        let packed = try bytes(GzipReaderTests.report)
        #expect(text.utf8.count > 2 * GzipReader.pieceByteCount && packed.count < 1_000)
        /// The sum of the rows within a bound.
        func sum(_ bytes: [UInt8], _ limit: Int) throws -> Int64 {
            var reader = SalesReportReader()
            reader.limit = limit
            var (rest, sum) = (bytes[...], Int64(0))
            let source: () throws -> [UInt8]? = {
                let piece = rest.prefix(size)
                rest = rest.dropFirst(size)
                return piece.isEmpty ? nil : Array(piece)
            }
            try reader.readWhole(source) { sum += $0.amount }
            return sum
        }
        for bytes in [packed, Array(text.utf8)] {
            #expect(try sum(bytes, text.utf8.count) == 5_000)
            #expect(throws: SalesReportError.tooLarge) { try sum(bytes, text.utf8.count - 1) }
        }
        #expect(throws: SalesReportError.empty) { try sum([], 0) }
        #expect(throws: SalesReportError.damagedGzip) { try sum(Array(packed.dropLast()), .max) }
    }

    @Test("output far larger than its input comes in pieces of the bound")
    func expansion() throws {
        let packed = try bytes(GzipReaderTests.zeros)
        var pending: [UInt8]? = packed
        let reader = GzipReader {
            defer { pending = nil }
            return pending
        }
        var counts: [Int] = []
        while let piece = try reader.next() { counts.append(piece.count) }
        #expect(counts == [Int](repeating: GzipReader.pieceByteCount, count: 4))
    }
}
