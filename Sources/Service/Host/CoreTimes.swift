import Foundation

/// What this machine's cores have done since it started, and this process with them.
struct CoreTimes: Equatable {
    /// Seconds of all cores together, whatever they did.
    var total: Double
    /// Seconds of all cores together with nothing to do for anybody who would mind waiting.
    var free: Double
    /// Seconds that this process used.
    var own: Double
    var coreCount: Int

    init(total: Double, free: Double, own: Double, coreCount: Int) {
        (self.total, self.free, self.own, self.coreCount) = (total, free, own, coreCount)
    }

    /// As the system counts them; nil where it does not tell. Reads a file that lies in memory: it
    /// never waits for a disk.
    static func now() -> CoreTimes? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        return CoreTimes(statistics: text, own: ProcessorTime.seconds)
    }

    /// From the text of `/proc/stat`, whose first line adds up all cores and whose next lines name
    /// each (https://man7.org/linux/man-pages/man5/proc_stat.5.html); nil where it is not one.
    init?(statistics: String, own: Double) {
        var total: [Double] = []
        var coreCount = 0
        for line in statistics.split(separator: "\n") where line.hasPrefix("cpu") {
            let fields = line.split(separator: " ")
            if fields[0] != "cpu" {
                coreCount += 1
            } else {
                // user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already.
                total = fields.dropFirst().prefix(8).compactMap { Double($0) }
            }
        }
        guard total.count == 8, coreCount > 0 else { return nil }
        self.init(
            total: total.reduce(0, +) / CoreTimes.ticksPerSecond,
            free: (total[1] + total[3] + total[4]) / CoreTimes.ticksPerSecond, own: own,
            coreCount: coreCount)
    }

    /// What the system counts in, for every program (`USER_HZ`).
    private static let ticksPerSecond = 100.0
}

/// How the cores were used in a stretch of time.
struct CoreUse: Equatable {
    /// Cores that had nothing to do, as a mean.
    var freeCores: Double
    /// Cores that this process used, as a mean.
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

    /// Whether this process uses more than half of them: what is scarce is scarce because of it.
    var isMostlyOwn: Bool { ownCores * 2 > Double(coreCount) }

    /// A mean that `newer` weighs in by one of `weight`.
    func meaned(with newer: CoreUse, weight: Int) -> CoreUse {
        var mean = newer
        mean.freeCores = freeCores + (newer.freeCores - freeCores) / Double(weight)
        mean.ownCores = ownCores + (newer.ownCores - ownCores) / Double(weight)
        return mean
    }
}
