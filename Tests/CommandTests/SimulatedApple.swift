import AppStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// `simulate server` for the tests that change nothing in it, ended with this process. It limits no
/// rates, since the requests of all these tests come together.
enum SharedApple {
    static func started() async throws -> (server: Workplace, said: JSONValue) {
        try await running.value
    }

    private static let running = Task {
        let server = try Workplace(options: [], in: .shared())
        let launched = try server.launch(
            ["simulate", "server", "--json", "--unlimited"] + APICommandTests.usualStore)
        process.withLock { $0 = launched.process }
        atexit { SharedApple.end() }
        return (server, try await LaunchedLine.first(of: launched))
    }

    private static let process = Mutex<pid_t?>(nil)

    private static func end() {
        if let process = process.withLock({ $0 }) { kill(process, SIGKILL) }
    }
}

/// The App Store that `simulate` makes in the directory `apple`.
extension Workplace {
    static let app = "com.example.app"

    /// A place whose ledger trusts it.
    static func besideApple() async throws -> Workplace { try await withApple.value.copied() }

    private static let withApple = Task {
        let options = ["--data", "data", "--bundle-id", app, "--trust-root", "apple/root.der"]
        let place = try Workplace(options: options, in: .shared())
        let made = try await place.run([
            "simulate", "history", "--chains", "1", "--authority", "apple",
        ])
        #expect(made.code == 0, "\(made.err)")
        return place
    }

    /// The options to ask its API, from the line with which that started.
    func asking(_ said: JSONValue) -> [String] {
        [
            "--key-id", said["keyId"]?.string ?? "", "--issuer-id", said["issuerId"]?.string ?? "",
            "--key-file", file("apple/AuthKey.p8"), "--base-url", said["baseUrl"]?.string ?? "",
        ]
    }

    /// Writes a configuration of several apps with the root, key and base URL (unless another one
    /// is given) of `options`, and of other settings; returns the options that name it.
    func configured(
        _ apps: [String], baseUrl: String? = nil, others: [String] = []
    ) throws -> [String] {
        func option(_ name: String) throws -> String {
            options[try #require(options.firstIndex(of: name)) + 1]
        }
        let root = try option("--trust-root")
        let address = try baseUrl ?? option("--base-url")
        var lines = others + ["dataDirectory: data", "trustedRoots: ['\(root)']", "apps:"]
        for app in apps {
            lines += [
                "  - bundleId: \(app)", "    api:", "      keyId: \(try option("--key-id"))",
                "      issuerId: \(try option("--issuer-id"))",
                "      privateKeyFile: '\(try option("--key-file"))'",
                "      baseUrl: '\(address)'",
            ]
        }
        return ["--config", try write(lines, to: "apps.yaml")]
    }
}
