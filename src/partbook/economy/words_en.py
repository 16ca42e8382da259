"""What the answer says, in English. Keys and names in braces are those of `words_ko.py`."""

from collections.abc import Mapping

__all__ = ["ENGLISH"]

ENGLISH: Mapping[str, str] = {
    # Figures.
    "spend": "Spent in the month",
    "calls": "Calls in the month",
    "tokens": "Tokens read and written",
    "listed": "The same tokens at the list prices of the same models",
    "fewer.cost": "The month with {fewer} % fewer calls",
    "fewer.total": "The month with {fewer} % fewer calls, the Conductor paid",
    "fewer.gross": "Less for calls",
    "fewer.most": "What a Conductor may cost per task at most",
    "fewer.conductor": "The Conductor's own cost",
    "fewer.net": "Less in the month, the Conductor paid",
    "fewer.even": "Tasks a month from which on it pays",
    "one.cost": "The month, if each task is one call today and becomes {steps}",
    "pool.worker": "All tokens of the month by {worker} of {pool}",
    "run.baseline": "1000 tasks by {baseline}",
    "run.system": "1000 tasks by {system}",
    "run.ratio": "{system} for each dollar of {baseline}",
    "run.calls": "Calls per task of {system}",
    "run.right": "Right answers of {system}",
    "run.points": "Right answers beside {baseline}",
    "carried.cost": "The month, done as {system} does it",
    "carried.net": "Less in the month with {system}",
    "carried.even": "Tasks a month from which on {system} pays",
    # Letters of formulas.
    "letter.B": "charges for calls of models in the month",
    "letter.X": "other charges, such as searches, storage and taxes",
    "letter.V": "credits (below 0)",
    "letter.f": "share of the calls that fall away",
    "letter.C": "calls in the month",
    "letter.k": "calls per task today",
    "letter.K": "the Conductor's call per task, in dollars",
    "letter.G": "the Conductor's GPU per month: dollars per hour times hours",
    "letter.R": "tokens read",
    "letter.H": "tokens read from a cache, a part of R",
    "letter.U": "tokens written to a cache, a part of R",
    "letter.u": "dollars per million of those",
    "letter.Z": "tokens written to a cache for an hour, a part of R",
    "letter.z": "dollars per million of those",
    "letter.W": "tokens written",
    "letter.p": "dollars per million tokens read",
    "letter.c": "dollars per million tokens read from a cache",
    "letter.q": "dollars per million tokens written",
    "letter.a": "dollars per problem of the baseline, measured",
    "letter.b": "dollars per problem of the system, measured",
    "letter.ρ": "b / a",
    "letter.N": "problems that both were judged on",
    # Kinds and ranges.
    "kind.bill": "bill",
    "kind.estimated": "estimated",
    "kind.measured": "measured",
    "range.95 %": "95 %: {low} to {high}",
    "range.models": "{low} to {high}, by which models' calls fall away",
    "unknown": "unknown",
    # Why a figure is unknown.
    "no cost": "the bill has no costs",
    "no calls": "the bill does not tell the number of calls",
    "no tokens": "the bill does not tell the tokens of {model}",
    "no price": "no price of {worker} is known; give one in the pool file or a prices file",
    "no list price": "{model} has no list price, or the bill does not tell its tokens",
    "no rate": "the bill is in {currency}; say what one is worth in dollars: --rate {currency}=...",
    "never even": "no amount of work makes it pay: each task costs as much or more",
    "no price measured": "a price in the evaluation is unknown; give the worker a `price`",
    "free baseline": "{baseline} cost nothing in the evaluation",
    # Warnings.
    "rise estimated": "With the Conductor paid, the total would rise by {amount} a month.",
    "rise measured": "As measured, the total would rise by {amount} a month: "
    "orchestration can cost more than one call.",
    "rise possible": "As measured, the total may also rise, by up to {amount} a month.",
    "rise one call": "If each task is a single call today, {steps} calls per task cost {amount} "
    "more a month: orchestration can cost more than one call.",
    "worse": "{system} was right less often than the baseline: {low} to {high} points (95 %).",
    "maybe worse": "It is not excluded that {system} is right less often than the baseline: "
    "{low} to {high} points (95 %).",
    # Notes.
    "assumed": "Estimates assume that the calls which fall away cost what the others cost, and "
    "that another model needs as many tokens. Nobody has run that work.",
    "of the paper": "40 % fewer is the paper's figure: 3 steps on average of 5 allowed. It was "
    "measured on its authors' own benchmarks (arXiv:2512.04388, ICLR 2026), and counts "
    "steps of a workflow and not calls of your team.",
    "no overhead": "The Conductor's own cost is not in the estimate: give --conductor-price and "
    "--conductor-tokens, or --gpu-usd-per-hour.",
    "not measured": "Nothing here says whether answers stay as good: measure with "
    "`partbook evaluate` on tasks of your own and give the folder as --measured.",
    "carried over": "What was measured on {n} problems of {tasks} is carried over to the bill by a "
    "ratio; that holds as far as your work is like them.",
    "few problems": "{n} problems are few: look at the intervals and not at the figures.",
    "twice": "{file}: what it tells of {cells} was in a file before too, and is added; is it the "
    "same usage twice?",
    "other services": "{file}: {count} rows of other services of Google Cloud are left out.",
    "free rows": "{file}: {count} rows have tokens and a cost of 0: free, or their price was "
    "unknown to whoever wrote them.",
    "unused": "{file}: columns that are not read: {columns}.",
    "rate": "{file}: {currency} became dollars at {rate}.",
    "assumed dollars": "{file} names no currency; it is taken for US dollars.",
    "missing months": "No rows of {months}: nothing was used then, or the export lacks it.",
    "part of a month": "{month} ends with day {day}; the month may not be whole.",
    "listed base": "The bill has no costs of {models}; what stands for them is the list prices of "
    "their tokens, without discounts.",
    "no cost of": "What {models} cost is unknown and in no sum.",
    "blank costs": "{rows} rows have no cost and are in no sum.",
    "credits": "Credits of {amount} are kept as they are.",
    "other charges": "Charges of {amount} that belong to no model are kept as they are.",
    "calls unknown": "The bill does not tell the number of calls, so figures per task are missing; "
    "give it with --calls.",
    # Page.
    "title": "What fewer calls would save",
    "kicker": "Partbook savings",
    "facts": "{month} · {sources}",
    "tile.spend": "Spent in {month}",
    "tile.estimated": "Estimated, {fewer} % fewer calls",
    "tile.measured": "Measured, by {system}",
    "tile.quality": "Right answers, measured",
    "tile.not measured": "not measured",
    "head.spend": "What we spend",
    "lead.spend": "Charges of the month by model, credits not taken off.",
    "head.would": "What we would spend",
    "lead.would": "Two kinds of figures, which do not mix. Estimated: the same bill, computed "
    "otherwise; nothing was run. Measured: the same tasks, both really run.",
    "head.pool": "The same tokens by other models",
    "lead.pool": "Estimated: all tokens of the month at the prices of each worker of the pool "
    "{pool}. Another model may need more or fewer tokens, and answer better or worse.",
    "head.quality": "What changes in quality",
    "head.uncertain": "What is uncertain",
    "head.weeks": "What to do in the next two weeks",
    "head.figures": "Every figure, with its formula",
    "lead.figures": "Money is exact in CSV and JSON; here it is rounded.",
    "column.figure": "figure",
    "column.value": "value",
    "column.range": "range",
    "column.formula": "formula",
    "column.inputs": "inputs",
    "column.model": "model",
    "column.calls": "calls",
    "column.tokens": "tokens",
    "column.cost": "cost",
    "column.month": "month",
    "now": "now",
    "quality.none": "Not measured. An estimate from a bill cannot say it.",
    "quality": "{system} is right in {ours} % and {baseline} in {theirs} % of {n} problems of "
    "{tasks}; the difference is {low} to {high} points (95 %).",
    "week.1": "Days 1 to 3: choose three tasks of the kinds search → judge, analyse → write, "
    "extract → analyse → report, and collect 50 to 200 examples with right answers; "
    "`partbook audit` finds such tasks in a log of prompts.",
    "week.2": "Days 4 and 5: take one prompt of each and read both answers side by side: "
    "`partbook compare PROMPT --systems single:WORKER,workflow:extract-analyse-draft`.",
    "week.3": "Days 6 to 8: measure, with a limit: `partbook evaluate own.jsonl --pool mine.toml "
    "--systems worker:*,self-fusion,prompted --max-usd 20`; `--dry-run` says before what it costs.",
    "week.4": "Days 9 and 10: run this report again with --measured. Go on only where the "
    "interval of right answers excludes a loss that matters to you and the total falls.",
    "footer": "Estimated and measured figures are not to be added to each other.",
    "rest": "{count} more",
}  # fmt: skip
