import Instrumentation
import ServiceContextModule
import Tracing

extension Tracer {
    /// A tracer around this one, unless this one records nothing.
    var withoutQueries: any Tracer {
        self is NoOpTracer ? self : TracerWithoutQueries(base: self)
    }
}

/// A tracer whose spans omit the query of a URL, because it may hold keys.
///
/// AsyncHTTPClient 1.37 sets `url.full` and `url.query`, and no setting prevents it.
struct TracerWithoutQueries<Base: Tracer>: Tracer {
    let base: Base

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> SpanWithoutQueries<Base.Span> {
        SpanWithoutQueries(
            base: base.startSpan(
                operationName, context: context(), ofKind: kind, at: instant(), function: function,
                file: fileID, line: line))
    }

    func activeSpan(identifiedBy context: ServiceContext) -> SpanWithoutQueries<Base.Span>? {
        base.activeSpan(identifiedBy: context).map(SpanWithoutQueries.init)
    }

    func forceFlush() { base.forceFlush() }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        base.extract(carrier, into: &context, using: extractor)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        base.inject(context, into: &carrier, using: injector)
    }
}

/// A span of a ``TracerWithoutQueries``.
struct SpanWithoutQueries<Base: Span>: Span {
    let base: Base

    var context: ServiceContext { base.context }
    var isRecording: Bool { base.isRecording }

    var operationName: String {
        get { base.operationName }
        nonmutating set { base.operationName = newValue }
    }

    var attributes: SpanAttributes {
        get { base.attributes }
        nonmutating set {
            var kept = newValue
            for key in ["url.full", "url.query"] { kept[key] = SpanAttribute?.none }
            base.attributes = kept
        }
    }

    func setStatus(_ status: SpanStatus) { base.setStatus(status) }
    func addEvent(_ event: SpanEvent) { base.addEvent(event) }
    func addLink(_ link: SpanLink) { base.addLink(link) }

    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        base.recordError(error, attributes: attributes, at: instant())
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        base.end(at: instant())
    }
}
