"""What the documents show and their test does not run, or not compare, each with its reason.

A command is named by its page and how it begins; of several entries that fit, the longest counts.
Commands of `partbook` in this list are still read with all their options, by `tests/test_docs.py`.
"""

HOURS = "trains for minutes to hours; the mechanics are in tests/train"
HUB = "fetches a data set or a model from the Hugging Face hub"
OWN = "a file of the reader's own, with columns of its own"
OTHERS = "a program of others that is not installed here"
CONTAINERS = "needs Docker or Kubernetes"
LONG = "minutes of a core"

KEYS: dict[str, tuple[str, ...]] = {
    "README.md": ("partbook pool check frontier", "partbook run --pool frontier"),
    "README.ko.md": ('partbook compare "고객',),
    "docs/compare.md": (
        'partbook compare "Find three names',
        "partbook compare --file prompts.jsonl",
    ),
    "docs/quickstart.md": ("partbook pool check frontier", "partbook run --pool frontier"),
    "docs/guides/training-7b.md": ("partbook pool check frontier",),
    "docs/serving.md": ("partbook serve --processes", "partbook serve --pool open"),
    "docs/pool.md": (
        "partbook run --pool mine.toml --exclude",
        "partbook run --pool frontier",
        "partbook run --pool mine.toml --demand no-customer-data",
    ),
}
"""Need somebody's API key: here they must end with the sentence that says which one is missing."""

MODELS: dict[str, tuple[str, ...]] = {
    "README.ko.md": ('partbook compare "How many times',),
    "docs/audit.md": ("partbook audit log.jsonl --mask --conductor",),
    "docs/audit.ko.md": ("partbook audit log.jsonl --mask --conductor",),
    "docs/compare.md": ('partbook compare "How many times',),
    "docs/conductor.md": (
        "partbook plan --conductor smollm2-135m",
        "partbook run --conductor Qwen/",
        "partbook run --conductor http",
    ),
    "docs/judges.md": ('echo \'{"question": "Name a metal."',),
    "docs/page.md": ("partbook serve",),
    "docs/pool.md": ("partbook run --pool mine.toml --only local",),
    "docs/recursion.md": ("partbook run -c",),
    "docs/deploy.md": ("partbook serve",),
    "docs/serving.md": ("partbook serve",),
    "docs/clients.md": ("partbook serve",),
    "docs/shadow.md": ("partbook serve",),
    "docs/store.md": ("partbook serve",),
    "docs/tasks.md": ("partbook task check greetings.jsonl -n 0 --grader",),
    "docs/workflow.md": (
        "partbook run --workflow",
        "partbook serve --workflow",
        "partbook compare",
        "partbook workflow new ours",
    ),
}
"""Need models of hundreds of MB: here they must end with the sentence that says how to get them."""

NOT_RUN: dict[str, dict[str, str]] = {
    "README.md": {"import asyncio, partbook": "590 MB of models; examples/start.ipynb is run"},
    "docs/many-machines.md": {"partbook": "needs a cluster; tests/spread starts one"},
    "docs/speed.md": {
        ".venv/bin/python bench/sheet.py": LONG,
        "MOCK_BASE=": "needs valgrind, and minutes of a core",
    },
    "docs/quickstart.md": {
        ". .venv": "sets up what runs this test",
        "export OPENAI_API_KEY": "a key of the reader's",
    },
    "README.ko.md": {
        "python3 -m venv": "sets up what runs this test",
        ". .venv": "sets up what runs this test",
        "partbook models pull": "590 MB",
        "partbook savings 청구서.csv": OWN,
        "partbook audit 기록.csv": OWN,
        'partbook compare "Sort': "asks a person which answer is better",
        "partbook compare --summary": "sums up what a person said",
    },
    "docs/audit.ko.md": {"partbook audit 기록.csv": OWN},
    "docs/audit.md": {
        "partbook audit --store": "the store has no prompts yet",
        "python bench/audit.py --conductor": "asks the embedded Conductor a hundred times",
    },
    "docs/claims.md": {"partbook reproduce": HOURS, "partbook reproduce --report": HOURS},
    "docs/clients.md": {
        "from langchain": OTHERS,
        "from llama_index": OTHERS,
        "from litellm": OTHERS,
        "llm ": OTHERS,
    },
    "docs/compare.md": {
        'partbook compare "Sort': "asks a person which answer is better",
        "partbook compare --summary": "sums up what a person said",
    },
    "docs/conductor.md": {
        "partbook run --conductor runs/out": HOURS,
        "partbook run --conductor conductor.gguf": HOURS,
        "partbook run --conductor smollm2-135m+adapter": HOURS,
        "partbook train export": HOURS,
    },
    "docs/deploy.md": {
        "cd deploy": CONTAINERS,
        "cp example.env": CONTAINERS,
        "docker": CONTAINERS,
        "curl": CONTAINERS,
        "kubectl": CONTAINERS,
        "helm": CONTAINERS,
    },
    "docs/evaluate.md": {
        "partbook evaluate gsm8k": HUB,
        "partbook evaluate --config runs/paper": HUB,
        "partbook evaluate --config runs/embedded": LONG,
        "inspect eval": "needs a task file of the reader's own",
    },
    "docs/evaluation.md": {
        "partbook evaluate": LONG,
        "partbook train": HOURS,
        ".venv/bin/python": "hours of a core",
    },
    "docs/release.md": {
        "make": "makes the environment anew that runs this test; minutes",
        "python3 -m venv": "of a version that is not out",
        "empty/bin/partbook": "of a version that is not out",
    },
    "docs/runs.md": {
        "partbook show 40ddcf": "a run of the writer of the page; tests/e2e shows others",
        "partbook resume": "a run of the writer of the page; tests/e2e resumes others",
    },
    "docs/guides/training-laptop.md": {
        "partbook train": HOURS,
        "partbook run --pool lab --conductor": "a policy that the commands above train",
    },
    "docs/guides/training-7b.md": {
        "partbook train": "needs GPUs",
        "partbook task check gsm8k": HUB,
        "partbook evaluate --config runs/paper": HUB,
        "accelerate": "needs GPUs",
    },
    "docs/plugins.md": {
        "@asynccontextmanager": "a part of a package; examples/plugin is a whole one",
        "partbook plugins": "lists what is installed here",
    },
    "docs/simulate.md": {"partbook simulate": LONG, "python bench/simulate.py": LONG},
    "docs/savings.ko.md": {
        "partbook savings 청구서.csv": OWN,
        "partbook evaluate own.jsonl": OWN,
    },
    "docs/savings.md": {
        "partbook savings --store": "the store has no runs yet",
        "partbook evaluate own.jsonl": OWN,
        "partbook savings examples/bills/plain.csv --measured": OWN,
        "partbook savings bill.csv --column": OWN,
        "python bench/big_bill.py": LONG,
    },
    "docs/shadow.md": {"partbook shadow": "the shadow has seen no requests yet"},
    "docs/store.md": {
        "createdb": "needs a PostgreSQL server; tests/store has one",
        "export PARTBOOK_STORE": "needs a PostgreSQL server; tests/store has one",
        "partbook keys": "needs a PostgreSQL server; tests/store has one",
        "sqlite3": OTHERS,
        "pg_dump": OTHERS,
        "python bench/store.py": LONG,
    },
    "docs/tasks.md": {"partbook task show math500": HUB, "partbook task check math500": HUB},
    "docs/workflow.md": {"partbook workflow new again": "a run of the writer of the page"},
    "docs/page.md": {"cd web": "needs Node"},
    "docs/training.md": {
        "partbook train": HOURS,
        "python -m torch": HOURS,
        "accelerate": "needs GPUs",
    },
}
"""Page and how the command begins -> why it is not run."""

VARIES: dict[str, dict[str, str]] = {
    "docs/money.md": {"partbook runs --costs": "runs of the writer of the page"},
    "docs/quickstart.md": {"partbook show": "an id and a time"},
    "docs/runs.md": {"partbook runs": "ids and times"},
}
"""Page and how the command begins -> why what it prints here need not be what the page shows."""

GIVEN: dict[str, tuple[str, ...]] = {
    "docs/evaluate.md": ("docs/pool.md:mine.toml",),
    "docs/tasks.md": (
        "docs/tasks.md:planets.jsonl",
        "docs/tasks.md:short.jsonl",
        "docs/tasks.md:greetings.jsonl",
    ),
}
"""Page -> files that its commands find, as `PAGE:FILE` of the page that shows them."""

UNPRICED = (
    'printf \'name = "mine"\\nworkflow = "single"\\n'
    '[[workers]]\\nname = "own"\\nkind = "http"\\nendpoint = "http://127.0.0.1:9/v1"\\n'
    'model = "m"\\ncard = "all"\\nroles = ["general"]\\n\' > mine.toml'
)
"""A pool whose only worker has no price."""

CHEAP = (
    'printf \'name = "cheap"\\n[[workers]]\\nname = "tim"\\nkind = "lab"\\nmodel = "tim"\\n'
    'card = "small tasks"\\nroles = ["general"]\\n\' > cheap.toml'
)
"""A pool of a script whose worst case is below the limits that the pages' requests have."""

BEFORE: dict[str, tuple[str, ...]] = {
    "README.ko.md": (
        "cp examples/bills/openai-usage.csv usage.csv",
        "cp examples/bills/openai-costs.csv costs.csv",
    ),
    "docs/audit.md": ("python bench/audit.py --write log.jsonl",),
    "docs/compare.md": ('echo \'{"prompt": "Name a metal."}\' > prompts.jsonl',),
    "docs/clients.md": (CHEAP,),
    "docs/guides/limits.md": (UNPRICED,),
    "docs/money.md": (UNPRICED,),
    "docs/runs.md": ('partbook run --pool lab "Count the vowels in the word castle."',),
    "docs/serving.md": (CHEAP,),
    "docs/savings.ko.md": (
        "cp examples/bills/openai-usage.csv usage.csv",
        "cp examples/bills/openai-costs.csv costs.csv",
        "cp examples/bills/google-cost-table.csv google.csv",
    ),
    "docs/savings.md": (
        "printf 'month,model,calls,cost\\n2026-10,a,3,1.5\\n2026-10,b,2,much\\n' > bill.csv",
    ),
    "docs/tasks.md": (
        'printf \'{"id": "good", "question": "Spell b twice.", "answer": "bb", "pattern": "b+"}\\n'
        '{"id": "bad", "question": "Spell a twice.", "answer": "aa", "pattern": "b+"}\\n\''
        " > spelling.jsonl",
        'printf \'{"question": "a", "choices": ["x", "y"], "answer": "C"}\\n'
        '{"question": "", "choices": ["x", "y"], "answer": "A"}\\n'
        '{"question": "b", "choices": ["x", "x"], "answer": "A"}\\n'
        '{"question": "c", "choices": ["x", "y"]}\\n\' > broken.jsonl',
        "printf 'question,answer\\n\\xbc\\xad\\xbf\\xef,a\\n' > k.csv",
    ),
    "docs/workflow.md": (
        'printf \'name = "bad"\\n[[steps]]\\nworker = "genral"\\nsubtask = "a"\\naccess = [0]\\n'
        '\\n[[steps]]\\nworker = "general"\\nsubtask = " "\\n\' > bad.toml',
    ),
}
"""Page -> commands that make what a reader of the page already has."""

STAND_IN: dict[str, str] = {
    "docs/clients.md": "partbook serve --pool cheap.toml --workflow single",
    "docs/serving.md": "partbook serve --pool cheap.toml --workflow single",
}
"""Page -> the server that its requests are sent to, in place of one that asks real models."""
