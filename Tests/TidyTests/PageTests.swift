import Foundation
import Testing

/// Links between the pages, and the bounds of the README.
@Suite("Pages")
struct PageTests {
    static let maximumReadmeLines = 150
    static let maximumReadmeBytes = 9_216

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A Markdown file.
    struct Page: Sendable {
        let path: String
        let text: String
        /// The lines outside code blocks.
        let prose: [String]
        /// Of the headings, as GitHub makes them.
        let anchors: Set<String>

        init(path: String, text: String) {
            (self.path, self.text) = (path, text)
            prose = Page.prose(text)
            anchors = Page.anchors(prose)
        }

        private static func prose(_ text: String) -> [String] {
            var isCode = false
            return text.components(separatedBy: "\n").filter { line in
                guard line.contains("```"), line.drop(while: { $0 == " " }).hasPrefix("```") else {
                    return !isCode
                }
                isCode.toggle()
                return false
            }
        }

        /// What stands in links, and in the sources of pictures.
        var targets: [String] {
            prose.filter { $0.contains("](") || $0.contains("=\"") }.flatMap { line in
                let plain = line.replacing(/`[^`]*`/, with: "")
                return plain.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
                    + plain.matches(of: /(?:src|srcset|href)="([^"]+)"/).map { String($0.1) }
            }
        }

        /// Pages of the same catalogue that `<doc:…>` names.
        var siblings: [String] {
            prose.filter { $0.contains("<doc:") }.flatMap { line in
                line.replacing(/`[^`]*`/, with: "").matches(of: /<doc:([^>]+)>/)
                    .map { String($0.1) }
            }
        }

        private static func isHeading(_ line: String) -> Bool {
            let marks = line.prefix { $0 == "#" }
            return (1...6).contains(marks.count) && line.dropFirst(marks.count).first == " "
        }

        private static func anchors(_ prose: [String]) -> Set<String> {
            var counts: [String: Int] = [:]
            var anchors: Set<String> = []
            for line in prose where Page.isHeading(line) {
                let title = line.drop { $0 == "#" }.dropFirst().lowercased()
                let kept = title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                let anchor = kept.replacing(" ", with: "-")
                let count = counts[anchor, default: 0]
                anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
                counts[anchor] = count + 1
            }
            return anchors
        }
    }

    static let named = [
        "README.md", "CONTRIBUTING.md", "BENCHMARKS.md", "Docs/Architecture.md", "Docs/Asking.md",
        "Docs/Commands.md", "Docs/Configuration.md", "Docs/SQL.md", "Docs/Support.md",
    ]

    /// Every page of the repository, those of the documentation catalogues included.
    static let pages: [Page] = {
        let sources = files(under: "Sources").filter { $0.contains(".docc/") }
        let all = Set(named + files(under: "Docs") + sources).filter { $0.hasSuffix(".md") }
        return all.sorted().map { path in
            let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
            return Page(path: path, text: text ?? "")
        }
    }()

    private static func files(under folder: String) -> [String] {
        let base = root.appending(path: folder).path
        let found = FileManager.default.enumerator(atPath: base)?.allObjects ?? []
        return found.compactMap { $0 as? String }.map { "\(folder)/\($0)" }.sorted()
    }

    // MARK: Links

    @Test("every page has a title")
    func title() {
        for page in PageTests.pages {
            #expect(page.prose.contains { $0.hasPrefix("# ") }, "\(page.path)")
        }
    }

    @Test("a link leads to a file, and to a heading where it names one")
    func links() throws {
        for page in PageTests.pages { try links(page) }
    }

    private func links(_ page: Page) throws {
        for target in page.targets where !target.contains("://") {
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path = try #require(
                PageTests.path(of: String(parts[0]), from: page.path), "\(page.path): \(target)")
            let file = PageTests.root.appending(path: path).path
            #expect(FileManager.default.fileExists(atPath: file), "\(page.path): \(target)")
            guard parts.count == 2 else { continue }
            let linked = try #require(
                PageTests.pages.first { $0.path == path }, "\(page.path): \(target)")
            #expect(linked.anchors.contains(String(parts[1])), "\(page.path): \(target)")
        }
        for sibling in page.siblings {
            let path = PageTests.path(of: "\(sibling).md", from: page.path)
            #expect(PageTests.pages.contains { $0.path == path }, "\(page.path): \(sibling)")
        }
    }

    @Test("links and anchors are read outside code only")
    func reading() {
        let page = Page(
            path: "A.md",
            text: """
                # A ``title`` (§2)
                ## Twice
                ```
                [no](none.md)
                ```
                ## Twice
                [`a`](b.md#c), `[no](none.md)`, <doc:D>, <img src="Docs/e.svg">
                """)
        #expect(page.targets == ["b.md#c", "Docs/e.svg"])
        #expect(page.siblings == ["D"])
        #expect(page.anchors == ["a-title-2", "twice", "twice-1"])
        #expect(PageTests.path(of: "../B.md", from: "Docs/A.md") == "B.md")
        #expect(PageTests.path(of: "", from: "Docs/A.md") == "Docs/A.md")
        #expect(PageTests.path(of: "../../B.md", from: "Docs/A.md") == nil)
    }

    /// Where a link of a page leads, from the repository's root; nil outside of it.
    private static func path(of target: String, from page: String) -> String? {
        guard !target.isEmpty else { return page }
        var parts = page.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") where part != "." {
            if part == ".." {
                guard parts.popLast() != nil else { return nil }
            } else {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    // MARK: Content

    /// The page that shows each example.
    static let examples = [
        ("VerifyNotification", "Signing"), ("FoldHistory", "Ledger"), ("EmbedLedger", "Web"),
    ]

    @Test("a page shows its example as it is compiled", arguments: examples)
    func example(_ name: String, _ target: String) throws {
        let file = PageTests.root.appending(path: "Examples/Library/\(name).swift")
        let code = try String(contentsOf: file, encoding: .utf8)
        let path = "Sources/\(target)/\(target).docc/\(name).md"
        let page = try #require(PageTests.pages.first { $0.path == path })
        #expect(page.text.contains("\n```swift\n\(code)```\n"))
        let pages = PageTests.files(under: "Examples/Library").count
        #expect(pages == PageTests.examples.count)
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// `Migrations` lies beside `Sources`.
    @Test("CONTRIBUTING has a row for each target of Sources")
    func targets() throws {
        let package = try PageTests.text("Package.swift")
        let names = package.matches(of: /\.(?:target|executableTarget)\(\s*name: "([A-Za-z]+)"/)
            .map { String($0.1) }
        let folders = names.filter { name in
            let path = PageTests.root.appending(path: "Sources/\(name)").path
            return FileManager.default.fileExists(atPath: path)
        }
        let rows = try PageTests.text("CONTRIBUTING.md")
            .matches(of: /\n\| `([A-Za-z]+)` \|/).map { String($0.1) }
        #expect(folders.count > 10)
        #expect(Set(rows) == Set(folders).union(["Migrations"]))
    }

    @Test("the packages of the tests are also those of the long tests")
    func packages() throws {
        let makefile = try PageTests.text("Makefile")
        let lists = ["test", "soak"].map { target -> Set<Substring> in
            let prefix = "\(target): PACKAGES += "
            let line = makefile.split(separator: "\n").first { $0.hasPrefix(prefix) }
            return Set((line?.dropFirst(prefix.count) ?? "").split(separator: " "))
        }
        #expect(!lists[0].isEmpty)
        #expect(lists[1].isSuperset(of: lists[0]))
    }

    @Test("the README stays short")
    func readme() throws {
        let text = try #require(PageTests.pages.first { $0.path == "README.md" }).text
        #expect(text.utf8.count <= PageTests.maximumReadmeBytes)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count - 1 <= PageTests.maximumReadmeLines)
    }

    @Test("Swift files that pages of the root and of Docs name exist")
    func namedFiles() {
        let sources = ["Sources", "Tests", "Migrations"].flatMap(PageTests.files(under:))
        let names = Set(sources.compactMap { $0.split(separator: "/").last.map(String.init) })
        for page in PageTests.pages where !page.path.hasPrefix("Sources/") {
            // Only where there is one: the expression takes long for every line.
            let lines = page.text.components(separatedBy: "\n")
            for line in lines where strstr(line, ".swift") != nil {
                for match in line.matches(of: /[A-Za-z0-9+]+\.swift\b/) {
                    let name = String(match.0)
                    #expect(
                        names.contains(name) || name == "Package.swift", "\(page.path): \(name)")
                }
            }
        }
    }
}
