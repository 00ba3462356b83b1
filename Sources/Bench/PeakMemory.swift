import Foundation

/// The peak memory of this process since its start or the last `reset`.
public enum PeakMemory {
    /// Resets the peak, so that one benchmark does not count the memory of another
    /// (https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html).
    public static func reset() {
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    }

    static var mebibytes: Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace)
                .compactMap({ Double($0) }).first
        else { return 0 }
        return kibibytes / 1_024
    }
}
