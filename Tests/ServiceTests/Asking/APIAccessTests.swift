import AppStore
import AppStoreAPI
import AppleSync
import Intake
import Service
import TestSupport
import Testing

@Suite("Access to the App Store Server API")
struct APIAccessTests {
    func read(_ baseUrl: String) throws -> ServiceConfiguration {
        try ServiceConfiguration(
            yaml: """
                apps:
                  - bundleId: a
                    api: { keyId: k, issuerId: i, privateKeyFile: p, baseUrl: "\(baseUrl)" }
                """)
    }

    @Test(
        "Https anywhere and http on loopback can replace Apple's hosts",
        arguments: [
            "https://apple.example.com", "https://apple.example.com:8443/api",
            "http://127.0.0.1:8081", "http://localhost:1/", "http://[::1]:80",
        ])
    func goodBase(_ address: String) throws {
        #expect(try read(address).apps[0].api?.baseUrl == address)
    }

    @Test(
        "An address that would expose the token, or is invalid, is refused",
        arguments: [
            "http://apple.example.com", "https://user:word@example.com", "https://a/?q=1",
            "https://a/#f", "ftp://127.0.0.1", "127.0.0.1:8081", "https://", "",
        ])
    func badBase(_ address: String) {
        let error = #expect(throws: ConfigurationError.self) { try read(address) }
        #expect(error?.code == .invalidValue)
        #expect(error?.key == "apps[0].api.baseUrl")
        #expect(error?.description.contains("word@") == false)
    }

    @Test("An invalid key is refused, and its setting is named")
    func badKeyFile() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("hidden".utf8), to: "key.p8")
        let api = Configuration.API(keyId: "k", issuerId: "i", privateKeyFile: path)
        let error = #expect(throws: ConfigurationError.self) {
            try APICredentials(api, bundleId: BundleId("a"), key: "apps[0].api")
        }
        #expect(error?.key == "apps[0].api.privateKeyFile")
        #expect(error?.description.contains("hidden") == false)
        for missing in [directory.file("none"), directory.file(""), "/dev/null"] {
            let api = Configuration.API(keyId: "k", issuerId: "i", privateKeyFile: missing)
            let error = #expect(throws: ConfigurationError.self) {
                try APICredentials(api, bundleId: BundleId("a"), key: "apps[0].api")
            }
            #expect(error?.code == .unreadableFile)
        }
    }
}
