"""Stages: which kinds of work a prompt asks for, one after another, by rules alone.

An instruction is a clause that begins with a verb (English) or ends in one (Korean). What is quoted
or pasted asks for nothing. Stages that a question only implies are not seen: that needs a reader.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = ["Kind", "Stages", "stages_of"]

Kind = Literal["gather", "extract", "analyse", "compute", "judge", "plan", "write", "code",
               "translate", "check"]  # fmt: skip

_ENGLISH: dict[Kind, str] = {
    "gather": "search|find|look up|collect|gather|research|retrieve|fetch|query|google|browse",
    "extract": "extract|list|pull out|pull|identify|pick out|transcribe|parse|note down|name",
    "analyse": "analy[sz]e|compare|examine|assess|investigate|work out|classify|group|cluster|"
    "categori[sz]e|interpret|diagnose|figure out",
    "compute": "calculate|compute|sum|add up|estimate|count|convert",
    "judge": "judge|decide|choose|rank|score|evaluate|rate|recommend|select|prioriti[sz]e|pick",
    "plan": "plan|outline|design|devise|sketch",
    "write": "write|draft|compose|summari[sz]e|report|rewrite|prepare|create|produce|reply|"
    "respond|answer|tell me|explain|present|turn",
    "code": "implement|code|refactor|debug|fix|program",
    "translate": "translate|locali[sz]e",
    "check": "check|verify|validate|proofread|review|test|double-check|make sure|correct",
}
_KOREAN: dict[Kind, str] = {
    "gather": "검색|수집|조사|조회|찾",
    "extract": "추출|나열|뽑|골라내",
    "analyse": "분석|비교|검토|분류|파악|진단",
    "compute": "계산|합산|추정|환산",
    "judge": "판단|평가|선택|결정|추천|선정|고르|골라|매기",
    "plan": "계획|설계|기획|구상",
    "write": "작성|요약|보고|쓰|써|답장|정리",
    "code": "구현|수정|디버그",
    "translate": "번역",
    "check": "확인|검증|교정|점검",
}

_PASTED = re.compile(r"```.*?```|\"[^\"\n]{20,}\"|“[^”]{20,}”|<[a-z_]+>.*?</[a-z_]+>", re.DOTALL)
_MATERIAL = re.compile(
    r"^([^:\n]{0,200}\b(?:following|this|below|these)\b[^:\n]{0,200}|[^:\n]{0,100}(?:다음|아래)[^:\n]{0,100})"
    r":(?!\s*(?:\n\s*)?(?:\d+[.)]|[-*•])).*",
    re.DOTALL | re.IGNORECASE,
)
"""An instruction about what follows it: "Summarize the following text: ..."."""
_ENDS = re.compile(r"[.!?;\n]+(?:\s+|$)|\n")
_STRONG = re.compile(
    r"(,?\s+(?:and\s+)?(?:then|after that|afterwards|finally|lastly|next)\b,?\s*|,\s+and\s+|,\s+|"
    r":\s+|\s*(?:→|->|=>)\s*)",
    re.IGNORECASE,
)
_THEN = re.compile(r"[a-z]{4}|→|->|=>|:", re.IGNORECASE)
_INFINITIVE = re.compile(r"\bto \w+$")
_WEAK = re.compile(r"\s+and\s+", re.IGNORECASE)
_FILLER = re.compile(
    r"^(?:\W*(?:step\s*)?\(?\d+[.):]\)?|[-*•]|please|kindly|first(?:ly)?|second(?:ly)?|third(?:ly)?|"
    r"next|then|finally|lastly|also|now|afterwards|after that|and|so|hi|hello|"
    r"(?:can|could|would|will) you|you (?:should|must|need to)|let'?s|help me(?: to)?|"
    r"i (?:want|need|would like|'d like) you to|i'd like you to|your task is to|your job is to|"
    r"(?:based on|using|from|with|for|in|given|once|when|after)\b[^,]{0,80},)[\s,:]*",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:to|that|which|who|how|can|will|should|must|would|could|may)\b")
_VERB = {
    kind: re.compile(rf"(?:{verbs})\b(?!\s*(?:of|is|are|was|were|has)\b)", re.IGNORECASE)
    for kind, verbs in _ENGLISH.items()
}
_ANY_VERB = re.compile(rf"(?:{'|'.join(_ENGLISH.values())})\b", re.IGNORECASE)
"""Most clauses begin with none, and one look says so."""
_ENDING = (
    r"(?:을|를)?\s*(?:하고|하며|하여|해서|해\s*(?:주|줘|보|둬)|한\s*(?:뒤|후|다음)|하세요|하십시오|"
    r"하라|해라|하시오|고\s|고,|아서|어서|은\s*(?:뒤|후|다음)|세요|아\s*(?:주|줘)|어\s*(?:주|줘)|"
    r"서\s|\s*(?:줘|주세요|주고)|ㄴ\s*다음)"
)
_STEM = {
    kind: re.compile(rf"(?:{stems}){_ENDING}|(?:{stems})\s*$") for kind, stems in _KOREAN.items()
}
_HANGUL = re.compile(r"[가-힣]")
_MOST = 3_000
"""Characters that are looked at: half from the start, half from the end, where instructions are."""


@dataclass(frozen=True, slots=True)
class Stages:
    """What a prompt asks for."""

    kinds: tuple[Kind, ...]
    """In order; neighbours differ."""

    @property
    def several(self) -> bool:
        """Whether it is work of more than one stage."""
        return len(set(self.kinds)) > 1

    @property
    def name(self) -> str:
        """As `extract → analyse → write`; long ones are cut to five, as many as a workflow has."""
        return " → ".join(self.kinds[:5]) or "other"


def stages_of(prompt: str) -> Stages:
    """The stages that a prompt asks for.

    >>> stages_of("Search for three vendors, compare their prices and then write a memo.").name
    'gather → analyse → write'
    >>> stages_of("Write a memo on how to search and compare vendors.").name
    'write'
    >>> stages_of("고객 문의를 분류한 뒤 답장을 작성해 주세요.").name
    'analyse → write'
    """
    text = prompt if len(prompt) <= _MOST else prompt[: _MOST // 2] + "\n" + prompt[-_MOST // 2 :]
    text = _MATERIAL.sub(r"\1", _PASTED.sub(" ", text).strip())
    kinds: list[Kind] = []
    for sentence in _ENDS.split(text):
        if not sentence or not sentence.strip():
            continue
        kinds += _asked_in(sentence)
    return Stages(tuple(k for i, k in enumerate(kinds) if not i or k != kinds[i - 1]))


@lru_cache(maxsize=2048)
def _asked_in(sentence: str) -> tuple[Kind, ...]:
    """What one sentence asks for; prompts of a log share many of theirs."""
    return tuple(_korean(sentence) if _HANGUL.search(sentence) else _english(sentence))


def _english(sentence: str) -> list[Kind]:
    found: list[Kind] = []
    conjunct = False
    pieces = _STRONG.split(sentence)
    for clause, between in zip(pieces[::2], ["", *pieces[1::2]], strict=True):
        # "how to search, compare and rank": what follows an infinitive belongs to it.
        if conjunct and not _THEN.search(between):
            continue
        first, *rest = _WEAK.split(clause)
        first = _bare(first)
        kind = _instruction(first)
        conjunct = bool(_INFINITIVE.search(first))
        if kind is None:
            continue
        found.append(kind)
        if not _BOUND.search(first):
            found += [k for k in map(_instruction, map(_bare, rest)) if k is not None]
    return found


def _bare(clause: str) -> str:
    """A clause without what stands before its verb."""
    clause = clause.strip()
    while (found := _FILLER.match(clause)) and found.end():
        clause = clause[found.end() :]
    return clause


def _instruction(clause: str) -> Kind | None:
    if not _ANY_VERB.match(clause):
        return None
    return next((kind for kind, verb in _VERB.items() if verb.match(clause)), None)


def _korean(sentence: str) -> list[Kind]:
    places: list[tuple[int, Kind]] = []
    for kind, stem in _STEM.items():
        places += [(found.start(), kind) for found in stem.finditer(sentence)]
    return _ordered(places)


def _ordered(places: Sequence[tuple[int, Kind]]) -> list[Kind]:
    return [kind for _, kind in sorted(places)]
