import Signing
import TestSupport
import Testing

@testable import Proofs

@Suite("Signed notes and their keys")
struct SignedNoteTests {
    /// The example of Go's note package, which C2SP signed-note describes.
    private static let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    private static let secret =
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
    private static let text =
        "If you think cryptography is the answer to your problem,\n"
        + "then you don't know what your problem is.\n"
    private static let note =
        text
        + "\n\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZ"
        + "SNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"

    /// A root of a checkpoint.
    private static let root = String(repeating: "A", count: 43) + "="

    @Test("The published example verifies, and signing its text gives the same note")
    func example() throws {
        let key = try NoteVerifierKey(Self.key)
        #expect(try SignedNote(Self.note).verify(key).isValid)
        let signer = try NoteSignerKey(Self.secret)
        #expect(signer.verifier == key && signer.secretText == Self.secret)
        #expect(try SignedNote(Self.text, signedBy: signer).note == Self.note)
        #expect(!"\(signer)".contains("AYEK"))
    }

    /// The bits to flip of a byte: one of them, all in soak.
    private static func bits(_ index: Int) -> [Int] {
        Soak.isOn ? Array(0..<8) : [index % 8]
    }

    @Test("A note with any bit flipped is refused")
    func flipped() throws {
        let key = try NoteVerifierKey(Self.key)
        let bytes = Array(Self.note.utf8)
        for index in bytes.indices {
            for bit in SignedNoteTests.bits(index) {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                guard let text = String(validating: other, as: UTF8.self),
                    let note = try? SignedNote(text)
                else { continue }
                #expect(!note.verify(key).isValid, "\(index) \(bit)")
            }
        }
    }

    @Test("The text ends before the last empty line, as for other readers of notes")
    func emptyLines() throws {
        let signer = try NoteSignerKey(Self.secret)
        for text in ["a\n\n", "a\n\nb\n", "\n"] {
            let note = try SignedNote(SignedNote(text, signedBy: signer).note)
            #expect(note.text == text && note.verify(signer.verifier).isValid)
        }
    }

    @Test("A key with any bit flipped is none, and names without spaces and plus signs only")
    func keys() throws {
        let bytes = Array(Self.key.utf8)
        for index in bytes.indices {
            for bit in SignedNoteTests.bits(index) {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                guard let text = String(validating: other, as: UTF8.self) else { continue }
                #expect(throws: ProofError.self) { try NoteVerifierKey(text) }
            }
        }
        for name in ["", "a b", "a+b", "a\nb", "a\u{A0}b", String(repeating: "a", count: 257)] {
            #expect(throws: ProofError.self) { try NoteSignerKey(name: name) }
        }
        let made = try NoteSignerKey(name: "example.com/subledger/production")
        #expect(try NoteSignerKey(made.secretText + "\n").verifier == made.verifier)
        #expect(try NoteVerifierKey(made.verifier.description) == made.verifier)
    }

    @Test(
        "Texts that are no notes",
        arguments: [
            "", "\n", "a\n", "a\n\n", "a\n\n\u{2014} b\n", "a\n\n\u{2014} b AAAA\n",
            "a\n\n\u{2014} b AAAAAAA= \n", "a\n\n\u{2014} b AAAAAAA=",
            "a\r\n\n\u{2014} b AAAAAAA=\n",
            "a\n\n\u{2014}  b AAAAAAA=\n", "a\n\n- b AAAAAAA=\n",
        ])
    func malformed(_ text: String) {
        let error = #expect(throws: ProofError.self) { try SignedNote(text) }
        #expect(error?.code == .malformedNote)
    }

    @Test(
        "A signed note whose text is no checkpoint is refused as such",
        arguments: [
            "log\n3\n", "log\n3\nAAAA\n", "log\n-1\n\(root)\n", "log\n03\n\(root)\n",
            "log\nthree\n\(root)\n", "l g\n3\n\(root)\n", "\n3\n\(root)\n",
        ])
    func noCheckpoint(_ text: String) throws {
        let key = try NoteSignerKey(name: "log")
        let error = #expect(throws: ProofError.self) {
            try LogCheckpoint(try SignedNote(text, signedBy: key))
        }
        #expect(error?.code == .malformedCheckpoint)
        // A line below the root is an extension.
        let whole = try SignedNote("log\n3\n\(Self.root)\nmore\n", signedBy: key)
        #expect(try LogCheckpoint(whole).size == 3)
    }

    @Test("A witness's signature is over time and text, and holds for these alone")
    func cosignature() throws {
        let log = try NoteSignerKey(name: "log")
        let witness = try NoteSignerKey(name: "witness", algorithm: .cosignature)
        let note = try LogCheckpoint(origin: "log", size: 3, root: SHA256.hash([1])).signed(by: log)
        let signature = try SignedNote.cosignature(of: note.text, by: witness, atSeconds: 1_700_000)
        let both = try SignedNote(note.adding([signature]).note)
        #expect(both.verify(log.verifier).isValid)
        let found = both.verify(witness.verifier)
        #expect(found.isValid && found.seconds == 1_700_000)
        let other = try LogCheckpoint(origin: "log", size: 4, root: SHA256.hash([1])).signed(
            by: log)
        #expect(!other.adding([signature]).verify(witness.verifier).isValid)
        #expect(both.part(of: log.verifier) == note && both.adding([signature]) == both)
    }

    @Test("Answers of witnesses: signed, another size, refused")
    func answers() throws {
        let log = try NoteSignerKey(name: "log")
        let witness = try NoteSignerKey(name: "witness", algorithm: .cosignature)
        let note = try LogCheckpoint(origin: "log", size: 3, root: SHA256.hash([1])).signed(by: log)
        let signature = try SignedNote.cosignature(of: note.text, by: witness, atSeconds: 9)
        func answer(_ status: Int, _ text: String) -> WitnessExchange.Answer {
            WitnessExchange.answer(status: status, Array(text.utf8), to: note, by: witness.verifier)
        }
        #expect(answer(200, signature.line + "\n") == .signed([signature]))
        #expect(answer(200, "") == .refused("invalidSignature"))
        #expect(answer(200, "nonsense\n") == .refused("unreadableAnswer"))
        let wrong = try SignedNote.cosignature(of: "x\n", by: witness, atSeconds: 9)
        #expect(answer(200, wrong.line + "\n") == .refused("invalidSignature"))
        #expect(answer(409, "12\n") == .knows(12))
        #expect(answer(409, "many\n") == .refused("unreadableAnswer"))
        #expect(answer(403, "") == .refused("status403"))
        let long = String(repeating: "a", count: WitnessExchange.maximumByteCount + 1)
        #expect(answer(200, long) == .refused("answerTooLarge"))
        #expect(
            WitnessExchange.request(old: 0, proof: nil, note)
                == Array("old 0\n\n\(note.note)".utf8))
    }
}
