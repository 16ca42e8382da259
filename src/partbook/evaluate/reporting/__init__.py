"""What was found, as data, text and a page.

summary.py       what was found, of figures.py, statistics.py and oracle.py
report.py        as data and text; texts.py: sentences; published.py: a paper's figures
page.py          as a page, of page_parts.py, page_cases.py, plots.py, plot_labels.py, markup.py
"""
