import Foundation

/// The most memory this process ever held.
enum PeakMemory {
    static var mebibytes: Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(separator: " ").compactMap({ Double($0) }).first
        else { return 0 }
        return kibibytes / 1_024
    }
}
