package import AppStore
package import Ledger
internal import Projection

/// What the address of a page selects besides its subject: environment, moment, knowledge, app, and
/// the zone of times. Every link of a page keeps it, so that any view can be sent as a link.
package struct ViewState: Sendable, Hashable {
    package var environment: Environment
    package var bundleId: BundleId?
    /// Nil: now.
    package var at: Timestamp?
    package var knowledge: AsOf = .everything
    package var zone = Zone.utc

    /// The zone that times are shown in. Raw values are part of addresses (`tz`).
    package enum Zone: String, Sendable, CaseIterable {
        case utc = "UTC"
        /// The configured zone of reports.
        case report
        /// The browser's; needs JavaScript, and is UTC without.
        case local
    }

    package init(environment: Environment) { self.environment = environment }

    /// Whether the view is of another moment or of earlier knowledge; nothing can be changed there.
    package var isHistoric: Bool { at != nil || knowledge != .everything }

    /// The name of an environment in an address.
    package static func name(_ environment: Environment) -> String {
        EnvironmentLedger.directoryName(environment)
    }

    /// The address of a page of this environment.
    ///
    /// - Parameters:
    ///   - path: its parts, unescaped.
    ///   - query: parameters besides those of the state; nil values are left out.
    package func url(_ path: [String] = [], _ query: [(String, String?)] = []) -> String {
        let escaped = ([ViewState.name(environment)] + path).map { Self.escaped($0) }
        // A chain's app is no filter of the pages that it leads to.
        let kept = parameters.filter { name, _ in
            name != "bundleId"
                || ["subscriptions", "reports"].contains(path.first ?? "")
                    && !query.contains { $0.0 == name && $0.1 != nil }
        }
        let pairs =
            (query + kept).compactMap { name, value in
                value.map { "\(name)=\(Self.escaped($0))" }
            }.joined(separator: "&")
        return "/console/" + escaped.joined(separator: "/") + (path.isEmpty ? "/" : "")
            + (pairs.isEmpty ? "" : "?\(pairs)")
    }

    /// The parameters of the state, for a link or the hidden fields of a form.
    package var parameters: [(String, String?)] {
        var position: String?
        if case .knownPosition(let known) = knowledge { position = String(known) }
        return [
            ("at", at?.rfc3339), ("knownAt", knowledge.knownAt?.rfc3339),
            ("knownPosition", position),
            ("bundleId", bundleId?.rawValue), ("tz", zone == .utc ? nil : zone.rawValue),
        ]
    }

    /// The first day of the month a year ago, where reports begin.
    package static func yearBack(_ now: Timestamp) -> String {
        let today = now.date
        return CivilDate(year: today.year - 1, month: today.month, day: 1).text
    }

    /// Percent-encodes everything but unreserved characters (RFC 3986 §2.3).
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return escaped
    }
}
