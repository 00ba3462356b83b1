internal import Queries

extension ChurnChart {
    /// An axis from 0: its end and its labelled ticks.
    struct Scale: Hashable, Sendable {
        let top: Double
        let ticks: [Double]
    }

    /// About five steps of 1, 2 or 5 times a power of ten; never less than 1, since subscriptions
    /// are whole.
    static func scale(_ largest: Double) -> Scale {
        var unit = 1.0
        while unit * 10 < largest / 5 { unit *= 10 }
        let step = [1.0, 2, 5, 10].map { $0 * unit }.first { $0 * 5 >= largest } ?? unit * 10
        var ticks = [0.0]
        while let last = ticks.last, last < largest { ticks.append(last + step) }
        return Scale(top: ticks.last ?? step, ticks: ticks)
    }

    /// At most two decimal places.
    static func number(_ value: Double) -> String {
        // The rate of a tiny base can exceed Int64.
        let hundredths = Int64(min(max(value * 100, -1e17), 1e17).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    static func escaped(_ text: String) -> String { text.xmlText }
}
