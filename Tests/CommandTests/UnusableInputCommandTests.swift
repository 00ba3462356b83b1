import AppStore
import Foundation
import Ledger
import Testing

/// What a command does about an input or a file that it cannot use as it is.
@Suite("Unusable settings and files")
struct UnusableInputCommandTests {
    /// `Log.md` §3: derived data is disposable and can be rebuilt at any time.
    @Test(
        "A derived file that is not a database is rebuilt, at the latest by rebuild",
        arguments: [
            "projections-\(Lifecycle.reducerVersion)-1.sqlite",
            "facts-\(Fact.decoderVersion).sqlite",
        ])
    func damagedDerivedFile(name: String) async throws {
        let place = try await Workplace.taken()
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: place.ledgerFile(name + suffix))
        }
        try Data(repeating: 0x41, count: 16_384)
            .write(to: URL(filePath: place.ledgerFile(name)))
        let rebuilt = try await place.run("rebuild", "--from-log")
        #expect(rebuilt.code == 0, "\(rebuilt.err)")
        #expect(try await place.run("show", Evidence.id).code == 0)
    }

    /// `Contract.md`: flags and variables override the file.
    @Test("An app id without a bundle id is that of the file's only app; of several, refused")
    func appAppleIdAlone() async throws {
        let place = try Workplace(options: [])
        try place.write(
            ["apps: [ { bundleId: \(Evidence.app) } ]", "dataDirectory: data"],
            to: "subledger.yaml")
        let outcome = try await place.run("doctor", "--app-apple-id", "1234567890")
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(outcome.out.contains("app \(Evidence.app): configured"))
        #expect(!outcome.out.contains("appAppleId is missing"))
        try place.write(
            [
                "apps: [ { bundleId: \(Evidence.app) }, { bundleId: com.example.other } ]",
                "dataDirectory: data",
            ], to: "subledger.yaml")
        let several = try await place.run("doctor", "--app-apple-id", "1234567890")
        #expect(several.code == 64)
        #expect(several.err.contains("add --bundle-id"))
    }

    /// An empty variable is mostly one that was meant to have a value.
    @Test("A variable without a usable value is an error")
    func unusableVariables() async throws {
        let place = try Workplace(options: ["--data", "data", "--bundle-id", Evidence.app])
        let name = "SUBLEDGER_APP_APPLE_ID"
        let outcome = try await place.run("doctor", variables: [name: "-5"])
        #expect(outcome.code == 78 && outcome.errorCode == "invalidValue", "\(outcome.err)")
        #expect(outcome.err.contains(name), "\(outcome.err)")
        let bare = try Workplace(options: [])
        for name in [
            "CONFIG", "DATA", "DATABASE", "ENVIRONMENT", "BUNDLE_ID", "APP_APPLE_ID", "TRUST_ROOT",
        ] {
            let outcome = try await bare.run("doctor", variables: ["SUBLEDGER_\(name)": ""])
            #expect(outcome.code == 78 && outcome.errorCode == "invalidValue", "\(outcome.err)")
            let sentence = "SUBLEDGER_\(name) is empty; give it a value, or unset it."
            #expect(outcome.err.contains(sentence), "\(outcome.err)")
        }
        let named = try await bare.run("doctor", "--data", "", variables: ["SUBLEDGER_DATA": ""])
        #expect(named.code == 64 && named.err.contains("--data takes a directory."))
        let negative = try await place.run("doctor", "--app-apple-id=-5")
        #expect(negative.code == 64 && negative.errorCode == "invalidOption")
    }

    @Test("A configuration that is not UTF-8 is refused, not read with other letters")
    func notUTF8() async throws {
        let place = try Workplace(options: [])
        let text = Data("dataDirectory: caf".utf8) + [0xE9]
        try place.write(text, to: "c.yaml")
        let outcome = try await place.run("doctor", "--config", "c.yaml")
        #expect(outcome.code == 78 && outcome.errorCode == "invalidValue", "\(outcome.err)")
        #expect(outcome.err.contains("UTF-8"))
    }

    @Test("An argument or a variable that is not UTF-8 is refused, not read with other letters")
    func wordsNotUTF8() async throws {
        let place = try Workplace(options: [])
        let cases: [(script: String, code: Int32, errorCode: String)] = [
            (#""$0" doctor --data "$(printf 'd\351')""#, 64, "usage"),
            (#"SUBLEDGER_DATA="$(printf 'd\351')" "$0" doctor"#, 78, "invalidValue"),
        ]
        for (script, code, errorCode) in cases {
            let outcome = try await place.shell(script)
            #expect(outcome.code == code && outcome.errorCode == errorCode, "\(outcome.err)")
            #expect(outcome.err.contains("not UTF-8"), "\(outcome.err)")
        }
    }

    /// `Contract.md`: I/O failures are 74.
    @Test("A file that cannot be written is an I/O failure, in one sentence, with its path")
    func unwritable() async throws {
        let place = try await Workplace.taken()
        _ = try await place.run(["audit", "keygen", "--origin", "a/b", "audit.key"])
        try place.write(["audit: { origin: a/b, keyFile: audit.key }"], to: "audit.yaml")
        for (arguments, path) in [
            (
                ["audit", "prove", Evidence.id, "-o", "none/x.json", "--config", "audit.yaml"]
                    + place.options, "none/x.json"
            ),
            (["demo", "--once", "--port", "0", "--data", "in.ndjson/demo"], "in.ndjson"),
            (["backup", "none/b.sqlite"] + place.options, "none/b.sqlite"),
        ] {
            let outcome = try await place.run(arguments)
            #expect(outcome.code == 74 && outcome.errorCode == "ioError", "\(outcome.err)")
            #expect(outcome.err.contains(path), "\(outcome.err)")
            #expect(!outcome.err.contains("Error Domain"), "\(outcome.err)")
            #expect(!outcome.err.contains("data directory"), "\(outcome.err)")
        }
    }

    @Test("log copy takes a keyword string for a connection, a misspelt one too, and quotes none")
    func places() async throws {
        // given
        let place = try await Workplace.taken()
        let secret = "user = x pasword = secretpw"
        let cases: [(from: String, to: String, code: Int32)] = [
            (secret, "copied", 78), ("data", secret, 78), ("./bk-host=a", "copied", 1),
            ("", "copied", 64), ("data", "", 64),
        ]
        for (from, to, code) in cases {
            // when
            let outcome = try await place.run("log", "copy", "--from", from, "--to", to)
            // then
            #expect(outcome.code == code && !outcome.err.contains("secretpw"), "\(outcome.err)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(!names.contains { $0 == "copied" || $0.contains("secretpw") })
    }

    @Test("A failure is one line, also where an argument has several")
    func oneLine() async throws {
        // given
        let place = try await Workplace.taken()
        // when
        let outcome = try await place.run("log", "copy", "--from", "a\nb", "--to", "copied")
        // then
        #expect(outcome.err.hasPrefix(#"error: noLog: There is no log in a\u000Ab/"#))
        #expect(outcome.err.count { $0 == "\n" } == 1, "\(outcome.err)")
    }

    @Test("Erasures that cannot be written to standard output are an I/O failure")
    func fullOutput() async throws {
        let place = try await Workplace.taken()
        let erased = try await place.run(
            "erase", "--chain", Evidence.id, "--by", "dpo", "--reason", "asked", "--yes")
        #expect(erased.code == 0, "\(erased.err)")
        let outcome = try await place.shell(
            "\"$0\" log erasures \(place.options.joined(separator: " ")) > /dev/full")
        #expect(outcome.code == 74 && outcome.errorCode == "outputClosed", "\(outcome.err)")
    }

    @Test("Where only the output of a command is lost, the failure says that the rest was done")
    func lostOutput() async throws {
        let place = try await Workplace.taken()
        let options = place.options.joined(separator: " ")
        let link = "\"$0\" link \(Evidence.id) ann --by sara --reason ticket \(options)"
        for (number, form) in ["> /dev/full", "--json > /dev/full", ">&-"].enumerated() {
            let outcome = try await place.shell("\(link) \(form)")
            #expect(outcome.code == 74 && outcome.errorCode == "outputClosed", "\(outcome.err)")
            #expect(outcome.err.contains("Everything else that the command does was done."))
            let held = try await place.run("entitlements", "ann", "--json").json()
            let position = Int64(Evidence.lines.count + number + 1)
            #expect(held["position"]?.int64 == position && held["standing"]?.string == "inactive")
        }
    }

    @Test("A story that cannot be checked leaves no scratch ledger")
    func scratchLedger() async throws {
        let place = try Workplace(options: [])
        let temporary = place.file("temporary")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false)
        let lines = UpkeepCommandTests.stories
            .appending(path: "plain-month-and-three-renewals/notifications.ndjson")
        let outcome = try await place.run(
            "replay", "--check", lines.path, variables: ["TMPDIR": temporary + "/"])
        #expect(outcome.code == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }
}
