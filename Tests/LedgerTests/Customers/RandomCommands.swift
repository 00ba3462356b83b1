import AppStore
import Ledger
import TestSupport

/// Chains with random tokens, links and claims; the same numbers give the same facts.
enum RandomCommands {
    static let customers = ["a", "b", "ann", "bob"]

    /// One chain's facts, without positions.
    static func facts(_ numbers: inout SeededNumbers) -> [Fact] {
        let count = 2 + numbers.below(4)
        var facts: [Fact] = (0..<count).map { index in
            let start = day(Int64(index) * 30)
            let id = "\(index + 1)"
            let fact =
                index == 0
                ? Fact.subscribed(id, start, day(Int64(index + 1) * 30))
                : Fact.didRenew(id, start, day(Int64(index + 1) * 30))
            let product = numbers.pick(["pro", "basic"])
            return fact.token(numbers.chance(50) ? numbers.pick(["a", "B"]) : nil)
                .transaction { $0.productId = ProductId(product) }
        }
        if numbers.chance(40) { facts.append(.autoRenew(numbers.chance(50), at: day(40))) }
        if numbers.chance(30) { facts.append(.expired(at: day(Int64(count) * 30, 1_000))) }
        for number in 0..<numbers.below(6) { facts.append(command(&numbers, number)) }
        return facts
    }

    private static func command(_ numbers: inout SeededNumbers, _ number: Int) -> Fact {
        let customer = CustomerId(numbers.pick(customers))
        let action: Command.Action
        switch numbers.below(4) {
        case 0: action = .link(customer)
        case 1: action = .unlink(customer)
        case 2: action = .claim(customer, policy: numbers.pick(ClaimPolicy.allCases))
        default: action = .claim(customer, policy: .transfer)
        }
        // A coarse grid, so that ties and moments before the chain's start occur.
        return .command(
            action, at: day(Int64(numbers.below(30)) * 5 - 10), id: "command \(number)")
    }
}
