// `URLSession` and its types live in a module of their own off Apple platforms. Exporting it again
// here keeps every other file, and every user, to a plain `import Foundation`.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
