import AppStore
import Foundation
import LedgerTestSupport
import Simulator
import Testing

/// Options that name files: what can be read once is enough, and nothing is read without a bound.
@Suite("Files from pipes, and their bounds")
struct PipedFileTests {
    private static let origin = "example.com/subledger/production"
    private static let key = TestAuthority.key
    /// Without a trusted root.
    private static let options = ["--data", "data", "--bundle-id", Evidence.app]
    private static let sign =
        ["sign", "promotional-offer", "p", "o", "--key-id", key.keyId, "--issuer-id", key.issuerId]
        + options

    /// A ledger with a signed checkpoint in `note`, and a key for requests to Apple in `key.p8`.
    private static func place() async throws -> Workplace {
        let place = try await Workplace.taken()
        try place.write(Data(key.pem), to: "key.p8")
        _ = try await place.run(["audit", "keygen", "--origin", origin, "audit.key"])
        try place.write(["audit: { origin: \(origin), keyFile: audit.key }"], to: "audit.yaml")
        let signed = try await place.run("audit", "checkpoint", "--config", "audit.yaml")
        #expect(signed.code == 0, "\(signed.err)")
        try place.write(Data(signed.out.utf8), to: "note")
        return place
    }

    /// Runs the binary in bash: `piped` has the words after the arguments.
    private static func run(
        _ arguments: [String], piped: String, in place: Workplace
    ) async throws -> Outcome {
        let script = "cat key.p8 | \"$0\" \"$@\" \(piped)"
        return try await place.program("/bin/bash", ["-c", script, Workplace.binary] + arguments)
    }

    @Test("Roots, a checkpoint and a key are read from pipes")
    func pipes() async throws {
        let place = try await PipedFileTests.place()
        let verify = ["audit", "verify", "--signatures", "--json"] + PipedFileTests.options
        let verified = try await PipedFileTests.run(
            verify, piped: "--trust-root <(cat root.der) --against <(cat note)", in: place)
        #expect(verified.code == 0, "\(verified.err)")
        #expect(try verified.json()["signaturesVerified"]?.int64 == 4)
        // It uses the roots several times.
        let prove = ["audit", "prove", Evidence.id, "-o", "proof.json", "--config", "audit.yaml"]
        let proven = try await PipedFileTests.run(
            prove + PipedFileTests.options, piped: "--trust-root <(cat root.der)", in: place)
        #expect(proven.code == 0 && proven.out.contains("--trust-root of this"), "\(proven.err)")
        for file in ["/dev/stdin", "<(cat key.p8)"] {
            let signed = try await PipedFileTests.run(
                PipedFileTests.sign, piped: "--key-file \(file)", in: place)
            #expect(signed.code == 0 && signed.out.hasPrefix("signature: "), "\(signed.err)")
        }
    }

    @Test("A file is read up to its bound; one that is longer, or has no end, is refused")
    func bounds() async throws {
        let place = try await Workplace.taken()
        let verify = ["audit", "verify", "--signatures"] + PipedFileTests.options
        let root = Data(TestAuthority.shared.rootDER)
            .base64EncodedString(options: .lineLength64Characters)
        let pem = "-----BEGIN CERTIFICATE-----\n\(root)\n-----END CERTIFICATE-----\n"
        let key = String(decoding: PipedFileTests.key.pem, as: UTF8.self)
        let cases: [([String], bound: Int, end: String, codes: [String?])] = [
            (verify + ["--trust-root"], 1_048_576, pem, [nil, "invalidRoot"]),
            (verify + ["--against"], 65_536, "", ["malformedNote", "unreadableFile"]),
            (PipedFileTests.sign + ["--key-file"], 16_384, key, [nil, "unreadableFile"]),
        ]
        for (arguments, bound, end, codes) in cases {
            for (count, code) in zip([bound, bound + 1], codes) {
                let comment = String(repeating: "#", count: count - end.utf8.count - 1)
                try place.write(Data("\(comment)\n\(end)".utf8), to: "large")
                let outcome = try await place.run(arguments + ["large"])
                #expect(outcome.errorCode == code, "\(arguments): \(outcome.err)")
            }
            let endless = try await place.run(arguments + ["/dev/zero"])
            #expect(endless.errorCode == codes[1], "\(arguments): \(endless.err)")
        }
    }
}
