import Foundation
import Simulator
import Testing

/// SIGHUP, as sent after certificate renewals.
@Suite("SIGHUP")
struct HangupTests {
    /// Writes an authority's certificate and key to the configured files.
    private func certify(_ place: Workplace, by name: String) throws {
        let directory = place.file(name)
        _ = try Authority.kept(in: directory)
        let chain = try ["leaf.der", "intermediate.der"].map { file in
            let text = try Data(contentsOf: URL(filePath: "\(directory)/\(file)"))
                .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----"
        }
        try place.write(chain, to: "tls.pem")
        try place.write(
            Data(contentsOf: URL(filePath: "\(directory)/leaf.key")), to: "tls.key")
    }

    /// Polls the service's log until it contains the text this many times.
    private func waits(_ service: Launched, for text: String, count: Int) async throws -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<3_000 {
                    let log = (try? service.outcome(code: 0))?.err ?? ""
                    if log.components(separatedBy: text).count > count {
                        return continuation.resume(returning: true)
                    }
                    usleep(20_000)
                }
                continuation.resume(returning: false)
            }
        }
    }

    @Test(
        "The TLS files are reloaded; unusable ones leave the old in place, and serving continues"
    )
    func reload() async throws {
        let place = try Workplace()
        try certify(place, by: "one")
        try place.write(
            [
                "server:", "  tls:", "    certificateFile: \(place.file("tls.pem"))",
                "    privateKeyFile: \(place.file("tls.key"))",
            ], to: "served.yaml")
        let service = try await ServiceRun(place, ["--config", place.file("served.yaml")])
        try certify(place, by: "two")
        service.launched.signal(SIGHUP)
        #expect(try await waits(service.launched, for: "certificateReloaded", count: 1))
        try place.write(["nonsense"], to: "tls.pem")
        service.launched.signal(SIGHUP)
        #expect(try await waits(service.launched, for: "certificateUnusable", count: 1))
        // Reading a pipe without a writer would never end, and nor would the service.
        try FileManager.default.removeItem(atPath: place.file("tls.pem"))
        try #require(mkfifo(place.file("tls.pem"), 0o600) == 0)
        service.launched.signal(SIGHUP)
        #expect(try await waits(service.launched, for: "certificateUnusable", count: 2))
        #expect(try await service.terminate() == 0)
    }

    @Test("Without TLS it does not end the service")
    func plain() async throws {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        service.launched.signal(SIGHUP)
        let connection = try RawConnection(port: service.port)
        let head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        #expect(connection.send(head))
        #expect(try await service.terminate() == 0)
    }

    @Test("During the start it does not end the service, which reloads the files at the end")
    func starting() async throws {
        let place = try Workplace()
        try certify(place, by: "one")
        let file = place.file("piped.yaml")
        try #require(mkfifo(file, 0o600) == 0)
        let launched = try place.launch(["serve", "--port", "0", "--config", file] + place.options)
        // The pipe has a reader once the start reads its configuration, and holds it until it ends.
        let pipe = try #require(await reader(of: file))
        launched.signal(SIGHUP)
        let (certificate, key) = (place.file("tls.pem"), place.file("tls.key"))
        let tls = "{ certificateFile: \(certificate), privateKeyFile: \(key) }"
        #expect(pipe.write("server: { tls: \(tls) }"))
        #expect(try await waits(launched, for: "certificateReloaded", count: 1))
        _ = try await launched.kill(afterMilliseconds: 1)
    }

    /// The writing end of a named pipe.
    private struct WritingEnd {
        let descriptor: Int32

        /// Writes and closes.
        func write(_ text: String) -> Bool {
            defer { close(descriptor) }
            return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
        }
    }

    /// Polls a named pipe until it has a reader.
    private func reader(of pipe: String) async -> WritingEnd? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<3_000 {
                    let descriptor = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                    if descriptor >= 0 {
                        return continuation.resume(returning: WritingEnd(descriptor: descriptor))
                    }
                    usleep(20_000)
                }
                continuation.resume(returning: nil)
            }
        }
    }

    @Test(
        "Shared secrets are reloaded; an unusable one is reported, and leaves its predecessor in place"
    )
    func sharedSecrets() async throws {
        let place = try Workplace()
        try place.write(["no"], to: "shared-secret")
        try place.write(
            [
                "apps:", "  - bundleId: com.example.app",
                "    sharedSecretFile: \(place.file("shared-secret"))",
            ], to: "shared.yaml")
        let service = try await ServiceRun(place, ["--config", place.file("shared.yaml")])
        func status(_ password: String, _ number: Int) async throws -> Int? {
            let body =
                #"{"notification_type":"DID_RENEW","environment":"PROD","bid":"com.example.app","#
                + #""password":"\#(password)","original_transaction_id":"\#(number)"}"#
            return await (try RawConnection(port: service.port)).notify(Array(body.utf8))?.status
        }
        // It does not keep the service from starting.
        #expect(try await waits(service.launched, for: "sharedSecretUnusable", count: 1))
        #expect(try await status("first-secret-of-the-app", 1) == 503)
        try place.write(["first-secret-of-the-app"], to: "shared-secret")
        service.launched.signal(SIGHUP)
        #expect(try await waits(service.launched, for: "sharedSecretsReloaded", count: 1))
        #expect(try await status("first-secret-of-the-app", 1) == 200)
        #expect(try await status("second-secret-of-the-app", 2) == 400)
        try place.write(["second-secret-of-the-app"], to: "shared-secret")
        service.launched.signal(SIGHUP)
        #expect(try await waits(service.launched, for: "sharedSecretsReloaded", count: 2))
        #expect(try await status("second-secret-of-the-app", 3) == 200)
        #expect(try await status("first-secret-of-the-app", 4) == 400)
        try place.write(["no"], to: "shared-secret")
        service.launched.signal(SIGHUP)
        #expect(try await waits(service.launched, for: "sharedSecretUnusable", count: 2))
        #expect(try await status("second-secret-of-the-app", 5) == 200)
        #expect(try await service.terminate() == 0)
    }
}
