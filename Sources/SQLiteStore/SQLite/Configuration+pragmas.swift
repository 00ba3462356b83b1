internal import Foundation
internal import GRDB

extension Configuration {
    /// Connections that begin with these pragmas (https://www.sqlite.org/pragma.html).
    ///
    /// - Parameter busyTimeoutSeconds: how long a connection waits for another process.
    init(readOnly: Bool = false, busyTimeoutSeconds: Int = 0, pragmas: [String]) {
        EIOPreservingVFS.install()
        self.init()
        readonly = readOnly
        busyMode = .timeout(TimeInterval(busyTimeoutSeconds))
        prepareDatabase { database in
            for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma)") }
        }
    }
}
