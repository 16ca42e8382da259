"""Evaluation: a Conductor beside everything that a user would pick in its place.

`system` is the seam: whatever answers a question with a pool is a `System`, and the runner, the
statistics and the report know nothing else about it.

    system.py        the seam: System, and the Sitting in which it meets a problem
    catalogue.py     the systems by name; kinds.py: what each kind is; building.py: makes them
    alone.py         one worker: alone, with more room, voting, reflecting, merging itself
    conducted.py     Conductors; plans.py: fixed and random workflows; mixture.py: layers of all
    router_dc.py     routers that learn, as are mas_router.py (teams.py) and smoothie.py;
                     learning.py, encoder.py, minilm.py: what they share
    asking.py        how a system asks workers; wording.py: in which words; voting.py: majorities
    system_plugin.py a system of an installed package

    posed.py         a problem as all systems meet it; protocol.py: a whole evaluation as a file
    measured.py      the workers on another split; preparing.py: all that systems learn from
    runner.py        plays what is missing; desk.py: one cell; spreading.py: on other machines
    calls.py         no call is paid twice; till.py: what lies before a model
    cell.py          what came of it; results.py: the file; identity.py: whose results they are
    estimate.py      what it would take; rehearsing.py: for systems that learn

    summary.py       what was found, of figures.py, statistics.py and oracle.py
    report.py        as data and text; texts.py: sentences; published.py: a paper's figures
    page.py          as a page, of page_parts.py, page_cases.py, plots.py, plot_labels.py, markup.py

    shadow.py        the running verdict on a system that answers live requests in secret;
                     sequential.py: its interval; shadow_journal.py: its file
"""
