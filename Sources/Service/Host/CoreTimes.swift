import Foundation

/// Processor times of the machine's cores and of this process since it started.
struct CoreTimes: Equatable {
    /// Seconds of all cores together, in any state.
    var total: Double
    /// Seconds of all cores together that were idle or at low priority.
    var free: Double
    /// Seconds that this process used.
    var own: Double
    var coreCount: Int

    init(total: Double, free: Double, own: Double, coreCount: Int) {
        (self.total, self.free, self.own, self.coreCount) = (total, free, own, coreCount)
    }

    /// The system's current counts; nil where they are not available. Reads a file in memory and
    /// never waits for a disk.
    static func now() -> CoreTimes? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        return CoreTimes(statistics: text, own: ProcessorTime.seconds)
    }

    /// From the text of `/proc/stat`, whose first line sums all cores and whose next lines list
    /// each one (https://man7.org/linux/man-pages/man5/proc_stat.5.html); nil for any other text.
    init?(statistics: String, own: Double) {
        var total: [Double] = []
        var coreCount = 0
        for line in statistics.split(separator: "\n") where line.hasPrefix("cpu") {
            let fields = line.split(separator: " ")
            if fields[0] != "cpu" {
                coreCount += 1
            } else {
                // user, nice, system, idle, iowait, irq, softirq, steal; user includes guests.
                total = fields.dropFirst().prefix(8).compactMap { Double($0) }
            }
        }
        guard total.count == 8, coreCount > 0 else { return nil }
        self.init(
            total: total.reduce(0, +) / CoreTimes.ticksPerSecond,
            free: (total[1] + total[3] + total[4]) / CoreTimes.ticksPerSecond, own: own,
            coreCount: coreCount)
    }

    /// The unit of the counts for every program (`USER_HZ`).
    private static let ticksPerSecond = 100.0
}

/// Use of the cores over an interval.
struct CoreUse: Equatable {
    /// Mean number of idle cores.
    var freeCores: Double
    /// Mean number of cores that this process used.
    var ownCores: Double
    var coreCount: Int

    /// Between two counts; nil when no time has passed.
    init?(from first: CoreTimes, to last: CoreTimes) {
        let passed = last.total - first.total
        guard passed > 0, last.coreCount > 0 else { return nil }
        coreCount = last.coreCount
        let seconds = passed / Double(coreCount)
        freeCores = max(0, last.free - first.free) / seconds
        ownCores = max(0, last.own - first.own) / seconds
    }

    /// Whether this process uses more than half of the cores, and so causes the scarcity itself.
    var isMostlyOwn: Bool { ownCores * 2 > Double(coreCount) }

    /// A mean in which `newer` has the weight 1/`weight`.
    func meaned(with newer: CoreUse, weight: Int) -> CoreUse {
        var mean = newer
        mean.freeCores = freeCores + (newer.freeCores - freeCores) / Double(weight)
        mean.ownCores = ownCores + (newer.ownCores - ownCores) / Double(weight)
        return mean
    }
}
