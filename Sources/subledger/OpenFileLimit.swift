import Foundation

/// How many files and connections this process may have open at once.
///
/// Each connection takes one descriptor. Libraries below the service abort the process when none is
/// left, and clients can exhaust the usual soft limit of 1,024.
enum OpenFileLimit {
    /// Also stated by the units in `Examples`.
    static let wanted: rlim_t = 8_192
    /// Below this limit `serve` warns.
    static let comfortable: rlim_t = 2_048

    /// Raises the soft limit to what is wanted, or to the hard limit where that is lower; never
    /// lowers it. Returns the limit that applies then; nil where the system does not say.
    static func raise() -> rlim_t? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        let before = limit.rlim_cur
        limit.rlim_cur = max(before, min(limit.rlim_max, wanted))
        return setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before
    }
}
