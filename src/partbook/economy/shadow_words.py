"""What is said of a shadow experiment, in English and in Korean."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from partbook.economy.words import Language, amount, filled
from partbook.evaluate.shadowing.shadow import Tally

__all__ = [
    "facts_line",
    "findings",
    "interval_text",
    "means_line",
    "told",
    "uncertain",
    "usd_text",
    "verdict_line",
]

_ENGLISH: Mapping[str, str] = {
    "title": "What another system would have answered",
    "kicker": "Partbook shadow",
    "facts": "{rival} beside {live}, judged by {judge}, {first} to {last}",
    "facts.none": "{rival} beside {live}, judged by {judge}; no pair yet",
    "verdict.better": "{rival} is preferred: at this level, its share of wins is above a half.",
    "verdict.worse": "{rival} is preferred less: at this level, its share of wins is below a half.",
    "verdict.open": "Open: the interval of the share of wins holds one half.",
    "stopped.decided": "The experiment is over: it is decided.",
    "stopped.pairs": "The experiment is over after {pairs} judged pairs, without a decision.",
    "goes on": "It goes on until the interval excludes one half, or to {pairs} judged pairs.",
    "tile.share": "Wins of {rival}",
    "tile.judged": "Judged pairs",
    "tile.cost": "Dollars a request",
    "tile.seconds": "Seconds a request",
    "interval": "{low} to {high}, at every moment with {level} %",
    "of pairs": "of {pairs} at most",
    "beside": "{value} of what is served",
    "none": "no decided pair",
    "head.counts": "Pairs",
    "head.uncertain": "What is uncertain",
    "head.rule": "The rule, settled before the first pair",
    "row.wins": "wins of {rival}",
    "row.losses": "losses, of which it gave no answer {none} times",
    "row.ties": "ties, of which the judge preferred a place {torn} times",
    "row.no_verdict": "without a verdict, which count for nobody",
    "row.given_up": "given up (budget, load, or giving way), which count for nobody",
    "rule": "The judge sees both answers without names, in both orders; where it does not say the "
    "same twice, it is a tie. No answer is a loss. The share of wins among decided pairs has a "
    "confidence sequence (mixture over all shares; Robbins 1970, arXiv:1810.08240), so it may be "
    "looked at after every pair. It ends when that excludes one half, or after {pairs} judged "
    "pairs.",
    "mean": "a request: {rival} {r_calls} calls, {r_usd}, {r_seconds} s; what is served {l_calls} "
    "calls, {l_usd}, {l_seconds} s.",
    "judge": "The judge is a model and is wrong at times; it may like answers in its own style. "
    "Read some pairs yourself (`partbook serve --keep`).",
    "torn": "In {share} % of the judged pairs it preferred a place and not an answer.",
    "no verdict": "In {share} % of the pairs that were played it gave no verdict.",
    "selection": "Requests that what is served did not answer, with tools, or that are very long "
    "are not in it.",
    "cost": "Dollars and seconds are means over judged pairs; the judge is not in them.",
    "unknown": "unknown",
}

_KOREAN: Mapping[str, str] = {
    "title": "다른 시스템이라면 어떻게 답했을까",
    "kicker": "Partbook shadow",
    "facts": "{live}와(과) {rival} 비교, 심판 {judge}, {first} ~ {last}",
    "facts.none": "{live}와(과) {rival} 비교, 심판 {judge}. 아직 비교한 쌍이 없습니다",
    "verdict.better": "{rival} 쪽이 낫습니다. 이 신뢰수준에서 승률이 절반보다 높습니다.",
    "verdict.worse": "{rival} 쪽이 낫지 않습니다. 이 신뢰수준에서 승률이 절반보다 낮습니다.",
    "verdict.open": "아직 알 수 없습니다. 승률 구간에 절반(50 %)이 들어 있습니다.",
    "stopped.decided": "결론이 나서 실험을 마쳤습니다.",
    "stopped.pairs": "판정한 쌍이 {pairs}개에 이르러, 결론 없이 실험을 마쳤습니다.",
    "goes on": "구간이 절반을 벗어나거나 판정한 쌍이 {pairs}개가 될 때까지 계속합니다.",
    "tile.share": "{rival}의 승률",
    "tile.judged": "판정한 쌍",
    "tile.cost": "요청당 비용",
    "tile.seconds": "요청당 시간(초)",
    "interval": "{low} ~ {high}, 언제 보아도 {level} %",
    "of pairs": "최대 {pairs}개",
    "beside": "현재 서비스는 {value}",
    "none": "승패가 갈린 쌍 없음",
    "head.counts": "비교한 쌍",
    "head.uncertain": "불확실한 점",
    "head.rule": "시작하기 전에 정한 규칙",
    "row.wins": "{rival} 승",
    "row.losses": "패(그중 답을 못 낸 것 {none}번)",
    "row.ties": "무승부(그중 심판이 답이 아니라 자리를 고른 것 {torn}번)",
    "row.no_verdict": "판정 없음(어느 쪽으로도 세지 않음)",
    "row.given_up": "그만둔 것: 예산, 부하, 양보(어느 쪽으로도 세지 않음)",
    "rule": "심판은 이름을 가린 두 답을 순서를 바꾸어 두 번 봅니다. 두 번 다 같은 답을 고르지 "
    "않으면 무승부입니다. 답을 내지 못하면 패배입니다. 승패가 갈린 쌍의 승률에는 신뢰열(confidence "
    "sequence; 모든 비율에 대한 혼합, Robbins 1970, arXiv:1810.08240)이 붙으므로 언제 들여다보아도 "
    "됩니다. 이 구간이 절반을 벗어나거나 판정한 쌍이 {pairs}개가 되면 끝납니다.",
    "mean": "요청당: {rival} 호출 {r_calls}번, {r_usd}, {r_seconds}초. 현재 서비스 호출 "
    "{l_calls}번, {l_usd}, {l_seconds}초.",
    "judge": "심판도 모델이라 틀릴 때가 있고, 자기와 비슷한 문체를 좋아할 수 있습니다. 몇 쌍은 "
    "직접 읽어 보세요(`partbook serve --keep`).",
    "torn": "판정한 쌍의 {share} %에서 심판이 답이 아니라 자리를 골랐습니다.",
    "no verdict": "실행한 쌍의 {share} %에서 판정이 나오지 않았습니다.",
    "selection": "현재 서비스가 답하지 못한 요청, 도구를 쓰는 요청, 아주 긴 요청은 빠져 있습니다.",
    "cost": "비용과 시간은 판정한 쌍의 평균이며, 심판의 몫은 들어 있지 않습니다.",
    "unknown": "알 수 없음",
}

_WORDS: Mapping[Language, Mapping[str, str]] = {"en": _ENGLISH, "ko": _KOREAN}


def told(language: Language, key: str, **values: str | int) -> str:
    """A text, with its names filled in; whole numbers get their commas."""
    return filled(_WORDS[language][key], values)


def verdict_line(tally: Tally, language: Language) -> str:
    """The verdict, and whether it goes on."""
    experiment = tally.experiment
    line = told(language, f"verdict.{tally.verdict}", rival=experiment.rival)
    ends = f"stopped.{tally.stopped}" if tally.stopped else "goes on"
    return f"{line} {told(language, ends, pairs=experiment.pairs)}"


def findings(tally: Tally, language: Language) -> list[tuple[int, str]]:
    """The counts, each with what it is of."""
    outcomes = tally.outcomes
    return [
        (tally.wins, told(language, "row.wins", rival=tally.experiment.rival)),
        (tally.losses, told(language, "row.losses", none=outcomes["no answer"])),
        (outcomes["tie"], told(language, "row.ties", torn=tally.torn)),
        (outcomes["no verdict"], told(language, "row.no_verdict")),
        (outcomes["given up"], told(language, "row.given_up")),
    ]


def uncertain(tally: Tally, language: Language) -> list[str]:
    """What whoever reads the verdict should know."""
    said = [told(language, "judge")]
    if tally.torn and tally.judged:
        said.append(told(language, "torn", share=f"{100 * tally.torn / tally.judged:.0f}"))
    silent = tally.outcomes["no verdict"]
    if silent:
        share = 100 * silent / (silent + tally.judged)
        said.append(told(language, "no verdict", share=f"{share:.0f}"))
    return [*said, told(language, "selection"), told(language, "cost")]


def means_line(tally: Tally, language: Language) -> str:
    """What a request takes on both sides; empty: no pair is judged."""
    rival, live = tally.mean("rival"), tally.mean("live")
    if rival is None or live is None:
        return ""
    return told(
        language, "mean", rival=tally.experiment.rival,
        r_calls=f"{rival[0]:.1f}", r_usd=usd_text(rival[1], language),
        r_seconds=f"{rival[2]:.1f}", l_calls=f"{live[0]:.1f}",
        l_usd=usd_text(live[1], language), l_seconds=f"{live[2]:.1f}",
    )  # fmt: skip


def facts_line(tally: Tally, language: Language) -> str:
    """What is compared, and when."""
    experiment = tally.experiment
    names = {"rival": experiment.rival, "live": experiment.live, "judge": experiment.judge}
    if tally.first_at is None or tally.last_at is None:
        return told(language, "facts.none", **names)
    days = [datetime.fromtimestamp(at, UTC).date().isoformat()
            for at in (tally.first_at, tally.last_at)]  # fmt: skip
    return told(language, "facts", **names, first=days[0], last=days[1])


def interval_text(tally: Tally, language: Language) -> str:
    """The interval in words."""
    low, high = tally.interval
    level = f"{100 * tally.experiment.level:g}"
    return told(language, "interval", low=f"{100 * low:.1f} %", high=f"{100 * high:.1f} %",
                level=level)  # fmt: skip


def usd_text(usd: Decimal | None, language: Language) -> str:
    """Dollars; a word where they are unknown."""
    return told(language, "unknown") if usd is None else amount(usd, "USD", language)
