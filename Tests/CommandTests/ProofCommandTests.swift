import AppStore
import Foundation
import LedgerTestSupport
import Signing
import TestSupport
import Testing

@Suite("Checkpoints and bundles with subledger")
struct ProofCommandTests {
    private static let origin = "example.com/subledger/production"

    private static let shared = Task { try await place(Evidence.lines, in: .shared()) }

    /// A ledger of `Evidence.lines` with a key, and its verifier key.
    static func place() async throws -> (Workplace, String) {
        let (place, verifier) = try await shared.value
        return (try place.copied(), verifier)
    }

    private static func place(
        _ lines: [String], in directory: TemporaryDirectory? = nil
    ) async throws -> (Workplace, String) {
        let place = try Workplace(options: ["--config", "subledger.yaml"], in: directory)
        let key = try await place.run(["audit", "keygen", "--origin", origin, "audit.key"])
        #expect(key.code == 0)
        try configure(place)
        try place.write(lines, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        return (place, key.out.trimmingCharacters(in: .newlines))
    }

    private static func configure(_ place: Workplace, adding options: String = "") throws {
        try place.write(
            [
                "dataDirectory: data", "apps: [{ bundleId: \(Evidence.app) }]",
                "trustedRoots: [root.der]",
                "audit: { origin: \(origin), keyFile: audit.key, interval: PT1M\(options) }",
            ], to: "subledger.yaml")
    }

    @Test("A key is made once, for its owner's eyes, and its origin must be the configured one")
    func keys() async throws {
        let (place, verifier) = try await ProofCommandTests.place(Evidence.lines)
        #expect(verifier.hasPrefix("\(ProofCommandTests.origin)+"))
        let attributes = try FileManager.default.attributesOfItem(atPath: place.file("audit.key"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let again = try await place.run(["audit", "keygen", "--origin", Self.origin, "audit.key"])
        #expect(again.code == 74 && again.errorCode == "fileExists")
        // Nor through a link.
        try FileManager.default.createSymbolicLink(
            atPath: place.file("link.key"), withDestinationPath: place.file("linked.key"))
        let linked = try await place.run(["audit", "keygen", "--origin", "a/b", "link.key"])
        #expect(linked.code == 74 && linked.errorCode == "fileExists")
        #expect(!FileManager.default.fileExists(atPath: place.file("linked.key")))
        let bad = try await place.run(["audit", "keygen", "--origin", "a b", "other.key"])
        #expect(bad.code == 1 && bad.errorCode == "invalidKey")
        #expect(!FileManager.default.fileExists(atPath: place.file("other.key")))

        _ = try await place.run(["audit", "keygen", "--origin", "other/log", "other.key"])
        try FileDamage.replace(
            "keyFile: audit.key", by: "keyFile: other.key", in: place.file("subledger.yaml"))
        #expect(try await place.run("audit", "checkpoint").code == 78)
        try FileDamage.replace(
            "keyFile: other.key", by: "keyFile: third.key", in: place.file("subledger.yaml"))
        let missing = try await place.run("audit", "checkpoint")
        #expect(missing.code == 78 && missing.errorCode == "unreadableFile")
    }

    @Test("A checkpoint is signed, kept, and compared by audit verify")
    func checkpoints() async throws {
        let (place, _) = try await ProofCommandTests.place()
        let signed = try await place.run("audit", "checkpoint")
        #expect(signed.code == 0 && signed.out.hasPrefix("\(ProofCommandTests.origin)\n4\n"))
        #expect(try await place.run("audit", "checkpoint").out == signed.out)
        let sound = try await place.run("audit", "verify", "--json").json()
        #expect(sound["checkpoints"]?["compared"]?.int64 == 1)
        #expect(sound["checkpoints"]?["findings"]?.array == [])

        // Other histories under the same key: another order, and a log that was cut.
        for (lines, code, end) in [
            (Evidence.lines.reversed(), "logRewritten", nil),
            (Array(Evidence.lines.prefix(2)), "logCut", 2),
        ] as [([String], String, Int64?)] {
            let (other, _) = try await ProofCommandTests.place(lines)
            try FileManager.default.removeItem(atPath: other.file("audit.key"))
            try FileManager.default.copyItem(
                atPath: place.file("audit.key"), toPath: other.file("audit.key"))
            try other.write(Data(signed.out.utf8), to: "theirs.txt")
            let run = try await other.run("audit", "verify", "--against", "theirs.txt", "--json")
            let finding = try run.json()["checkpoints"]?["findings"]?.array?.first
            #expect(finding?["code"]?.string == code && finding?["logEnd"]?.int64 == end)
            #expect(run.code == 1 && finding?["firstPosition"]?.int64 == 1)
            let text = try await other.run("audit", "verify", "--against", "theirs.txt").out
            #expect(text.contains(", at position 2; positions from 1 may differ") == (end != nil))
        }
        // A line that names a witness must verify where the configuration has the witness's key.
        let line = "\u{2014} w 5Prg1gAA\(String(repeating: "A", count: 94))==\n"
        try place.write(Data((signed.out + line).utf8), to: "witnessed.txt")
        let verify = ["audit", "verify", "--against", "witnessed.txt"] + place.options
        #expect(try await place.run(verify).code == 0)
        let key = "w+e4fae0d6+BGxk8L/8pE8FUGz0pCdG6JOcMFy5nxCsI9QH7zN9dWLQ"
        try ProofCommandTests.configure(
            place,
            adding: ", witnesses: [{ name: w, url: 'https://w.example.com', key: '\(key)' }]")
        #expect(try await place.run(verify).code == 1)
    }

    @Test("Where the key cannot be read, an audit is refused without --key, and a copy warns")
    func unreadableKey() async throws {
        let (place, verifier) = try await ProofCommandTests.place()
        #expect(try await place.run("audit", "checkpoint").code == 0)
        #expect(try await place.run("backup", "a.backup").code == 0)
        try FileManager.default.removeItem(atPath: place.file("audit.key"))
        let refused = try await place.run("audit", "verify")
        #expect(refused.code == 78 && refused.errorCode == "unreadableFile", "\(refused.err)")
        #expect(refused.err.contains("audit.keyFile") && refused.err.contains("--key"))
        let named = try await place.run("audit", "verify", "--key", verifier, "--json")
        #expect(try named.json()["checkpoints"]?["signed"]?.int64 == 1)
        let restored = try await place.run(
            ["restore", "a.backup", "--data", "other"] + place.options)
        let copied = try await place.run("log", "copy", "--from", "data", "--to", "third")
        for made in [restored, copied] {
            #expect(made.code == 0 && made.out.contains("extends: 1 checkpoint\n"), "\(made.out)")
            #expect(made.err.contains("the log's signatures of checkpoints are not checked: audit"))
        }
    }

    @Test("Checkpoints go with backups and copies; a log that lost signed events is named")
    func copies() async throws {
        let (place, _) = try await ProofCommandTests.place()
        let before = try await place.run("backup", "before.backup", "--json")
        #expect(try before.json()["checkpointCount"]?.int64 == 0)
        let signed = try await place.run("audit", "checkpoint")
        #expect(signed.code == 0)
        let made = try await place.run("backup", "a.backup", "--json")
        #expect(try made.json()["checkpointCount"]?.int64 == 1)

        // Elsewhere, and copied from there.
        let elsewhere = ["--data", "other"] + place.options
        let restored = try await place.run(["restore", "a.backup", "--json"] + elsewhere)
        #expect(restored.code == 0, "\(restored.err)")
        #expect(try restored.json()["checkpoints"]?["signed"]?.int64 == 1)
        let copied = try await place.run(
            "log", "copy", "--from", "other", "--to", "third", "--json")
        #expect(copied.code == 0, "\(copied.err)")
        #expect(try copied.json()["checkpoints"]?["signed"]?.int64 == 1)
        #expect(try copied.json()["checkpointsRefused"]?.int64 == 0)
        for directory in ["other", "third"] {
            let options = ["--data", directory] + place.options
            let sound = try await place.run(["audit", "verify", "--json"] + options).json()
            #expect(sound["checkpoints"]?["compared"]?.int64 == 1)
            #expect(sound["checkpoints"]?["signed"]?.int64 == 1)
            #expect(try await place.run(["audit", "checkpoint"] + options).out == signed.out)
        }

        // Events that were signed are lost: nothing is signed until they are back.
        try place.write(
            [
                try Evidence.line(
                    "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 4_000,
                    id: "700000000000001")
            ], to: "more.ndjson")
        #expect(try await place.run("ingest", "more.ndjson").code == 0)
        #expect(try await place.run("audit", "checkpoint").out.contains("\n5\n"))
        let lost = try await place.run("restore", "before.backup", "--replace")
        #expect(lost.code == 1 && lost.out.contains("checkpoint of 5 events: the log ends before"))
        #expect(try await place.run("audit", "checkpoint").errorCode == "logForked")
        // The loss goes with the copy, too.
        let taken = try await place.run("log", "copy", "--from", "data", "--to", "fourth")
        #expect(taken.code == 1 && taken.out.contains("DOES NOT EXTEND: 2 checkpoints, 2 of them"))
        let options = ["--data", "fourth"] + place.options
        #expect(try await place.run(["audit", "checkpoint"] + options).errorCode == "logForked")
    }

    @Test("A bundle is checked by its file alone, by another program too, and with the right key")
    func bundles() async throws {
        let (place, verifier) = try await ProofCommandTests.place()
        let made = try await place.run("audit", "prove", Evidence.id, "-o", "proof.json", "--json")
        #expect(made.code == 0, "\(made.err)")
        #expect(try made.json()["events"]?.int64 == 4)
        // Nothing of the ledger is there.
        let reader = try Workplace(options: ["--trust-root", "root.der"])
        try reader.write(
            try Data(contentsOf: URL(filePath: place.file("proof.json"))), to: "proof.json")
        for arguments in [[], ["--key", verifier]] {
            let checked = try await reader.run(
                ["audit", "check", "proof.json"] + arguments + reader.options)
            #expect(checked.code == 0 && checked.out.hasSuffix("proven\n"), "\(checked.out)")
        }
        #expect(!FileManager.default.fileExists(atPath: reader.file("subledger-data")))
        let other = try await reader.run(["audit", "keygen", "--origin", "o", "other.key"])
        let wrong = try await reader.run(
            "audit", "check", "proof.json", "--key", other.out.trimmingCharacters(in: .newlines))
        #expect(wrong.code == 1 && wrong.out.contains("NOT PROVEN"))
        let unrooted = try await reader.run(["audit", "check", "proof.json"])
        #expect(unrooted.code == 1 && unrooted.out.contains("untrustedRoot"))
        #expect(try await Self.checkElsewhere("proof.json", reader, verifier).code == 0)

        // A configuration that is not named does not matter.
        try reader.write(["dataDirectory: ["], to: "subledger.yaml")
        // Of these the other program refuses each with one of many bytes changed, too.
        for (arguments, step) in [
            (["--metric", "churn", "--cell", "new", "--from", "2026-01-01"], 1_021),
            (["--position", "1"], 61),
        ] {
            let made = try await place.run(
                ["audit", "prove", "-o", "other.json"] + arguments + place.options)
            #expect(made.code == 0, "\(made.err)")
            let bytes = try Data(contentsOf: URL(filePath: place.file("other.json")))
            try reader.write(bytes, to: "other.json")
            #expect(try await reader.run("audit", "check", "other.json").code == 0)
            let checked = try await ProofCommandTests.checkElsewhere(
                "other.json", reader, verifier, flipping: Soak.isOn ? 7 : step)
            #expect(checked.code == 0, "\(arguments) \(checked.out)")
        }
        #expect(try await place.run("audit", "prove", "--metric", "churn").code == 64)
        #expect(try await place.run("audit", "prove", "1", "--paid").code == 64)

        for (arguments, code) in [
            (["audit", "prove", "1"], "noSuchSubscription"),
            (["audit", "prove", Evidence.id, "--known-at", "2026-01-11"], "nothingToProve"),
            (["audit", "prove", "--position", "5"], "nothingToProve"),
        ] {
            let refused = try await place.run(arguments + place.options)
            #expect(refused.code == 1 && refused.errorCode == code, "\(refused.err)")
        }
        #expect(try await place.run("audit", "prove").code == 64)
        let keyless = try await Workplace.taken()
        #expect(
            try await keyless.run("audit", "prove", Evidence.id).errorCode == "missingAuditKey")
    }

    @Test("A proof is a file for its owner's eyes, and replaces another one as a whole")
    func privateFile() async throws {
        let (place, _) = try await ProofCommandTests.place()
        try place.write(Data("an earlier file".utf8), to: "proof.json")
        let proof = place.file("proof.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: proof)
        // The same bytes under another name: a file that is written in place changes them.
        try FileManager.default.linkItem(atPath: proof, toPath: place.file("before.json"))
        for name in ["proof.json", "new.json"] {
            let made = try await place.run("audit", "prove", Evidence.id, "-o", name)
            #expect(made.code == 0, "\(made.err)")
            let attributes = try FileManager.default.attributesOfItem(atPath: place.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try await place.run("audit", "check", name).code == 0)
        }
        #expect(
            try String(contentsOfFile: place.file("before.json"), encoding: .utf8)
                == "an earlier file")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(!names.contains { $0.contains(".partial-") })
    }

    @Test(
        "A notification or renewal info without a date is checked at that of the other parts",
        arguments: [false, true])
    func undated(_ isPair: Bool) async throws {
        let line = try Evidence.undated(isPair: isPair)
        let (place, verifier) = try await ProofCommandTests.place([line])
        let made = try await place.run("audit", "prove", Evidence.id, "-o", "proof.json")
        #expect(made.code == 0, "\(made.err)")
        let checked = try await place.run("audit", "check", "proof.json")
        #expect(checked.code == 0, "\(checked.out)\(checked.err)")
        #expect(try await Self.checkElsewhere("proof.json", place, verifier).code == 0)
    }

    @Test("On standard output a bundle is the same file, whatever characters a customer has")
    func output() async throws {
        let (place, _) = try await ProofCommandTests.place()
        let customer = "m\u{200C}n"
        let linked = try await place.run(
            "link", Evidence.id, customer, "--by", "sara", "--reason", "a ticket")
        #expect(linked.code == 0, "\(linked.err)")
        for arguments in [[], ["--html"]] {
            let made = try await place.run(
                ["audit", "prove", "--customer", customer] + arguments + place.options)
            #expect(made.code == 0, "\(made.err)")
            try place.write(Data(made.out.utf8), to: "proof")
            let checked = try await place.run("audit", "check", "proof")
            #expect(checked.code == 0, "\(checked.out)\(checked.err)")
        }
    }

    /// What `Tests/ProofCheck/check_bundle.py`, which shares nothing with the product, says of a
    /// file; with a step it also fails where it accepts the file with one of these bytes changed.
    static func checkElsewhere(
        _ file: String, _ place: Workplace, _ verifier: String, flipping step: Int? = nil
    ) async throws -> Outcome {
        let script = Fixtures.repository.appending(path: "Tests/ProofCheck/check_bundle.py").path
        let root = TestAuthority.roots.fingerprints.map(\.hexadecimal)
        return try await place.program(
            "/usr/bin/python3",
            [script, file, "--key", verifier] + root.flatMap { ["--root", $0] }
                + (step.map { ["--flip", "\($0)"] } ?? []))
    }

    @Test("As a page it needs nothing from elsewhere, and nothing in it ends its script")
    func page() async throws {
        let (place, verifier) = try await ProofCommandTests.place()
        // A page has an escape for the bracket, and the text of that escape as it was.
        let linked = try await place.run(
            "link", Evidence.id, "c-1", "--by", "sara", "--reason", #"a</script>b \u003c"#)
        #expect(linked.code == 0, "\(linked.err)")
        let made = try await place.run("audit", "prove", Evidence.id, "--html")
        #expect(made.code == 0)
        #expect(made.out.hasPrefix("<!doctype html>") && made.out.contains("default-src 'none'"))
        #expect(!made.out.contains("src=\"") && !made.out.contains("href=\""))
        #expect(made.out.ranges(of: "</script>").count == 2)
        // The page is a file for audit check, too.
        try place.write(Data(made.out.utf8), to: "proof.html")
        #expect(try await place.run("audit", "check", "proof.html").code == 0)
        #expect(try await Self.checkElsewhere("proof.html", place, verifier).code == 0)
    }

    @Test("The check prints the answer that is proven, and says where a page's words are not")
    func words() async throws {
        let (place, _) = try await ProofCommandTests.place()
        let bundle = try await place.run("audit", "prove", Evidence.id)
        try place.write(Data(bundle.out.utf8), to: "proof.json")
        let value = try #require(try bundle.json()["answer"]?["value"])
        let state = try #require(value["state"]?.string)
        let page = try await place.run("audit", "prove", Evidence.id, "--html")
        try place.write(Data(page.out.utf8), to: "proof.html")
        let forged = page.out.replacing("<h1>Proof of 4 events</h1>", with: "<h1>Gold</h1>")
        #expect(forged != page.out && page.out.contains("<p>This answer is by the operator"))
        try place.write(Data(forged.utf8), to: "forged.html")
        let after = page.out.replacing("</body>", with: "Gold</body>")
        try place.write(Data(after.utf8), to: "after.html")
        for (file, words, end) in [
            ("proof.json", nil, "\nproven\n"), ("proof.html", "unaltered", "\nproven\n"),
            ("forged.html", "wordsNotChecked", "\nproven, but for the words of the page\n"),
            ("after.html", "wordsNotChecked", "\nproven, but for the words of the page\n"),
        ] as [(String, String?, String)] {
            let checked = try await place.run("audit", "check", file)
            #expect(checked.code == 0 && checked.out.hasSuffix(end), "\(checked.out)")
            #expect(
                checked.out.contains(
                    "\nanswer: subscription \(Evidence.id) of \(Evidence.app) at "))
            #expect(checked.out.contains(": \(state), ") && checked.out.contains("s settings: l"))
            #expect(
                checked.out.contains("The words of the page are not checked")
                    == (words == "wordsNotChecked"))
            let json = try await place.run("audit", "check", file, "--json").json()
            #expect(json["proven"] == .bool(true))
            #expect(json["page"]?.string == words)
            #expect(json["answer"]?["value"]?["state"]?.string == state)
            #expect(json["answer"]?["query"]?["id"]?.string == Evidence.id)
        }
        // Without the root nothing is proven, and no answer is shown as if it were.
        let reader = try Workplace(options: [])
        try reader.write(Data(forged.utf8), to: "forged.html")
        let unproven = try await reader.run("audit", "check", "forged.html")
        #expect(unproven.code == 1 && unproven.out.hasSuffix("NOT PROVEN\n"))
        #expect(!unproven.out.contains("answer: subscription"))
        let json = try await reader.run("audit", "check", "forged.html", "--json").json()
        #expect(json["answer"] == .null)
    }

    @Test("Of a customer, a cell and events alone the check prints what is proven, too")
    func otherAnswers() async throws {
        let (place, _) = try await ProofCommandTests.place()
        let linked = try await place.run(
            "link", Evidence.id, "c-1", "--by", "sara", "--reason", "a ticket")
        #expect(linked.code == 0, "\(linked.err)")
        for (arguments, answer) in [
            (["--customer", "c-1"], "answer: customer c-1 at "),
            (
                ["--metric", "churn", "--cell", "new", "--from", "2026-01-01"],
                "answer: new of churn from 2026-01-01T00:00:00.000Z to "
            ),
            (
                [
                    "--metric", "churn", "--cell", "new", "--from", "2026-01-01", "--paid",
                    "--where", "country=USA", "--at", "2026-01-20",
                ],
                "answer: new of churn (paid only) from 2026-01-01T00:00:00.000Z to"
                    + " 2026-01-20T00:00:00.000Z, only where country=USA, days in UTC,"
                    + " at 2026-01-20T00:00:00.000Z, "
            ), (["--position", "1"], "answer: none; the bundle proves its events alone\n"),
        ] {
            let made = try await place.run(
                ["audit", "prove"] + arguments + ["-o", "proof.json"] + place.options)
            #expect(made.code == 0, "\(made.err)")
            let checked = try await place.run("audit", "check", "proof.json")
            #expect(checked.code == 0 && checked.out.contains(answer), "\(checked.out)")
        }
        let early = try await place.run(
            ["audit", "prove", "--metric", "churn", "--cell", "new", "--from", "2026-01-01"]
                + ["--at", "2020-01-01"] + place.options)
        #expect(early.code == 64 && early.errorCode == "invalidRange")
    }
}
