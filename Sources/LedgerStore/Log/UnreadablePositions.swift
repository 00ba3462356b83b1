/// Positions of the log that a reader could not read, each reported once.
package struct UnreadablePositions {
    private var reported: Set<Int64> = []
    private var unreported: [Int64] = []

    package init() {
    }

    package mutating func note(_ position: Int64) {
        guard reported.count < LogLimits.unreadablePositionCount, reported.insert(position).inserted
        else {
            return
        }
        unreported.append(position)
    }

    package mutating func take() -> [Int64] {
        defer { unreported = [] }
        return unreported.sorted()
    }
}
