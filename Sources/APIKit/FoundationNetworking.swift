// Outside Apple platforms, `URLSession` and its types are in a separate module. Exporting it here
// lets every other file, and every user, import only Foundation.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
