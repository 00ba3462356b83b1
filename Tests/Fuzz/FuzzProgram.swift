import Foundation
import Simulator
import Synchronization

/// `Fuzz all DIRECTORY SECONDS [NAME…]` runs every target (or those named) in turn, each in a
/// separate process. `Fuzz one DIRECTORY NAME [libFuzzer options and inputs]` is libFuzzer on one
/// target; `make fuzz` prints how to run a kept input again.
///
/// DIRECTORY holds a throw-away authority, a corpus per target that grows from run to run, the
/// failing inputs and the logs. Nothing in it is ever committed.
enum FuzzProgram {
    /// libFuzzer's entry point; the library is not linked into the tests.
    typealias Driver = (
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    /// libFuzzer's callback takes no context. The directory is stored beside the target because its
    /// authority lives as long as the process, which the leak check must be able to see.
    private static let current = Mutex<(directory: FuzzDirectory, target: any FuzzTarget)?>(nil)

    static func run(_ driver: Driver) throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "all" where arguments.count >= 3:
            guard let seconds = Int(arguments[2]) else { usage() }
            let directory = try FuzzDirectory(arguments[1])
            let named = Set(arguments.dropFirst(3))
            let targets = try directory.targets().filter {
                named.isEmpty || named.contains($0.name)
            }
            guard !targets.isEmpty else { usage() }
            let campaign = FuzzCampaign(directory: directory, seconds: seconds)
            let isClean = try campaign.run(targets)
            fflush(nil)
            // The leak check at exit is for fuzzed code, and none ran in this process.
            _exit(isClean ? EXIT_SUCCESS : EXIT_FAILURE)
        case "one" where arguments.count >= 3:
            let directory = try FuzzDirectory(arguments[1])
            guard let target = try directory.targets().first(where: { $0.name == arguments[2] })
            else { usage() }
            current.withLock { $0 = (directory, target) }
            exit(drive([CommandLine.arguments[0]] + arguments.dropFirst(3), driver))
        default: usage()
        }
    }

    private static func usage() -> Never {
        print("usage: Fuzz all DIRECTORY SECONDS [NAME…] | Fuzz one DIRECTORY NAME [OPTION…]")
        exit(EXIT_FAILURE)
    }

    /// Passes the process to libFuzzer, which keeps the arguments for its lifetime.
    private static func drive(_ arguments: [String], _ driver: Driver) -> Int32 {
        var count = Int32(arguments.count)
        var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(
            capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { pointers?[index] = strdup(argument) }
        pointers?[arguments.count] = nil
        return driver(&count, &pointers) { data, size in
            let target = FuzzProgram.current.withLock { $0?.target }
            target?.run(UnsafeBufferPointer(start: data, count: size))
            return 0
        }
    }
}
