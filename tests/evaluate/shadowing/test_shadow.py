"""The running verdict of a shadow, and its journal."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.evaluate.shadowing.shadow import Experiment, Pair, Tally, Took
from partbook.evaluate.shadowing.shadow_journal import ShadowJournal, read_tallies

EXPERIMENT = Experiment("partbook-2026-11-30-abc123", "single:w1", "judge", pairs=40)
AT = 1_790_000_000.0


def pair(outcome="win", **changes) -> Pair:
    took = Took(1, Decimal("0.01"), 2.0)
    made = Pair("run", AT, outcome, took, replace(took, calls=3), took, held_usd=Decimal("0.05"))
    return replace(made, **changes)


def tally(*outcomes: str) -> Tally:
    found = Tally(EXPERIMENT)
    for outcome in outcomes:
        found.add(pair(outcome), "2026-09-21")
    return found


def test_it_is_decided_once_the_interval_excludes_one_half():
    assert tally(*["win"] * 7).verdict == "open"
    better = tally(*["win"] * 8)

    assert (better.verdict, better.stopped) == ("better", "decided")
    assert tally(*["loss"] * 8).verdict == "worse"


@pytest.mark.parametrize("wins", range(13))
def test_the_verdict_is_whether_the_interval_excludes_one_half(wins):
    found = replace_counts(wins, 12 - wins)
    low, high = found.interval

    assert found.verdict == ("better" if low > 0.5 else "worse" if high < 0.5 else "open")


def replace_counts(wins: int, losses: int) -> Tally:
    found = Tally(EXPERIMENT)
    found.outcomes.update({"win": wins, "loss": losses})
    return found


def test_it_ends_undecided_after_the_number_of_pairs_that_was_settled():
    found = tally(*["win", "loss", "tie", "tie"] * 10)

    assert (found.judged, found.verdict, found.stopped) == (40, "open", "pairs")


def test_what_comes_after_the_end_changes_no_verdict_but_is_paid():
    found = tally(*["win"] * 8, *["loss"] * 20)

    assert (found.wins, found.losses, found.verdict) == (8, 0, "better")
    assert found.days == {"2026-09-21": Decimal("1.40")}


def test_no_answer_is_a_loss_and_what_was_not_judged_counts_for_nobody():
    found = tally("no answer", "no verdict", "given up", "tie")

    assert (found.wins, found.losses, found.judged) == (0, 1, 2)
    assert found.share == 0


def test_what_a_request_takes_is_a_mean_over_judged_pairs():
    found = tally("win", "loss")
    found.add(pair("no answer", rival=Took(9, Decimal(9), 9.0)), "2026-09-21")

    assert found.mean("rival") == (3.0, Decimal("0.01"), 2.0)
    found.add(pair("tie", rival=Took(1, None, 1.0)), "2026-09-21")
    assert found.mean("rival")[1] is None


def test_a_restart_goes_on_with_the_same_experiment(tmp_path):
    path = tmp_path / "shadow.jsonl"
    first = ShadowJournal.open(path, EXPERIMENT, AT)
    first.add(pair("win", kept={"question": "½ \ud800", "live": "a", "rival": "b"}))
    first.close()
    second = ShadowJournal.open(path, EXPERIMENT, AT + 1)
    second.add(pair("loss"))
    second.close()

    found = read_tallies(path)[EXPERIMENT.id]
    assert (found.wins, found.losses) == (1, 1)
    assert path.stat().st_mode & 0o077 == 0


def test_other_settings_begin_another_experiment_in_the_same_file(tmp_path):
    path = tmp_path / "shadow.jsonl"
    other = replace(EXPERIMENT, pairs=41)
    for experiment in (EXPERIMENT, other, EXPERIMENT):
        journal = ShadowJournal.open(path, experiment, AT)
        journal.add(pair())
        journal.close()

    found = read_tallies(path)
    assert {key: one.wins for key, one in found.items()} == {other.id: 1, EXPERIMENT.id: 2}
    assert list(found)[-1] == EXPERIMENT.id


def test_a_line_that_a_crash_cut_off_is_passed_over(tmp_path):
    path = tmp_path / "shadow.jsonl"
    journal = ShadowJournal.open(path, EXPERIMENT, AT)
    journal.add(pair())
    journal.close()
    with path.open("a") as file:
        file.write('{"pair": {"run_id": "x", "at"')
    again = ShadowJournal.open(path, EXPERIMENT, AT)
    again.add(pair())
    again.close()

    assert read_tallies(path)[EXPERIMENT.id].wins == 2


@pytest.mark.parametrize("text", ['{"prompt": "hello"}', "no JSON", '{"experiment": {"live": 1}}'])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "log.jsonl"
    path.write_text(text + "\n")

    with pytest.raises(ConfigError, match=r"log\.jsonl"):
        read_tallies(path)


def test_its_state_is_json():
    found = tally("win", "no answer")

    data = json.loads(json.dumps(found.to_dict()))
    assert (data["wins"], data["no_answer"], data["verdict"]) == (1, 1, "open")
    assert data["a_request"]["rival"] == {"calls": 3.0, "usd": "0.01", "seconds": 2.0}
