import AppStore
import Intake
import LedgerTestSupport
import Signing
import Simulator
import Testing

/// `ingest` of a file that is one receipt, as stored by a device or a back end.
@Suite("Receipts as files")
struct ReceiptFileTests {
    private func place() throws -> TemporaryLedger { try StoredReceipts.place() }

    private func receipt(_ number: Int = 0) throws -> [UInt8] {
        let reported = StoredReceipts.reported
        let id = reported.ids(at: StoredReceipts.stored)[number]
        return try TestAuthority.receipts.sign(
            #require(reported.receipt(of: id, at: StoredReceipts.stored)))
    }

    @Test("Binary, in base64 of any line length, or PEM, it is one event")
    func forms() async throws {
        let place = try place()
        let binary = try receipt()
        let base64 = Base64.standard.encode(binary)
        let broken = StoredReceipts.broken(base64)
        let pem =
            Array("-----BEGIN PKCS7-----\n".utf8) + broken + Array("\n-----END PKCS7-----\n".utf8)
        #expect(try await place.ingest(file: binary).appended == 1)
        for (name, bytes) in [
            ("again", binary), ("base64", base64), ("broken", broken), ("PEM", pem),
            (
                "CRLF",
                Array(String(decoding: broken, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
            ),
            ("marked", [0xEF, 0xBB, 0xBF] + broken), ("ended", base64 + [0x0A]),
        ] {
            let summary = try await place.ingest(file: bytes)
            #expect(summary.errors.isEmpty, "\(name)")
            #expect(summary.read == 1, "\(name)")
            #expect(summary.duplicates == 1, "\(name)")
        }
    }

    @Test("Several of them, one per line, are as many events")
    func lines() async throws {
        let place = try place()
        let lines = try (0..<3).map { Base64.standard.encode(try receipt($0)) }
        let summary = try await place.ingest(lines)
        #expect(summary.errors.isEmpty)
        #expect(summary.appended == 3)
    }

    @Test("An invalid binary file is refused once, and not line by line")
    func refused() async throws {
        let place = try place()
        let cut = Array(try receipt().dropLast(200))
        let noise: [UInt8] = [0x30, 0x82] + (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        let long = [0x30, 0x84] + [UInt8](repeating: 0x0A, count: 4 * 1_024 * 1_024)
        for (bytes, code) in [
            (cut, "malformedReceipt"), (noise, "malformedReceipt"), (long, "payloadTooLarge"),
        ] {
            let summary = try await place.ingest(file: bytes)
            #expect(summary.read == 1)
            #expect(summary.errors.map(\.code) == [code])
            #expect(summary.appended == 0)
        }
    }

    @Test("Bytes that nothing signs are accepted within their limit only")
    func padded() async throws {
        let place = try place()
        let reported = StoredReceipts.reported
        let id = reported.ids(at: StoredReceipts.stored)[0]
        var encoding = ReceiptEncoding()
        encoding.isIndefinite = true
        let plain = try TestAuthority.receipts.sign(
            #require(reported.receipt(of: id, at: StoredReceipts.stored)), writing: encoding)
        // The set of the signers' digests, which is ignored, inside indefinite lengths.
        let start = 20
        try #require(plain[start] == 0x31 && plain[start + 1] < 0x80)
        let end = start + 2 + Int(plain[start + 1])
        let cases: [(Int, [String])] = [(15 * 1_024, []), (17 * 1_024, ["malformedReceipt"])]
        for (byteCount, codes) in cases {
            let filling = DER.element(0x31, [UInt8](repeating: 0, count: byteCount))
            let receipt = Array(plain[..<start]) + filling + Array(plain[end...])
            let summary = try await place.ingest([Base64.standard.encode(receipt)])
            #expect(summary.errors.map(\.code) == codes)
            #expect(summary.appended == (codes.isEmpty ? 1 : 0))
        }
    }

    @Test("Base64 that is not a receipt is read as lines")
    func noReceipt() async throws {
        let place = try place()
        let summary = try await place.ingest(file: Array("MIIB\nMIIC!\n".utf8))
        #expect(summary.read == 2)
        #expect(summary.rejected == 2)
    }
}
