"""What is compared.

catalogue.py     the systems by name; kinds.py: what each kind is; building.py: makes them
alone.py         one worker: alone, with more room, voting, reflecting, merging itself
conducted.py     Conductors; plans.py: fixed and random workflows; mixture.py: layers of all
router_dc.py     routers that learn, as are mas_router.py (teams.py) and smoothie.py;
                 learning.py, encoder.py, minilm.py: what they share
measured.py      the workers on another split, from which systems learn
asking.py        how a system asks workers; wording.py: in which words; voting.py: majorities
system_plugin.py a system of an installed package
"""
