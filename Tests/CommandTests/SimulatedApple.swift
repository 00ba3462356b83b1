import AppStore
import Testing

/// The App Store that `simulate` makes in the directory `apple`.
extension Workplace {
    static let app = "com.example.app"

    /// A place whose ledger trusts it.
    static func besideApple() async throws -> Workplace {
        let place = try Workplace(options: [
            "--data", "data", "--bundle-id", app, "--trust-root", "apple/root.der",
        ])
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
}
