"""What the audit says, in English and in Korean."""

from collections.abc import Mapping

from partbook.economy.words import Language, filled

__all__ = ["told"]

_ENGLISH: Mapping[str, str] = {
    "title": "Which of our work has several stages",
    "kicker": "Partbook audit",
    "found": "{several} of {prompts} prompts ask for several stages.",
    "tile.prompts": "Prompts",
    "tile.several": "With several stages, by rules",
    "tile.spent": "Spent on these",
    "tile.conductor": "The Conductor would split",
    "of": "of {count}",
    "known": "of {amount} in all",
    "head.kinds": "Kinds of work, the dearest first",
    "head.examples": "One example of each",
    "head.conductor": "What the Conductor says",
    "head.uncertain": "What is uncertain",
    "head.next": "What to do next",
    "column.stages": "stages",
    "column.prompts": "prompts",
    "column.spent": "spent",
    "column.calls": "calls if split",
    "column.cost": "cost if split",
    "column.workflow": "workflow",
    "column.agreed": "Conductor agrees",
    "note": "Found by rules: what a prompt only implies is missed. `Cost if split` is as if each "
    "step took what the single call takes; whether answers become better, only "
    "`partbook evaluate` tells.",
    "unknown": "{count} prompts have no cost and are in no sum.",
    "conductor": "The Conductor {name} read {read} of {prompts} prompts, drawn by chance: it would "
    "split {several}, the rules {rules}, both {both}.",
    "conductor none": "For {count} of them it wrote no workflow.",
    "conductor stopped": "It read {read} of {drawn}, then: {why}",
    "conductor cost": "That took {calls} calls and {usd}.",
    "conductor alone": "Split by the Conductor and not by the rules:",
    "conductor note": "A Conductor splits what it was trained to split. On a log with known stages "
    "the embedded one was measured in docs/audit.md; where it differs from the rules, read the "
    "examples.",
    "some unknown": "{usd} and {count} calls of unknown cost",
    "sent": "The prompts go to {where}{how}.",
    "sent.masked": ", masked",
    "sent.plain": " as they are; --mask masks addresses, numbers and keys",
    "next.1": "Read the examples of the first three kinds, and drop a kind whose prompts are one "
    "piece of work after all.",
    "next.2": "Take one prompt of each and see both answers side by side: `partbook compare PROMPT "
    "--systems single:WORKER,workflow:NAME`.",
    "next.3": "Collect 50 to 200 such prompts with right answers and measure: `partbook evaluate "
    "own.jsonl --pool mine.toml --systems worker:*,self-fusion,prompted --max-usd 20`.",
    "footer": "Nobody has run the split work: calls and cost if split are computed.",
}

_KOREAN: Mapping[str, str] = {
    "title": "우리 업무 가운데 여러 단계인 일",
    "kicker": "Partbook audit",
    "found": "프롬프트 {prompts}개 가운데 {several}개가 여러 단계를 요구합니다.",
    "tile.prompts": "프롬프트",
    "tile.several": "여러 단계(규칙)",
    "tile.spent": "여기에 쓴 돈",
    "tile.conductor": "Conductor가 나누겠다는 것",
    "of": "{count}개 가운데",
    "known": "전체 {amount} 가운데",
    "head.kinds": "업무의 종류(지출이 큰 순서)",
    "head.examples": "종류마다 하나씩",
    "head.conductor": "Conductor의 판단",
    "head.uncertain": "불확실한 점",
    "head.next": "다음에 할 일",
    "column.stages": "단계",
    "column.prompts": "프롬프트",
    "column.spent": "지출",
    "column.calls": "나눈 뒤 호출",
    "column.cost": "나눈 뒤 비용",
    "column.workflow": "워크플로",
    "column.agreed": "Conductor 동의",
    "note": "규칙으로 찾았으므로 암시만 된 단계는 놓칩니다. 나눈 뒤 비용은 단계마다 지금 호출 한 "
    "번만큼 든다고 본 값이며, 답이 좋아지는지는 `partbook evaluate`로만 알 수 있습니다.",
    "unknown": "{count}개는 비용이 없어 합계에 들어 있지 않습니다.",
    "conductor": "Conductor {name}이(가) 프롬프트 {prompts}개에서 무작위로 뽑은 {read}개를 "
    "읽었습니다. 여러 단계로 나누겠다고 한 것은 Conductor {several}개, 규칙 {rules}개, 둘 다 "
    "{both}개입니다.",
    "conductor none": "그중 {count}개에는 워크플로를 쓰지 못했습니다.",
    "conductor stopped": "{drawn}개 가운데 {read}개를 읽고 멈췄습니다: {why}",
    "conductor cost": "호출 {calls}번, 비용은 {usd}입니다.",
    "conductor alone": "규칙은 아니라고 했지만 Conductor가 나눈 것:",
    "conductor note": "Conductor는 훈련에서 배운 대로 나눕니다. 단계가 알려진 기록에서 내장 "
    "Conductor를 잰 결과가 docs/audit.ko.md에 있습니다. 규칙과 다르면 예를 직접 읽어 보세요.",
    "some unknown": "{usd}이며, {count}번은 비용을 알 수 없습니다",
    "sent": "프롬프트를 {where}(으)로 보냅니다{how}.",
    "sent.masked": "(개인정보는 가렸습니다)",
    "sent.plain": "(그대로 보냅니다. --mask를 주면 주소, 번호, 키를 가립니다)",
    "next.1": "위의 세 종류부터 예를 읽고, 사실은 한 덩어리인 일이면 뺍니다.",
    "next.2": "종류마다 프롬프트 하나를 골라 두 답을 나란히 봅니다: `partbook compare PROMPT "
    "--systems single:WORKER,workflow:NAME`.",
    "next.3": "정답이 있는 프롬프트를 50~200개 모아 잽니다: `partbook evaluate own.jsonl --pool "
    "mine.toml --systems worker:*,self-fusion,prompted --max-usd 20`.",
    "footer": "나눈 작업을 실제로 실행하지는 않았습니다. 나눈 뒤의 수치는 계산한 값입니다.",
}

_WORDS: Mapping[Language, Mapping[str, str]] = {"en": _ENGLISH, "ko": _KOREAN}


def told(language: Language, key: str, **values: str | int) -> str:
    """A text, with its names filled in; whole numbers get their commas."""
    return filled(_WORDS[language][key], values)
