/// The user info key under which a mock passes an error through a URL session.
///
/// On Apple platforms a session rebuilds the error of a URL protocol from its domain, code and user
/// info. The loader unwraps the error that it finds under this key.
package let carriedErrorKey = "APIKit.carriedError"
