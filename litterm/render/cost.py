"""What asking a model costs, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.core.settings.model import ModelSettings
    from litterm.model.llm import CostEstimate, EndpointProbe, ModelCost


class ProbeData(TypedDict):
    """The answer of a model to one tiny request."""

    host: str
    model: str
    address: str
    seconds: float
    structured: str
    tokens: int


class ModelSetData(TypedDict):
    """The answer of `config model`; `proof` is `null` where nothing was sent."""

    settings: str
    proof: ProbeData | None


def spent_words(spent: ModelCost) -> str:
    """`12 calls, ≈31,200 tokens, ≈$0.02`; `≈` where it was reckoned from characters, no sum where no price is known."""
    approximately = "≈" if spent.approximate else ""
    parts = [count_phrase(spent.calls, "call"), f"{approximately}{spent.tokens:,} tokens"]
    if spent.dollars:
        parts.append(f"{approximately}{dollars(spent.dollars)}")
    return ", ".join(parts)


def spent_short(spent: ModelCost) -> str:
    """`≈$0.02`, or `≈31k tokens` where no price is known: for a line with little room."""
    approximately = "≈" if spent.approximate else ""
    if spent.dollars is not None:
        return f"{approximately}{dollars(spent.dollars)}"
    return (
        f"{approximately}{spent.tokens / 1000:,.0f}k tokens"
        if spent.tokens >= 1000
        else f"{approximately}{spent.tokens} tokens"
    )


def destination_words(estimate: CostEstimate, sent: str) -> str:
    """One sentence on what is sent where; `sent` is one of `sent_data`."""
    if estimate.local:
        return f"{estimate.host} is this machine; nothing leaves it."
    return f"{estimate.host} is sent {sent}."


def estimate_words(estimate: CostEstimate) -> str:
    """One or two sentences on an estimate: how much is sent to whom, and the maximum cost."""
    cached = f" ({estimate.cached:,} more from the cache)" if estimate.cached else ""
    tokens = f"≈{estimate.prompt_tokens:,} tokens to {estimate.host}, at most {estimate.reply_tokens:,} back"
    pace = f", {estimate.at_once} at a time" if estimate.calls > 1 else ""
    if estimate.dollars is None:
        price = "the price is not set"
    else:
        price = f"at most ≈{dollars(estimate.dollars)}" if estimate.dollars else "free"
    summary = f"{estimate.model}: {count_phrase(estimate.calls, 'call')}{pace}{cached}, {tokens}; {price}."
    return f"{summary} {estimate.cap_exceeded}" if estimate.cap_exceeded else summary


def caps_words(model: ModelSettings) -> str:
    """One sentence on the spending caps that the user has set."""
    # Caps hold only where a price is set: the sentence must not promise more.
    caps = [
        f"{dollars(amount)} a {period}"
        for amount, period in ((model.run_dollars, "run"), (model.day_dollars, "day"))
        if amount
    ]
    return f"At most {' and '.join(caps)} where prices are known." if caps else "No cap on what it costs is set."


def dollars(amount: float) -> str:
    """`$0.00012`, `$0.42`, `$1,234`: an amount with two significant digits."""
    if amount == 0:
        return "$0"
    if amount >= 100:
        return f"${amount:,.0f}"
    if amount >= 0.01:
        return f"${amount:.2f}"
    # Below .0001 the form `g` would write an exponent.
    return f"${amount:.1g}" if amount >= 0.0001 else f"${amount:.6f}"


def probe_words(probe: EndpointProbe) -> str:
    """One line on the model that answered a tiny request: where, how fast, and how it gives structured replies."""
    modes = {"json_schema": "by JSON schema", "json_object": "as JSON", "text": "as text that is read tolerantly"}
    tokens = f"{'≈' if probe.usage.approximate else ''}{probe.usage.tokens:,} tokens"
    structured = modes[probe.output_mode]
    return f"{probe.model} at {probe.address} answers in {probe.seconds:.1f} s ({tokens}), structured {structured}"


def probe_data(probe: EndpointProbe | None) -> ProbeData | None:
    """The answer to one tiny request as JSON; `None` if nothing was sent."""
    if probe is None:
        return None
    return {
        "host": probe.host,
        "model": probe.model,
        "address": probe.address,
        "seconds": round(probe.seconds, 3),
        "structured": probe.output_mode,
        "tokens": probe.usage.tokens,
    }
