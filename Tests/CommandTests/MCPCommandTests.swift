import AppStore
import Foundation
import TestSupport
import Testing

@Suite("The Model Context Protocol with subledger")
struct MCPCommandTests {
    private static func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","#
            + #""params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    @Test("Lines are answered until the end of input, whatever stands between them")
    func dialogue() async throws {
        let place = try await Workplace.taken()
        let at = "2026-02-01T00:00:00.000Z"
        let lines = [
            "{", "", String(repeating: "x", count: 65_537), "[]",
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            MCPCommandTests.call(2, "access", #"{"subscription":"\#(Evidence.id)","at":"\#(at)"}"#),
            MCPCommandTests.call(3, "access", #"{"subscription":"42"}"#),
            MCPCommandTests.call(4, "find", #"{"text":"42","environment":"sandbox"}"#),
            MCPCommandTests.call(5, "link", "{}"),
        ]
        let outcome = try await place.run("mcp", input: lines.joined(separator: "\n"))
        #expect(outcome.code == 0, "\(outcome.err)")
        let answers = try outcome.out.split(separator: "\n").map {
            try JSONValue.parse(Array($0.utf8))
        }
        try #require(answers.count == 8)
        let codes = answers.map { $0["error"]?["data"]?["code"]?.string }
        let refused = ["malformedJSON", "payloadTooLarge", "invalidBody"]
        #expect(codes == refused + [nil, nil, nil, nil, "unknownTool"])
        #expect(answers.map { $0["id"]?.int64 } == [nil, nil, nil, 1, 2, 3, 4, 5])
        let access = answers[4]["result"]
        let outcomeOfShow = try await place.run("show", Evidence.id, "--at", at, "--json")
        let shown = try outcomeOfShow.json()
        #expect(access?["structuredContent"] == shown)
        let text = access?["content"]?.array?.first?["text"]?.string ?? ""
        let address = "http://127.0.0.1:8080/console/production/subscriptions/\(Evidence.id)"
        #expect(text.contains(address))
        let missing = answers[5]["result"]?["structuredContent"]?["code"]?.string
        #expect(missing == "noSuchSubscription")
        let elsewhere = answers[6]["result"]?["structuredContent"]?["code"]?.string
        #expect(elsewhere == "environmentNotServed")
    }

    @Test("Where there is no log none is made")
    func withoutLog() async throws {
        let place = try Workplace()
        let outcome = try await place.run("mcp", input: MCPCommandTests.call(1, "missing", "{}"))
        #expect(outcome.code == 1 && outcome.errorCode == "noLog", "\(outcome.err)")
        #expect(outcome.out.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: place.file("data")))
    }

    @Test("Changes of paid churn are the command's; other metrics do not take paid")
    func paidChanges() async throws {
        let place = try await Workplace.taken()
        let range = ["--from", "2026-01-01", "--to", "2026-04-01", "--known-position", "2"]
        let outcome = try await place.run(
            ["metrics", "diff", "--paid", "--json"] + range + place.options)
        #expect(outcome.code == 0, "\(outcome.err)")
        let changes = try outcome.json()
        #expect(changes["definition"]?.string == "churn.paid/1")
        #expect(changes["cells"]?.array?.isEmpty == false)
        let answered = try await place.run(
            "mcp",
            input: MCPCommandTests.call(
                1, "metrics",
                #"{"name":"diff","from":"2026-01-01","to":"2026-04-01","knownPosition":2,"#
                    + #""paid":true}"#))
        let same = try answered.json()["result"]?["structuredContent"]
        for member in try #require(changes.object) where member.key != "at" {
            #expect(same?[member.key] == member.value, "\(member.key)")
        }
        for arguments in [["diff", "mrr"], ["chains", "mrr", "--column", "mrr"]] {
            let refused = try await place.run(
                ["metrics"] + arguments + ["--paid"] + range + place.options)
            #expect(refused.code == 64 && refused.errorCode == "invalidOption")
            #expect(refused.err.contains("--paid applies to churn only."), "\(refused.err)")
        }
    }

    /// Runs `Tests/MCP/run.sh`, which says SKIPPED where there is no PyPI.
    @Test("The client from PyPI gets the same answers over both transports, and cannot write")
    func client() async throws {
        let place = try Workplace()
        let script = Fixtures.repository.appending(path: "Tests/MCP/run.sh").path
        var variables = Workplace.inherited
        variables["BINARY"] = Workplace.binary
        // No test fails for want of a network.
        variables["CI"] = nil
        for name in ["out", "err"] { try place.write(Data(), to: name) }
        let child = Child(
            path: "/bin/bash",
            arguments: [script, Fixtures.repository.appending(path: ".build/mcp").path],
            directory: place.path, variables: variables, input: "/dev/null",
            output: place.file("out"), errors: place.file("err"))
        let code = try await child.run()
        let out = try String(contentsOfFile: place.file("out"), encoding: .utf8)
        let err = try String(contentsOfFile: place.file("err"), encoding: .utf8)
        if out.contains("SKIPPED") { print(out) }
        #expect(code == 0, "\(out)\(err)")
    }
}
