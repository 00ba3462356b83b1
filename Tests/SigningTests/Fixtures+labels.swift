import TestSupport

extension Fixtures {
    static func labelled(_ labels: String...) -> [Entry] {
        manifest.filter { labels.contains($0.label) }
    }
}
