"""What is spent: estimated before, capped always, written down after; and the guard against loops."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Tokens, bad_key, hangs, says, streams
from model_clients import Clock, Models

from litterm.core import errors
from litterm.core.settings.model import ModelSettings
from litterm.core.tasks import run
from litterm.llm.budget import Caps, DayBudget, Prices, RunBudget, read_day_caps, read_run_caps
from litterm.model.events import CostUpdate, Event
from litterm.model.llm import Message, ModelCost, ModelRequest, Usage
from litterm.render.cost import dollars, estimate_words, spent_words


def ask(text: str, max_tokens: int = 100) -> ModelRequest:
    return ModelRequest("test@1", (Message("user", text),), max_tokens=max_tokens)


def test_every_paid_call_is_told_with_the_sums(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("a", usage=Tokens(1000, 500)))
    model = make_model(price_in=1.0, price_out=4.0)
    events: list[Event] = []
    reply = run(model.ask(ask("one")), events.append)
    run(model.ask(ask("two")), events.append)
    assert reply.dollars == pytest.approx(0.003)
    told = [event for event in events if isinstance(event, CostUpdate)]
    assert [event.run.calls for event in told] == [1, 2]
    assert told[-1].total.dollars == pytest.approx(0.006)
    assert told[-1].today.tokens == 3000
    assert model.total_cost() == told[-1].total
    assert not told[-1].total.approximate


def test_the_price_a_server_names_wins(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("a", usage=Tokens(10, 5, {"cost": 0.25})))
    assert run(make_model(price_in=1.0, price_out=1.0).ask(ask("one"))).dollars == 0.25


def test_without_usage_tokens_are_reckoned_and_marked(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("x" * 36, usage=None))
    usage = run(make_model().ask(ask("one"))).usage
    assert (usage.reply_tokens, usage.approximate) == (10, True)


def test_a_refused_request_costs_nothing(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(bad_key())
    model = make_model()
    with pytest.raises(errors.KeyRefused):
        run(model.ask(ask("one")))
    assert model.total_cost() == ModelCost()


def test_who_hangs_up_has_paid_for_what_was_read(make_model: Models, model_server: ModelServer) -> None:
    run(make_model().ask(ask("first")))
    model_server.script(hangs())
    model = make_model()
    task = model.ask(ask("x" * 3600))
    while len(model_server.wires) < 2:
        next(task)
    task.close()
    assert model.total_cost().calls == 1
    assert model.total_cost().tokens > 500
    assert model.total_cost().approximate


def test_the_cap_of_a_run_holds_before_anything_is_sent(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("a", usage=Tokens(100, 100)))
    model = make_model(run_tokens=450)
    run(model.ask(ask("one")))
    run(model.ask(ask("two")))
    with pytest.raises(errors.CapReached, match=r"The cap of 450 tokens a run .* raise model\.run_tokens"):
        run(model.ask(ask("three")))
    assert len(model_server.asked) == 2
    assert run(model.start_run().ask(ask("four"))).text == "a"


def test_requests_under_way_count_with_the_most_they_may_cost(make_model: Models, model_server: ModelServer) -> None:
    worst = RunBudget(Caps(250, 0.0), 3)
    worst.hold("a", ModelCost(1, None, 200))
    with pytest.raises(errors.CapReached):
        worst.hold("b", ModelCost(1, None, 100))
    worst.settle("a", ModelCost(1, None, 20))
    worst.hold("b", ModelCost(1, None, 100))


def test_the_cap_of_a_day_holds_across_processes_and_ends_with_the_day(
    make_model: Models, model_server: ModelServer, model_clock: Clock
) -> None:
    model_server.script(says("a", usage=Tokens(400, 100)))
    table = {"price_in": 1000.0, "price_out": 1000.0, "day_dollars": 0.7}
    run(make_model(**table).ask(ask("one")))
    other = make_model(**table)
    with pytest.raises(errors.CapReached, match=r"The cap of \$0\.70 a day .*\$0\.50 so far.*model\.day_dollars"):
        run(other.ask(ask("two", 300)))
    model_clock.today += 86_400
    assert run(other.ask(ask("two", 300))).text == "a"


def test_what_the_cap_of_a_day_refuses_takes_nothing_from_the_run(
    make_model: Models, model_server: ModelServer
) -> None:
    model = make_model(day_tokens=2_500, run_tokens=3_000)
    with pytest.raises(errors.CapReached, match="a day"):
        run(model.ask(ask("one", 2_700)))
    run(model.ask(ask("two", 500)))
    assert len(model_server.asked) == 1


def test_what_is_spent_is_on_disk_without_text_or_key(
    make_model: Models, model_server: ModelServer, tmp_path: Path
) -> None:
    run(make_model({"LITTERM_API_KEY": "sk-very-secret"}).ask(ask("a private question")))
    (file,) = (tmp_path / "home" / "log").glob("spent-*.jsonl")
    held, settled = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert held["ticket"] == settled["ticket"]
    assert (held["purpose"], held["model"]) == ("test@1", "tiny-1")
    assert (settled["tokens"], settled["approximate"]) == (25, False)
    assert "private" not in file.read_text("utf-8")
    assert "secret" not in file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0


def test_what_a_killed_process_set_aside_counts_on_and_torn_lines_do_not_matter(tmp_path: Path) -> None:
    def day() -> DayBudget:
        return DayBudget(tmp_path, Caps(1000, 0.0), lambda: 1_790_000_000.0, local=False)

    day().hold("a", ModelCost(1, None, 600), {})
    (file,) = tmp_path.iterdir()
    with file.open("a", encoding="utf-8") as torn:
        torn.write('{"ticket": "b", "tok')
    mine = day()
    with pytest.raises(errors.CapReached):
        mine.hold("c", ModelCost(1, None, 600), {})
    mine.hold("d", ModelCost(1, None, 300), {})
    assert day().total_cost().tokens == 900
    mine.settle("d", ModelCost(1, None, 10))
    assert day().total_cost().tokens == 610


def test_two_readers_of_one_day_see_each_other(tmp_path: Path) -> None:
    one, two = (DayBudget(tmp_path, Caps(0, 0.0), lambda: 1_790_000_000.0, local=False) for _ in range(2))
    here = DayBudget(tmp_path, Caps(0, 0.0), lambda: 1_790_000_000.0, local=True)
    one.hold("a", ModelCost(1, 0.5, 10), {})
    here.hold("x", ModelCost(1, 0.0, 10_000), {})
    assert two.total_cost() == ModelCost(1, 0.5, 10)
    two.settle("a", ModelCost(1, 0.25, 5))
    assert one.total_cost() == ModelCost(1, 0.25, 5)


_GREEDY = """
import sys
from pathlib import Path
from litterm.core.errors import CapReached
from litterm.llm.budget import Caps, DayBudget
from litterm.model.llm import ModelCost
day = DayBudget(Path(sys.argv[1]), Caps(600, 0.0), lambda: 1_790_000_000.0, local=False)
sys.stdin.readline()
held = 0
for number in range(40):
    try:
        day.hold(f"{sys.argv[2]}-{number}", ModelCost(1, None, 10), {})
        held += 1
    except CapReached:
        pass
print(held)
"""


def test_processes_that_spend_at_the_same_moment_cannot_pass_the_cap_together(tmp_path: Path) -> None:
    greedy = [
        subprocess.Popen(
            [sys.executable, "-c", _GREEDY, str(tmp_path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    for each in greedy:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    assert sum(int(each.communicate(timeout=20)[0]) for each in greedy) == 60


def test_a_cap_that_cannot_be_kept_stops_requests_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file in the way", "utf-8")
    capped = DayBudget(tmp_path / "log", Caps(1000, 0.0), lambda: 0.0, local=False)
    with pytest.raises(errors.ModelError, match="cannot be written"):
        capped.hold("a", ModelCost(1, None, 10), {})
    DayBudget(tmp_path / "log", Caps(0, 0.0), lambda: 0.0, local=True).hold("a", ModelCost(1, 0.0, 10), {})


def test_an_unknown_price_is_none_and_a_local_model_is_free(make_model: Models, model_server: ModelServer) -> None:
    assert Prices(None, 1.0).cost_of(Usage(10, 10)) is None
    assert run(make_model().ask(ask("one"))).dollars == 0.0


def test_the_same_again_and_again_is_a_loop_also_when_answers_are_kept(
    make_model: Models, model_server: ModelServer
) -> None:
    model = make_model()
    for _ in range(3):
        run(model.ask(ask("same")))
    with pytest.raises(errors.RepeatedRequest, match="4 times in one run"):
        run(model.ask(ask("same")))
    run(model.ask(ask("other")))
    run(model.start_run().ask(ask("same")))
    assert len(model_server.asked) == 2


# -- estimates ---------------------------------------------------------------------------------------------------------


def test_an_estimate_sends_nothing_and_leaves_out_what_is_kept(make_model: Models, model_server: ModelServer) -> None:
    model = make_model(price_in=1.0, price_out=2.0)
    run(model.ask(ask("0")))
    estimate = model.estimate([ask(str(n), max_tokens=500) if n else ask("0") for n in range(31)])
    assert (estimate.calls, estimate.cached, estimate.at_once) == (30, 1, 1)
    assert estimate.reply_tokens == 15_000
    assert 0 < estimate.prompt_tokens < 600
    assert estimate.dollars == pytest.approx((estimate.prompt_tokens + 2 * 15_000) / 1e6)
    assert len(model_server.asked) == 1


def test_tokens_and_not_calls_need_consent(make_model: Models) -> None:
    model = make_model()
    assert not model.estimate([ask(str(n)) for n in range(300)]).needs_consent
    assert model.estimate([ask(f"{n} {'long ' * 12_000}") for n in range(20)]).needs_consent


@pytest.mark.parametrize(("prices", "said"), [({}, "; free."), ({"price_in": 1.0, "price_out": 1.0}, "; at most ≈$")])
def test_a_model_of_this_machine_is_free_unless_a_price_is_set(
    make_model: Models, prices: dict[str, float], said: str
) -> None:
    words = estimate_words(make_model(concurrency=3, **prices).estimate([ask("hello"), ask("you")]))
    assert words.startswith("tiny-1: 2 calls, 3 at a time, ≈")
    assert said in words


def test_tokens_are_characters_through_3_6_until_the_server_has_counted(
    make_model: Models, model_server: ModelServer
) -> None:
    model = make_model()
    before = model.estimate([ask("x" * 3600)]).prompt_tokens
    assert 1000 <= before <= 1020
    model_server.script(says("a", usage=Tokens(2000, 5)))
    for n in range(30):
        run(model.start_run().ask(ask("x" * 3598 + f"{n:02}")))
    after = make_model().estimate([ask("y" * 3600)]).prompt_tokens
    assert 1900 <= after <= 2060


def test_an_estimate_says_which_cap_it_would_reach(make_model: Models, model_server: ModelServer) -> None:
    model = make_model(run_tokens=1000)
    assert "model.run_tokens" in model.estimate([ask(str(n)) for n in range(30)]).cap_exceeded
    assert model.estimate([ask("1")]).cap_exceeded == ""


def test_words_for_money(make_model: Models) -> None:
    assert [dollars(x) for x in (0, 0.00001234, 0.0034, 0.42, 3, 1234.5)] == [
        "$0",
        "$0.000012",
        "$0.003",
        "$0.42",
        "$3.00",
        "$1,234",
    ]
    assert spent_words(ModelCost(1, 0.0, 31_200)) == "1 call, 31,200 tokens"
    assert spent_words(ModelCost(12, 0.02, 31_200, approximate=True)) == "12 calls, ≈31,200 tokens, ≈$0.02"
    words = estimate_words(make_model(run_tokens=10).estimate([ask("hello")]))
    assert words.startswith("tiny-1: 1 call, ≈")
    cached = estimate_words(replace(make_model().estimate([ask("hello")]), cached=1))
    assert cached.startswith("tiny-1: 1 call (1 more from the cache), ≈")
    assert "at most ≈$0; " not in words
    assert words.endswith("raise model.run_tokens if you agree.")


def test_a_stream_without_usage_is_reckoned_with_its_reasoning(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(streams("x" * 72, usage=None))
    assert run(make_model().ask(ask("one"), stream=True)).usage.reply_tokens == 20


@pytest.mark.parametrize(("local", "tokens"), [(True, 0), (False, 5_000_000)])
def test_caps_that_are_not_set_bound_a_run_and_a_day_elsewhere_only(local: bool, tokens: int) -> None:
    plain = ModelSettings()
    assert read_run_caps(plain, local=local).tokens == tokens
    assert read_day_caps(plain, local=local).tokens == 4 * tokens


def test_caps_that_are_set_hold_on_this_machine_too() -> None:
    told = ModelSettings(run_tokens=5, day_tokens=7, run_dollars=0.5, day_dollars=0.7)
    for local in (True, False):
        assert read_run_caps(told, local=local) == Caps(5, 0.5)
        assert read_day_caps(told, local=local) == Caps(7, 0.7)
