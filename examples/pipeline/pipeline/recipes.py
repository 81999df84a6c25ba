"""The flows of the project."""

from pipeline.flow import Flow, StageChain
from pipeline.sinks import Counter, ErrorLog, ListSink, TextSink
from pipeline.sources import JsonSource, LineSource, NumberSource
from pipeline.stages import DropShort, Numbered, Redact, Trim, Upper
from wiremap import RegistryOrchestrator, recipe


@recipe
def text_flow(lines=(), style="plain"):
    orch = RegistryOrchestrator()
    source = orch.add(LineSource(lines, 50))
    flow = orch.add(Flow("text"))
    if style == "loud":
        chain = orch.add(StageChain([DropShort(2), Upper(), Trim(8, "!")]))
    elif style == "numbered":
        chain = orch.add(StageChain([DropShort(1), Numbered()]))
    else:
        chain = orch.add(StageChain([Trim(20)]))
    sink = orch.add(TextSink("\n"))
    counter = orch.add(Counter(0))
    errors = orch.add(ErrorLog(3))
    orch.register(source, "records", flow)
    orch.register(chain, "run_stages", flow)
    orch.register(sink, "write", flow)
    orch.register(sink, "summary", flow)
    orch.register(counter, "count", flow)
    orch.register(errors, "note", flow)
    orch.finalize()
    return flow, sink, counter, errors


@recipe
def json_flow(lines=(), keep="all", *, redact=False):
    orch = RegistryOrchestrator()
    source = orch.add(JsonSource(lines, 10))
    flow = orch.add(Flow("json"))
    sink = orch.add(ListSink())
    counter = orch.add(Counter(0))
    errors = orch.add(ErrorLog(2))
    first = Redact("secret", "***") if redact else Trim(30)
    if keep == "all":
        chain = StageChain([first])
    else:
        chain = StageChain([DropShort(4), first])
    orch.add(chain)
    orch.register(source, "records", flow)
    orch.register(chain, "run_stages", flow)
    for cell in ("write", "summary"):
        orch.register(sink, cell, flow)
    orch.register(counter, "count", flow)
    orch.register(errors, "note", flow)
    orch.finalize()
    return flow, sink, counter, errors


@recipe
def number_flow(count=3, *, double=False):
    orch = RegistryOrchestrator()
    source = orch.add(NumberSource(count, 1))
    flow = orch.add(Flow("numbers"))
    chain = orch.add(StageChain([Numbered()]))
    if double:
        orch.add(source, tags=["double"])
        sink = orch.add(TextSink(" + "))
    else:
        sink = orch.add(ListSink())
    counter = orch.add(Counter(0))
    errors = orch.add(ErrorLog(1))
    orch.register(source, "records", flow)
    orch.register(chain, "run_stages", flow)
    orch.register(sink, "write", flow)
    orch.register(sink, "summary", flow)
    orch.register(counter, "count", flow)
    orch.register(errors, "note", flow)
    orch.finalize()
    return flow, sink, counter, errors
