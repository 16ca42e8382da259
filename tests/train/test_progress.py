from partbook.train.progress import Progress


class Clock:
    """Says the times that it was given, the last one for ever."""

    def __init__(self, *times):
        self.times = list(times)

    def __call__(self):
        return self.times.pop(0) if len(self.times) > 1 else self.times[0]


LOGS = {"reward": 0.75, "accuracy": 0.5, "valid": 1.0, "accuracy_given_valid": 0.5, "lost": 0.0}


def test_a_step_is_one_line_with_what_is_left():
    progress = Progress(10, 4, clock=Clock(0.0, 30.0))

    assert progress.line(1, {**LOGS, "entropy": 1.25}) == (
        "step 1/10  reward 0.750  right 0.500  given valid 0.500  valid 1.000  entropy 1.250  "
        "30 s, 4 min left"
    )


def test_money_is_summed_over_the_rollouts_of_all_steps():
    before = [{"calls_per_rollout": 2.0, "usd_per_rollout": 0.001}]
    progress = Progress(10, 4, before, Clock(0.0))

    line = progress.line(2, {"calls_per_rollout": 2.0, "usd_per_rollout": 0.002})

    assert "$0.0120" in line


def test_an_unknown_price_is_never_shown_as_nothing():
    assert "cost unknown" in Progress(2, 4, clock=Clock(0.0)).line(1, {"calls_per_rollout": 2.0})


def test_lost_rollouts_are_shown():
    assert "lost 25%" in Progress(2, 4, clock=Clock(0.0)).line(1, {"lost": 0.25})


def test_a_metric_without_a_value_is_left_out():
    assert "reward" not in Progress(2, 4, clock=Clock(0.0)).line(1, {"reward": None})
