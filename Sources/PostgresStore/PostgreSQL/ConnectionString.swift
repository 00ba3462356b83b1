internal import CPostgres
internal import Foundation

/// A parsed conninfo string or URI
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
///
/// Passwords are kept for libpq only: no description contains one.
public struct ConnectionString: Sendable, Equatable {
    /// Keywords with values, in libpq's order.
    let options: [(keyword: String, value: String)]

    /// Nil for a string that libpq cannot parse. Its reason may quote a password, and is dropped.
    public init?(_ text: String) {
        // libpq would ignore everything after a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(text, &message) else {
            PQfreemem(message)
            return nil
        }
        defer { PQconninfoFree(parsed) }
        var options: [(keyword: String, value: String)] = []
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                options.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        self.options = options
        guard !holdsMisplacedPassword else { return nil }
    }

    /// Whether host, port or database hold a part of a password whose `/` or `@` was not
    /// percent-encoded: messages name these three.
    private var holdsMisplacedPassword: Bool {
        let port = value("port") ?? ""
        // A host may begin with "@": an abstract socket.
        let hosts = (value("host") ?? "").split(separator: ",").map { $0.dropFirst() }
        return !port.allSatisfy { $0.isASCII && $0.isNumber || $0 == "," }
            || hosts.contains { $0.contains("@") } || (value("dbname") ?? "").contains("@")
    }

    private init(options: [(keyword: String, value: String)]) { self.options = options }

    /// The value of a keyword; nil where libpq's default applies.
    func value(_ keyword: String) -> String? {
        options.first { $0.keyword == keyword }?.value
    }

    /// The same with values for keywords that have none.
    func adding(_ defaults: [(keyword: String, value: String)]) -> ConnectionString {
        ConnectionString(options: options + defaults.filter { value($0.keyword) == nil })
    }

    /// The same with the hosts after the one given; nil for the last one and for a list of
    /// addresses (`hostaddr`).
    func after(host: String, port: String) -> ConnectionString? {
        let hosts = (value("host") ?? "").components(separatedBy: ",")
        let ports = (value("port") ?? "").components(separatedBy: ",")
        let reached = hosts.indices.first { index in
            hosts[index] == host && (ports.count < hosts.count || ports[index] == port)
        }
        guard value("hostaddr") == nil, let reached, reached + 1 < hosts.count else { return nil }
        let rest = reached + 1
        return ConnectionString(
            options: options.map { option in
                switch option.keyword {
                case "host": ("host", hosts[rest...].joined(separator: ","))
                case "port" where ports.count == hosts.count:
                    ("port", ports[rest...].joined(separator: ","))
                default: option
                }
            })
    }

    /// Where the database is, for messages: each host with its port, and the database, without user
    /// or secrets.
    public var location: String {
        let host = value("host") ?? value("hostaddr") ?? "localhost"
        let hosts = host.components(separatedBy: ",")
        let ports = (value("port") ?? "").components(separatedBy: ",")
        let servers = hosts.indices.map { index in
            // A single port is that of every host.
            let port = ports.count == hosts.count ? ports[index] : ports[0]
            return port.isEmpty ? hosts[index] : "\(hosts[index]):\(port)"
        }
        let database = value("dbname") ?? value("user") ?? ""
        return "postgresql://\(servers.joined(separator: ","))/\(database)"
    }

    public static func == (left: ConnectionString, right: ConnectionString) -> Bool {
        left.options.elementsEqual(right.options, by: ==)
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { location }
    public var debugDescription: String { location }
    public var customMirror: Mirror { Mirror(self, children: [("location", location)]) }
}
