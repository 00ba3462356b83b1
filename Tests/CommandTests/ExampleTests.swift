import Foundation
import TestSupport
import Testing

@testable import Service

/// The files of `Examples` are accepted by the programs that read them.
@Suite("Examples")
struct ExampleTests {
    private static let folder = Fixtures.repository.appending(path: "Examples").path

    @Test(
        "HAProxy accepts the configuration",
        .enabled(if: isInstalled("haproxy"), "haproxy is not installed"))
    func balancer() async throws {
        let place = try Workplace()
        // The certificate is the reader's.
        let outcome = try await place.shell(
            """
            sed 's| ssl crt [^ ]*||' '\(Self.folder)/haproxy.cfg' > h.cfg &&
            PATH=$PATH:/usr/sbin haproxy -c -f h.cfg
            """)
        #expect(outcome.code == 0, "\(outcome.out)\(outcome.err)")
    }

    @Test(
        "HAProxy sends the largest notification of version 2 to another node after a 503",
        .enabled(
            if: isInstalled("haproxy") && isInstalled("curl"), "haproxy or curl is not installed"))
    func largestNotification() async throws {
        let place = try Workplace()
        let outcome = try await place.shell(
            """
            sed -e 's| ssl crt [^ ]*||' -e 's|:8443|unix@balancer|' \
                -e 's|10.0.0.11:8080|unix@refusing|' -e 's|10.0.0.12:8080|unix@taking|' \
                '\(Self.folder)/haproxy.cfg' > h.cfg || exit
            # In place of the nodes: one refuses what the other takes.
            cat >> h.cfg <<END
            frontend refusing
                bind unix@refusing
                option http-buffer-request
                http-request return status 503 if METH_POST
                http-request return status 200
            frontend taking
                bind unix@taking
                option http-buffer-request
                http-request return status 200
            END
            head -c \(NotificationBody.maximumSignedByteCount) /dev/zero > body
            PATH=$PATH:/usr/sbin haproxy -D -p haproxy.pid -f h.cfg || exit
            for attempt in 1 2 3 4; do
                curl -s -o answer -w '%{http_code} ' --unix-socket balancer --data-binary @body \
                    http://balancer/appstore/notifications
            done
            kill $(cat haproxy.pid)
            """)
        #expect(outcome.out == "200 200 200 200 ", "\(outcome.err)")
    }

    @Test("HAProxy sends questions asked with POST where answers are ready, before it sees writes")
    func questions() throws {
        let text = try String(contentsOfFile: "\(Self.folder)/haproxy.cfg", encoding: .utf8)
        let rules = text.split(separator: "\n").filter { $0.contains("use_backend") }
        let writes = try #require(rules.firstIndex { $0.contains("method POST") })
        for (path, backend) in [
            ("/mcp", "queries"), ("/v1/customers:entitlements", "queries"),
            ("/v1/signatures/", "queries"), ("/appstore/retention", "queries"),
            ("/v1/jobs", "one_node"), ("/console", "one_writer"), ("/v1/audit", "one_writer"),
            ("/v1/recoveries", "one_writer"), ("/v1/webhooks", "one_writer"),
            ("/v1/quarantine", "one_writer"),
        ] {
            let rule = rules[..<writes].first { $0.contains(" \(path) ") }
            #expect(rule?.contains("use_backend \(backend) if") == true, "\(path)")
        }
        let retention = try #require(rules.firstIndex { $0.contains(" /appstore/retention ") })
        let notifications = try #require(rules.firstIndex { $0.contains(" /appstore/ ") })
        #expect(retention < notifications)
        // Trouble with the Sandbox takes no node out.
        for (backend, probe) in [
            ("queries", "/readyz/answers"), ("one_node", "/readyz/answers"),
            ("notifications", "/readyz"), ("writes", "/readyz"), ("one_writer", "/readyz"),
        ] {
            let path = "\(probe)?environment=production"
            let section = text.components(separatedBy: "\nbackend \(backend)\n").last ?? ""
            let check = section.split(separator: "\n").first
            #expect(check?.hasSuffix("GET \(path)") == true, "\(backend)")
        }
        for backend in ["one_writer", "one_node"] {
            let node = text.components(separatedBy: "\nbackend \(backend)\n").last ?? ""
            let section = node.components(separatedBy: "\nbackend ").first ?? ""
            #expect(section.contains("\n    balance source\n"), "\(backend)")
        }
        #expect(text.contains("server.trustedProxies"))
    }

    @Test(
        "systemd accepts the units",
        .enabled(if: isInstalled("systemd-analyze"), "systemd is not installed"))
    func units() async throws {
        let place = try Workplace()
        let outcome = try await place.shell(
            """
            for unit in subledger.service subledger@.service; do
                sed 's|/usr/bin/subledger|\(Workplace.binary)|' '\(Self.folder)/'$unit > $unit
            done
            ln -s subledger@.service subledger@node1.service &&
            systemd-analyze verify --man=no ./subledger.service ./subledger@node1.service
            """)
        #expect(outcome.code == 0, "\(outcome.out)\(outcome.err)")
    }

    @Test(
        "Units start again however they end, unless the configuration cannot be used",
        arguments: ["subledger.service", "subledger@.service"])
    func restarts(name: String) throws {
        let unit = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
        let parts = unit.split(separator: "[Service]")
        try #require(parts.count == 2)
        #expect(parts[0].contains("\nStartLimitIntervalSec=0\n"))
        #expect(parts[1].contains("\nRestartPreventExitStatus=78\n"))
        #expect(parts[1].contains("\nRestart=always\n"))
        #expect(parts[1].contains("\nRestartSec="))
    }

    @Test("The service's unit leaves the directory to the configuration, which names it")
    func directory() throws {
        let unit = try String(contentsOfFile: "\(Self.folder)/subledger.service", encoding: .utf8)
        let start = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
        #expect(!start.contains("--data"))
        let packaged = try String(
            contentsOf: Fixtures.repository.appending(path: "Packaging/Debian/subledger.yaml"),
            encoding: .utf8)
        #expect(packaged.contains("\ndataDirectory: /var/lib/subledger\n"))
        // What root makes there, the service may not open.
        #expect(packaged.contains("\n# Check it: runuser -u subledger -- subledger doctor "))
    }

    @Test("A node's unit names a password file of its user: libpq ignores a copy for the group")
    func passwordFile() throws {
        let unit = try String(contentsOfFile: "\(Self.folder)/subledger@.service", encoding: .utf8)
        let lines = unit.split(separator: "\n")
        #expect(lines.contains("Environment=PGPASSFILE=/etc/subledger/pgpass"))
        #expect(!lines.contains { $0.hasPrefix("LoadCredential") })
        // A command to copy has no variable of the unit.
        #expect(unit.contains("\n# runuser -u subledger -- env PGPASSFILE=/etc/subledger/pgpass "))
    }

    /// Of the debug binary, without compression. `make test-deb` has that of the release.
    @Test(
        "dpkg installs, upgrades and removes the Debian package",
        .enabled(if: isInstalled("dpkg-shlibdeps"), "dpkg-dev is not installed"))
    func package() async throws {
        let place = try Workplace()
        let repository = Fixtures.repository.path
        let outcome = try await place.shell(
            """
            set -e
            BINARY='\(Workplace.binary)' DEB_COMPRESSION=none \
                '\(repository)/Packaging/Debian/build.sh' .
            # Outside a checkout there is no commit, and every version has the empty text.
            commit="$(git -C '\(repository)' log -1 --abbrev=8 --format=%h || true)"
            dpkg-deb -f *.deb Version | grep -F "$commit"
            TMPDIR="$PWD" '\(repository)/Tests/Debian/install.sh' *.deb
            """)
        #expect(outcome.code == 0, "\(outcome.out)\(outcome.err)")
        let last = String(outcome.out.split(separator: "\n").last ?? "")
        #expect(last == "verdict: sound" || last.hasPrefix("skipped: "))
        print("Debian package: \(last)")
    }

    @Test(
        "Prometheus accepts the alert rules, and each fires when it should",
        .enabled(if: isInstalled("promtool"), "promtool (package prometheus) is not installed"))
    func alerts() async throws {
        let place = try Workplace()
        let rules = try await place.shell("promtool check rules '\(Self.folder)'/alerts*.yaml")
        #expect(rules.code == 0, "\(rules.out)\(rules.err)")
        let tests = Fixtures.repository.appending(path: "Tests/Alerts/alerts.test.yaml").path
        let fired = try await place.shell("promtool test rules '\(tests)'")
        #expect(fired.code == 0, "\(fired.out)\(fired.err)")
    }

    @Test(
        "Prometheus accepts what the service exports",
        .enabled(
            if: isInstalled("promtool") && isInstalled("curl"), "promtool or curl is not installed")
    )
    func metrics() async throws {
        let place = try Workplace()
        let service = try await ServiceRun(place)
        let checked = try await place.shell(
            "curl -sf http://127.0.0.1:\(service.port)/metrics | promtool check metrics")
        #expect(checked.code == 0, "\(checked.out)\(checked.err)")
        #expect(try await service.terminate() == 0)
    }

    private static func isInstalled(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin"]).contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
}
