import Foundation

#if canImport(FoundationNetworking)

extension URLSessionTask {
    /// Whether a protocol that a test or an app brought along loads the task, and not the system.
    ///
    /// Such a protocol follows redirects as it is told to, bodies and all.
    var isLoadedElsewhere: Bool {
        urlProtocol.map { Reflection.property("easyHandle", of: $0) == nil } ?? false
    }

    /// The body that came with a redirect, which the system hands to nobody.
    var redirectBody: Data {
        urlProtocol.flatMap { Reflection.property("lastRedirectBody", of: $0) } as? Data ?? Data()
    }

    /// The body that has arrived, which the system hands to nobody while a challenge is open.
    var loadedBody: Data {
        guard let properties = urlProtocol.flatMap({ Reflection.property("properties", of: $0) })
        else {
            return Data()
        }
        for entry in Mirror(reflecting: properties).children {
            let pair = Mirror(reflecting: entry.value).children.map(\.value)
            if pair.count == 2, "\(pair[0])".hasSuffix("responseData"), let data = pair[1] as? Data
            {
                return data
            }
        }
        return Data()
    }

    /// The object that does the loading.
    private var urlProtocol: Any? {
        Reflection.property("_protocolStorage", of: self).flatMap {
            Mirror(reflecting: $0).children.first?.value
        }
    }
}

#endif
