"""Sentences of a team's prompts, by hand: which of them ask for several stages, and which do not.

Those of one stage hold many words of the others: reports about searching, functions that check,
texts to translate that themselves give orders.
"""

TOPICS = (
    "office chairs", "the Q3 outage", "our refund policy", "three cloud vendors", "churn in Busan",
    "the new privacy law", "customer interviews", "the onboarding funnel", "battery suppliers",
    "the mobile checkout", "hotel bookings in May", "the support backlog", "last week's incidents",
    "competitor pricing", "the warehouse audit", "our hiring plan", "the beta feedback",
)  # fmt: skip

TOPICS_KO = (
    "고객 문의", "3분기 장애", "환불 정책", "경쟁사 가격", "부산 지역 이탈", "신규 개인정보법",
    "인터뷰 기록", "결제 화면", "배터리 공급사", "지난주 사고", "채용 계획", "베타 의견",
)  # fmt: skip

SEVERAL = (
    "Search for recent articles on {t}, judge which are reliable, and give me the best three.",
    "Extract the key figures about {t} from the text below, analyse the trend, and write a "
    "one-page report.",
    "First list all complaints about {t}. Then group them by cause. "
    "Finally draft a reply template.",
    "Find everything we know about {t} and then decide whether we should act this quarter.",
    "1. Collect the facts on {t}\n2. Compare the options\n3. Recommend one and say why",
    "Please look up {t}, summarize what you find, and verify every number against the source.",
    "Analyse {t} and write an email to the team with the conclusions.",
    "Calculate the monthly cost of {t} from the table, then explain to a manager what drives it.",
    "Can you research {t}, rank the candidates by price and quality, and prepare a slide outline?",
    "Identify the risks in {t}; score each from 1 to 5; draft mitigations for the top three.",
    "Outline a plan for {t}, implement the parser in Python, and test it on the sample rows.",
    "Read the attached notes on {t}. Pull out action items. Prioritize them. Write the minutes.",
    "Translate the feedback on {t} into English, classify it by topic and summarize each topic.",
    "You should classify each ticket about {t} and draft an answer for the urgent ones.",
)  # fmt: skip

IMPLIED = (
    "Which of the attached offers for {t} should we take, and what do we tell the others?",
    "I need a decision memo on {t}, with the evidence behind it, for Monday.",
    "What went wrong with {t} according to these logs, and how do we explain it to customers?",
    "Turn this raw data on {t} into a board-ready recommendation.",
)  # fmt: skip

SEVERAL_KO = (
    "{t} 자료를 검색하고 믿을 만한 것을 골라 주세요.",
    "{t}에서 핵심 수치를 추출한 뒤 추세를 분석해서 한 쪽짜리 보고서를 작성해 주세요.",
    "먼저 {t} 관련 불만을 나열하고, 원인별로 분류한 다음 답장 초안을 작성해줘.",
    "{t}를 조사해서 이번 분기에 대응할지 판단해 주세요.",
    "{t} 후보를 비교하고 하나를 추천해 주세요. 그 이유도 작성해 주세요.",
    "{t} 비용을 계산한 후 경영진용으로 요약해 주세요.",
    "{t} 의견을 번역하고 주제별로 분류해 주세요.",
)  # fmt: skip

IMPLIED_KO = (
    "{t} 관련해서 어느 안이 나은지, 고객에게는 뭐라고 할지 알려줘.",
    "{t}에 대한 의사 결정 메모가 월요일까지 필요해.",
)  # fmt: skip

ONE = (
    "Write a short blog post about {t}.",
    "Write a memo on how to search, compare and rank {t}.",
    "Summarize the following text about {t}: the team will search for vendors, then decide.",
    "Translate to Korean: \"First search for the file, then check it and write a report to us.\"",
    "What is the capital of France?",
    "Is {t} covered by the contract?",
    "Explain {t} in two sentences.",
    "Write a function to parse and validate dates for {t}.",
    "Fix this bug: the search page for {t} crashes when the list is empty.",
    "List five synonyms for {t}.",
    "Draft a polite reminder about {t}.",
    "How do I compare {t} with last year?",
    "Rank these by price: {t}, desks, lamps.",
    "Review of {t} attached. Thoughts?",
    "Calculate 17.5 % of the cost of {t}.",
    "Proofread this sentence about {t}, please.",
    "Give me a title for a talk on analysing {t} and writing reports.",
    "Hi, can you tell me who is responsible for {t}?",
    "Summarize {t} in three bullet points and keep it under 50 words.",
    "Write a product description for {t} with a warm tone, and use no jargon.",
    "Classify this message as spam or not: win a prize, collect it now, then call us.",
    "Convert this table about {t} to JSON.",
    "Write unit tests for a function that finds and ranks {t}.",
    "Act as a pirate and talk about {t}.",
    "Score this essay on {t} from 1 to 10.",
    "The report on {t} is late. Write an apology.",
)  # fmt: skip

ONE_KO = (
    "{t}에 대한 짧은 블로그 글을 작성해 주세요.",
    "{t}를 분석하는 방법을 알려 주세요.",
    "{t}의 담당자는 누구인가요?",
    "다음 문장을 번역해 주세요: 파일을 찾고, 확인한 뒤 보고서를 작성하라.",
    "{t}를 세 줄로 요약해줘.",
    "{t} 분석 보고서의 제목을 추천해 주세요.",
    "{t}를 분류해 주세요.",
    "검색과 비교가 끝난 {t} 자료의 맞춤법을 교정해 주세요.",
    "{t}가 계약에 포함되나요?",
)  # fmt: skip

# Written after the rules were finished; the rules have not been changed since.

LATER_SEVERAL = (
    "Go through the survey on {t}, tag every answer with a theme and write up the main findings.",
    "Here is a transcript about {t}. Work out who promised what, and send me a follow-up draft.",
    "Get the latest figures on {t}, check them against our spreadsheet, and flag differences.",
    "Evaluate the three proposals for {t} and write a rejection letter for the weakest.",
    "Could you find the relevant clauses on {t} and then summarize what they mean for us?",
    "Step 1: gather requirements for {t}. Step 2: design the schema. Step 3: implement it in SQL.",
    "Compare {t} with two alternatives, choose one, and draft the announcement.",
    "List the open questions on {t}, then answer each one from the handbook.",
    "Debug the failing job for {t}, and afterwards write a post-mortem.",
    "Estimate the effort for {t} and recommend who should do it.",
)  # fmt: skip

LATER_ONE = (
    "Write a summary of {t} and nothing else.",
    "Find a better word for \"analysis\" in a sentence on {t}.",
    "Draft an agenda: review {t}, discuss the budget, decide on dates.",
    "What are the steps to evaluate {t}?",
    "Describe {t} to a child.",
    "Create a checklist for people who research, compare and buy {t}.",
    "Check whether {t} is spelled correctly.",
    "Why did {t} cost more in June than in May?",
    "Write the SQL query that selects rows about {t} and sorts them.",
    "Rephrase: we will analyse {t} and report back.",
    "Give three pros and three cons of {t}.",
    "Reply to this mail: please find the file on {t} and send it.",
    "Write a haiku about {t}, and make it funny.",
    "Generate a regular expression that finds dates in texts about {t}.",
)  # fmt: skip

LATER_SEVERAL_KO = (
    "{t} 설문을 읽고 주제를 분류한 뒤 핵심을 요약해 주세요.",
    "{t} 계약 조항을 찾아서 우리에게 불리한지 판단해줘.",
    "{t} 수치를 확인하고 차이가 나면 보고서를 작성하세요.",
    "{t} 세 가지 안을 평가하고 탈락 안내문을 써 주세요.",
)  # fmt: skip

LATER_ONE_KO = (
    "{t} 요약 메일을 써 주세요.",
    "{t}를 비교할 때 쓰는 표 양식을 만들어줘.",
    "{t}를 조사하고 보고하는 일정이 언제인가요?",
    "{t}에 어울리는 단어를 찾아줘.",
    "{t}가 6월에 왜 더 비쌌나요?",
)  # fmt: skip
