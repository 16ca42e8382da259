"""Economy: what a team pays now, and what it would pay if its work were done otherwise.

What was computed and what was run are never mixed.

Bills
    read.py           files of providers into one bill
    bill.py           what was paid, by month and model
    shapes.py         which columns make which provider's bill
    tables.py         a CSV file as rows; rows.py, wording.py: from a row to a charge
    documents.py      JSON of any length as objects; objects.py: from an object to a charge
    decode.py         from bytes to text; amounts.py: numbers and months as bills spell them
    stored.py         the bill of our own store

Savings
    wishes.py         what is asked of a bill
    answer.py         what was spent, what it would be otherwise, what is uncertain
    figure.py         one number of it, with its formula
    estimated.py      the same work with fewer calls, or at other prices (priced.py)
    measured.py       what two systems really took for the same problems
    sheet.py          as CSV and JSON; page.py, page_parts.py: as a page

Audit
    prompts.py        logs of prompts
    stages.py         which kinds of work a prompt asks for
    audit.py          kinds of work, the dearest first; audit_page.py: as a page
    conducted.py      what a Conductor makes of them; sketching.py: of one of them
    mask.py           texts without personal data

Preferences
    pairwise.py       which of two answers a model prefers
    ratings.py        who was preferred to whom, kept in a file
    shadow_page.py    an experiment beside what is served

Words and pages
    words.py          in English (words_en.py) and in Korean (words_ko.py); audit_words.py,
                      shadow_words.py
    frame.py          what every page has
"""
