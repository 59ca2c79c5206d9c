import Foundation

#if canImport(FoundationNetworking)

extension URLSession {
    /// Whether a running task may be cancelled.
    ///
    /// With a cache, the system looks the request up on a queue of its own; a task that is
    /// cancelled meanwhile and finishes first ends the process with "Trying to access a behaviour
    /// for a task that in not in the registry".
    var canCancelTasks: Bool { configuration.urlCache == nil }

    /// This session, or one like it if this one was told to finish its tasks.
    ///
    /// Such a session ends the process when it is asked for one more, even to follow a redirect.
    var takingTasks: URLSession {
        guard Reflection.property("invalidated", of: self) as? Bool == true else { return self }
        return URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }
}

extension URLSession {
    /// Returns a task that sends a file of a size that is known.
    ///
    /// While the system reads a file by itself it pauses the transfer again and again. When the task
    /// is cancelled or refused meanwhile, it resumes what is gone, and ends the process with
    /// "libcurl.Easy Code=43". A stream is read without a pause.
    func uploadTask(with request: URLRequest, from file: URL, size: Int) -> URLSessionTask {
        guard loadsItself(request) else { return uploadTask(with: request, fromFile: file) }
        var request = request
        request.httpBodyStream = FileStream(file, size: size)
        request.setValue("\(size)", forHTTPHeaderField: "Content-Length")
        // A stream is sent in chunks, and as a form, unless there are headers that say otherwise.
        // One without a value is not sent (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
        for name in ["Transfer-Encoding", "Content-Type"]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(" ", forHTTPHeaderField: name)
        }
        return dataTask(with: request)
    }

    /// Whether the system loads a request, and no protocol that a test or an app brought along.
    private func loadsItself(_ request: URLRequest) -> Bool {
        let loaders = (configuration.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
        return loaders.first { $0.canInit(with: request) }.map { "\($0)" } == "_HTTPURLProtocol"
    }
}

#endif
