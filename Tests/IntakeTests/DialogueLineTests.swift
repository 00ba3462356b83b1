import Foundation
import TestSupport
import Testing

@testable import Intake

@Suite("Lines of a dialogue")
struct DialogueLineTests {
    @Test("A line is there before the next one, also where it begins a JSON value")
    func unfinished() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        // Open for reading, too, so that opening does not wait, and never at its end.
        let pipe = open(path, O_RDWR | O_CLOEXEC)
        try #require(pipe >= 0)
        defer { close(pipe) }
        let lines = try LineReader(path: path, isDialogue: true)
        for text in ["{", #"{"id":"#, "[]"] {
            let bytes = Array("\n\(text)\n".utf8)
            try #require(write(pipe, bytes, bytes.count) == bytes.count)
            let chunks = try await lines.next(limit: 1, byteLimit: 1)
            #expect(chunks.map(\.bytes) == [Array(text.utf8)])
        }
    }
}
