/// A reference that does not keep its object.
struct WeakReference<Object: AnyObject> {
    weak var object: Object?
}
