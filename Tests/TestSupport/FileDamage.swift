import Foundation

/// Changes bytes of a file at rest, like a broken disk or a manual edit.
package enum FileDamage {
    /// Replaces every occurrence of `old` by `new` of equal length; returns the count.
    @discardableResult
    package static func replace(_ old: String, by new: String, in path: String) throws -> Int {
        let (old, new) = (Data(old.utf8), Data(new.utf8))
        precondition(old.count == new.count, "pages keep their layout")
        var data = try Data(contentsOf: URL(filePath: path))
        var count = 0
        var start = data.startIndex
        while let range = data.range(of: old, in: start..<data.endIndex) {
            data.replaceSubrange(range, with: new)
            start = range.upperBound
            count += 1
        }
        try data.write(to: URL(filePath: path))
        return count
    }

    /// Overwrites `count` bytes before the first occurrence of `text`, which must be there.
    package static func spoil(_ count: Int, before text: String, in path: String) throws {
        var data = try Data(contentsOf: URL(filePath: path))
        guard let range = data.range(of: Data(text.utf8)), range.lowerBound >= count else {
            preconditionFailure("\(path) does not hold the text")
        }
        data.replaceSubrange(
            (range.lowerBound - count)..<range.lowerBound, with: Data(repeating: 0xFF, count: count)
        )
        try data.write(to: URL(filePath: path))
    }

    package static func copy(_ from: String, to path: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try FileManager.default.copyItem(atPath: from, toPath: path)
    }

    package static func remove(_ names: [String], in directory: String) throws {
        for name in names {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: "\(directory)/\(name)\(suffix)")
            }
        }
    }

    package static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
}
