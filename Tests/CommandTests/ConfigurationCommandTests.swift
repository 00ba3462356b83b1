import AppStore
import Foundation
import Testing

@Suite("Configuration of subledger")
struct ConfigurationCommandTests {
    private func place() throws -> Workplace {
        let place = try Workplace(options: [])
        try place.write(Evidence.lines, to: "in.ndjson")
        return place
    }

    private func yaml(data: String, root: String = "root.der") -> [String] {
        [
            "dataDirectory: \(data)", "apps: [ { bundleId: \(Evidence.app) } ]",
            "trustedRoots: [ \(root) ]",
        ]
    }

    private func exists(_ place: Workplace, _ directory: String) -> Bool {
        FileManager.default.fileExists(atPath: place.file("\(directory)/production/log.sqlite"))
    }

    @Test("A relative data directory is relative to the file, wherever the command runs")
    func besideTheFile() async throws {
        let place = try place()
        try FileManager.default.createDirectory(
            atPath: place.file("conf"), withIntermediateDirectories: false)
        try place.write(yaml(data: "./ledger"), to: "conf/subledger.yaml")
        let outcome = try await place.run("ingest", "in.ndjson", "--config", "conf/subledger.yaml")
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(exists(place, "conf/ledger"))
        #expect(!exists(place, "ledger"))
    }

    @Test("A data directory may begin with file:, which is no URI")
    func fileColon() async throws {
        let place = try place()
        let options = ["--data", "file:x", "--bundle-id", Evidence.app, "--trust-root", "root.der"]
        for command in [["ingest", "in.ndjson"], ["show", Evidence.id], ["audit", "verify"]] {
            let outcome = try await place.run(command + options)
            #expect(outcome.code == 0, "\(outcome.err)")
        }
        #expect(exists(place, "file:x"))
    }

    @Test("A flag overrides a variable, a variable subledger.yaml of the working directory")
    func precedence() async throws {
        let place = try place()
        try place.write(yaml(data: "from-file"), to: "subledger.yaml")
        let variables = ["SUBLEDGER_DATA": "from-variable"]
        let flagged = try await place.run(
            "ingest", "in.ndjson", "--data", "from-flag", variables: variables)
        #expect(flagged.code == 0)
        #expect(exists(place, "from-flag") && !exists(place, "from-variable"))
        #expect(try await place.run("ingest", "in.ndjson", variables: variables).code == 0)
        #expect(exists(place, "from-variable") && !exists(place, "from-file"))
        let outcome = try await place.run("ingest", "in.ndjson")
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(exists(place, "from-file"))
    }

    @Test("Variables can set everything")
    func variables() async throws {
        let place = try place()
        try place.write(yaml(data: "named"), to: "other.yaml")
        let named = try await place.run(
            "ingest", "in.ndjson", variables: ["SUBLEDGER_CONFIG": "other.yaml"])
        #expect(named.code == 0)
        #expect(exists(place, "named"))
        let all = [
            "SUBLEDGER_DATA": "all", "SUBLEDGER_BUNDLE_ID": Evidence.app,
            "SUBLEDGER_TRUST_ROOT": "root.der", "SUBLEDGER_ENVIRONMENT": "sandbox",
        ]
        let sandbox = try await place.run("ingest", "in.ndjson", "--json", variables: all)
        #expect(sandbox.code == 1)
        #expect(try sandbox.json()["quarantined"]?.int64 == 4)
        let production = try await place.run(
            "ingest", "in.ndjson", "--json", "--environment", "production", variables: all)
        #expect(production.code == 0)
        let foreign = try await place.run(
            "ingest", "in.ndjson", "--json", "--environment", "production", "--bundle-id", "a.b",
            variables: all)
        #expect(foreign.code == 1)
        #expect(try foreign.json()["quarantined"]?.int64 == 4)
    }

    @Test("--config overrides SUBLEDGER_CONFIG")
    func namedFile() async throws {
        let place = try place()
        try place.write(yaml(data: "one"), to: "one.yaml")
        try place.write(yaml(data: "two"), to: "two.yaml")
        let outcome = try await place.run(
            "ingest", "in.ndjson", "--config", "two.yaml",
            variables: ["SUBLEDGER_CONFIG": "one.yaml"])
        #expect(outcome.code == 0)
        #expect(exists(place, "two"))
        #expect(!exists(place, "one"))
    }

    @Test("An unusable configuration is 78 and names the key, or the file that is no YAML")
    func badFile() async throws {
        let place = try place()
        try place.write(["apps: ["], to: "broken.yaml")
        try place.write(["apps: [ { bundleId: a, colour: b } ]"], to: "bad.yaml")
        for (arguments, file, code, name) in [
            (["show", "1"], "broken.yaml", "invalidYAML", "broken.yaml"),
            (["show", "1"], "bad.yaml", "unknownKey", "apps[0].colour"),
            (["doctor"], "bad.yaml", "unknownKey", "apps[0].colour"),
            (["ingest", "in.ndjson"], "bad.yaml", "unknownKey", "apps[0].colour"),
            (["rebuild"], "bad.yaml", "unknownKey", "apps[0].colour"),
        ] {
            let outcome = try await place.run(arguments + ["--config", file])
            #expect(outcome.code == 78 && outcome.errorCode == code, "\(outcome.err)")
            #expect(outcome.err.contains(name), "\(outcome.err)")
        }
    }

    @Test("A configuration file that is missing or too large is 78")
    func unreadableFile() async throws {
        let place = try place()
        let missing = try await place.run("show", "1", "--config", "none.yaml")
        #expect(missing.code == 78)
        #expect(missing.errorCode == "unreadableFile")
        #expect(missing.err.contains("none.yaml: there is no such file"))
        let directory = try await place.run("show", "1", "--config", ".")
        #expect(directory.errorCode == "unreadableFile")
        #expect(directory.err.contains("it is a directory"))
        let bound = 1_048_576
        let head = yaml(data: "large").joined(separator: "\n") + "\n#"
        for (count, code) in [(bound, 0), (bound + 1, 78)] as [(Int, Int32)] {
            let filler = String(repeating: " ", count: count - head.utf8.count)
            try place.write([head + filler], to: "large.yaml")
            let outcome = try await place.run("ingest", "in.ndjson", "--config", "large.yaml")
            #expect(outcome.code == code)
            #expect(outcome.err.contains("larger than 1 MiB") == (code == 78))
        }
    }

    @Test("A trusted root that is missing or not a certificate is 78")
    func badRoots() async throws {
        let place = try place()
        try place.write(["no certificate"], to: "words.der")
        for (root, code) in [("none.der", "unreadableRoot"), ("words.der", "invalidRoot")] {
            let outcome = try await place.run(
                "ingest", "in.ndjson", "--data", "data", "--bundle-id", Evidence.app,
                "--trust-root", root)
            #expect(outcome.code == 78)
            #expect(outcome.errorCode == code)
            #expect(outcome.err.contains(root) && outcome.err.contains("trustedRoots"))
        }
    }
}
