"""What the answer says, in Korean. Keys and names in braces are those of `words_en.py`."""

from collections.abc import Mapping

__all__ = ["KOREAN"]

KOREAN: Mapping[str, str] = {
    # 수치
    "spend": "이달 지출",
    "calls": "이달 호출 수",
    "tokens": "읽고 쓴 토큰",
    "listed": "같은 모델의 정가로 계산한 같은 토큰",
    "fewer.cost": "호출이 {fewer} % 줄어든 경우의 한 달",
    "fewer.total": "호출이 {fewer} % 줄고 Conductor 비용을 낸 한 달",
    "fewer.gross": "호출 비용 감소분",
    "fewer.most": "작업당 Conductor 비용의 상한",
    "fewer.conductor": "Conductor 자체 비용",
    "fewer.net": "Conductor 비용을 뺀 월 절감액",
    "fewer.even": "이득이 나기 시작하는 월 작업 수",
    "one.cost": "지금 작업당 호출이 1번이고 {steps}번이 되는 경우의 한 달",
    "pool.worker": "이달 토큰 전부를 처리한 경우: {pool}의 {worker}",
    "run.baseline": "작업 1000건, {baseline}",
    "run.system": "작업 1000건, {system}",
    "run.ratio": "{baseline} 1달러당 {system}",
    "run.calls": "{system}의 작업당 호출 수",
    "run.right": "{system}의 정답률",
    "run.points": "{baseline} 대비 정답률 차이",
    "carried.cost": "{system} 방식으로 처리한 경우의 한 달",
    "carried.net": "{system} 방식의 월 절감액",
    "carried.even": "{system} 방식이 이득이 나기 시작하는 월 작업 수",
    # 수식의 문자
    "letter.B": "이달 모델 호출 요금",
    "letter.X": "그 밖의 요금(검색, 저장, 세금 등)",
    "letter.V": "크레딧(0보다 작음)",
    "letter.f": "줄어드는 호출의 비율",
    "letter.C": "이달 호출 수",
    "letter.k": "현재 작업당 호출 수",
    "letter.K": "작업당 Conductor 호출 비용(달러)",
    "letter.G": "Conductor용 GPU의 월 비용: 시간당 달러 × 시간",
    "letter.R": "읽은 토큰",
    "letter.H": "R 가운데 캐시에서 읽은 토큰",
    "letter.U": "R 가운데 캐시에 쓴 토큰",
    "letter.u": "그 토큰 백만 개당 달러",
    "letter.Z": "R 가운데 캐시에 한 시간 두는 토큰",
    "letter.z": "그 토큰 백만 개당 달러",
    "letter.W": "쓴 토큰",
    "letter.p": "읽은 토큰 백만 개당 달러",
    "letter.c": "캐시에서 읽은 토큰 백만 개당 달러",
    "letter.q": "쓴 토큰 백만 개당 달러",
    "letter.a": "기준의 문제당 달러(실측)",
    "letter.b": "비교 대상의 문제당 달러(실측)",
    "letter.ρ": "b / a",
    "letter.N": "양쪽 모두 채점된 문제 수",
    # 종류와 범위
    "kind.bill": "청구서",
    "kind.estimated": "추정",
    "kind.measured": "실측",
    "range.95 %": "95 %: {low} ~ {high}",
    "range.models": "{low} ~ {high}, 어느 모델의 호출이 줄어드는지에 따라",
    "unknown": "알 수 없음",
    # 알 수 없는 이유
    "no cost": "청구서에 비용이 없습니다",
    "no calls": "청구서에 호출 수가 없습니다",
    "no tokens": "청구서에 {model}의 토큰 수가 없습니다",
    "no price": "{worker}의 가격을 알 수 없습니다. 풀 파일이나 가격 파일에 적어 주세요",
    "no list price": "{model}의 정가가 없거나 청구서에 토큰 수가 없습니다",
    "no rate": "청구서가 {currency} 기준입니다. 환율을 주세요: --rate {currency}=...",
    "never even": "작업량이 아무리 많아도 이득이 나지 않습니다. 작업당 비용이 같거나 더 큽니다",
    "no price measured": "평가에 가격을 모르는 호출이 있습니다. 워커에 `price`를 적어 주세요",
    "free baseline": "평가에서 {baseline}의 비용이 0이었습니다",
    # 경고
    "rise estimated": "Conductor 비용까지 더하면 총액이 한 달에 {amount} 늘어납니다.",
    "rise measured": "실측대로라면 총액이 한 달에 {amount} 늘어납니다. "
    "오케스트레이션은 호출 한 번보다 비쌀 수 있습니다.",
    "rise possible": "실측 구간으로 보면 총액이 한 달에 최대 {amount} 늘어날 수도 있습니다.",
    "rise one call": "지금 작업마다 호출이 한 번뿐이라면, 작업당 {steps}번 호출은 한 달에 "
    "{amount} 더 듭니다. 오케스트레이션은 호출 한 번보다 비쌀 수 있습니다.",
    "worse": "{system}의 정답률이 기준보다 낮았습니다: {low} ~ {high}점(95 %).",
    "maybe worse": "{system}의 정답률이 기준보다 낮을 가능성을 배제할 수 없습니다: "
    "{low} ~ {high}점(95 %).",
    # 참고
    "assumed": "추정은 줄어드는 호출의 비용이 나머지와 같고, 다른 모델도 같은 수의 토큰을 쓴다고 "
    "가정합니다. 실제로 실행해 본 것이 아닙니다.",
    "of the paper": "40 % 감소는 논문의 수치로, 허용된 5단계 중 평균 3단계를 쓴다는 뜻입니다. "
    "저자들 자신의 벤치마크에서 잰 값이며(arXiv:2512.04388, ICLR 2026), 우리 팀의 호출 수가 아니라 "
    "워크플로의 단계 수를 셉니다.",
    "no overhead": "추정에는 Conductor 자체 비용이 들어 있지 않습니다. --conductor-price와 "
    "--conductor-tokens 또는 --gpu-usd-per-hour를 주세요.",
    "not measured": "답의 품질이 유지되는지는 여기서 알 수 없습니다. 팀의 작업으로 `partbook "
    "evaluate`를 실행하고 그 폴더를 --measured로 주세요.",
    "carried over": "{tasks}의 {n}문제에서 잰 비율을 청구서에 적용했습니다. 팀의 업무가 그 문제와 "
    "비슷한 만큼만 맞습니다.",
    "few problems": "{n}문제는 적습니다. 값보다 구간을 보세요.",
    "twice": "{file}: {cells}의 내용이 앞 파일에도 있어 더했습니다. 같은 사용량이 두 번 들어간 "
    "것은 아닌지 확인하세요.",
    "other services": "{file}: Google Cloud의 다른 서비스 {count}행은 제외했습니다.",
    "free rows": "{file}: {count}행은 토큰이 있는데 비용이 0입니다. 무료이거나, 기록한 쪽이 가격을 "
    "몰랐던 것입니다.",
    "unused": "{file}: 읽지 않은 열: {columns}.",
    "rate": "{file}: {currency} 금액을 환율 {rate}로 달러로 바꿨습니다.",
    "assumed dollars": "{file}에 통화가 없어 미국 달러로 보았습니다.",
    "missing months": "{months}의 행이 없습니다. 쓰지 않았거나 내보내기에서 빠졌습니다.",
    "part of a month": "{month}에는 {day}일까지만 있습니다. 한 달 전체가 아닐 수 있습니다.",
    "listed base": "{models}의 비용이 청구서에 없어, 토큰에 정가를 곱한 값을 썼습니다. "
    "할인은 빠져 있습니다.",
    "no cost of": "{models}의 비용은 알 수 없어 어느 합계에도 들어 있지 않습니다.",
    "blank costs": "{rows}행은 비용이 비어 있어 어느 합계에도 들어 있지 않습니다.",
    "credits": "크레딧({amount})은 그대로 두었습니다.",
    "other charges": "모델에 속하지 않는 요금({amount})은 그대로 두었습니다.",
    "calls unknown": "청구서에 호출 수가 없어 작업당 수치는 없습니다. --calls로 줄 수 있습니다.",
    # 페이지
    "title": "호출을 줄이면 얼마나 절감되는가",
    "kicker": "Partbook savings",
    "facts": "{month} · {sources}",
    "tile.spend": "{month} 지출",
    "tile.estimated": "추정, 호출 {fewer} % 감소",
    "tile.measured": "실측, {system}",
    "tile.quality": "정답률(실측)",
    "tile.not measured": "재지 않음",
    "head.spend": "지금 쓰는 돈",
    "lead.spend": "모델별 이달 요금이며, 크레딧은 빼지 않았습니다.",
    "head.would": "쓰게 될 돈",
    "lead.would": "두 종류의 수치이며 서로 섞지 않습니다. 추정: 같은 청구서를 달리 계산한 것으로, "
    "실행한 것이 아닙니다. 실측: 같은 작업을 양쪽 모두 실제로 실행한 것입니다.",
    "head.pool": "다른 모델로 처리한 같은 토큰",
    "lead.pool": "추정: 이달 토큰 전부를 {pool} 풀의 각 워커 가격으로 계산했습니다. 다른 모델은 "
    "토큰을 더 쓰거나 덜 쓸 수 있고, 답이 더 좋거나 나쁠 수 있습니다.",
    "head.quality": "품질의 변화",
    "head.uncertain": "불확실한 점",
    "head.weeks": "앞으로 2주 동안 할 일",
    "head.figures": "모든 수치와 수식",
    "lead.figures": "금액은 CSV와 JSON에서 정확하고, 여기서는 반올림했습니다.",
    "column.figure": "수치",
    "column.value": "값",
    "column.range": "범위",
    "column.formula": "수식",
    "column.inputs": "입력",
    "column.model": "모델",
    "column.calls": "호출",
    "column.tokens": "토큰",
    "column.cost": "비용",
    "column.month": "월",
    "now": "현재",
    "quality.none": "재지 않았습니다. 청구서로 한 추정은 품질을 말해 주지 못합니다.",
    "quality": "{tasks}의 {n}문제에서 정답률은 {system} {ours} %, {baseline} {theirs} %입니다. "
    "차이는 {low} ~ {high}점(95 %)입니다.",
    "week.1": "1~3일: 검색 → 판단, 분석 → 작성, 추출 → 분석 → 보고 같은 작업 세 가지를 고르고, "
    "정답이 있는 예를 50~200개 모읍니다. 프롬프트 기록에서 그런 작업을 찾는 명령은 "
    "`partbook audit`입니다.",
    "week.2": "4~5일: 종류마다 프롬프트 하나를 골라 두 답을 나란히 읽어 봅니다: "
    "`partbook compare PROMPT --systems single:WORKER,workflow:extract-analyse-draft`.",
    "week.3": "6~8일: 한도를 두고 잽니다: `partbook evaluate own.jsonl --pool mine.toml "
    "--systems worker:*,self-fusion,prompted --max-usd 20`. `--dry-run`은 비용을 미리 알려 줍니다.",
    "week.4": "9~10일: --measured를 붙여 이 보고서를 다시 만듭니다. 정답률 구간이 받아들일 수 없는 "
    "손실을 배제하고 총액이 줄 때만 계속합니다.",
    "footer": "추정과 실측 수치는 서로 더하지 않습니다.",
    "rest": "외 {count}개",
}  # fmt: skip
