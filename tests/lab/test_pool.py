import pytest

from partbook.errors import ConfigError
from partbook.lab.operations import SKILLS
from partbook.lab.pool import CARDS, CLAIMS, GUEST_CARDS, GUESTS, PROFILES, lab_pool, lab_worker
from partbook.pool import AgentPool
from tests.fakes import Echo, pool_of

BEST = {
    "arithmetic": "ada",
    "letters": "bo",
    "counting": "bo",
    "sorting": "cy",
    "dates": "dee",
    "bases": "cy",
    "units": "ada",
    "lookup": "dee",
}


def test_every_skill_has_one_worker_that_is_clearly_the_best():
    for skill in SKILLS:
        first, second = sorted(PROFILES, key=lambda p: p.reliability(skill), reverse=True)[:2]
        assert first.name == BEST[skill]
        assert first.reliability(skill) >= second.reliability(skill) + 0.1


def test_cards_leave_something_that_only_reward_can_teach():
    open_questions = {skill for skill in SKILLS if CLAIMS[skill] != (BEST[skill],)}

    assert open_questions == {"sorting", "bases", "units"}
    assert all(BEST[skill] in CLAIMS[skill] for skill in ("sorting", "bases"))


def test_a_claim_is_a_word_on_a_card():
    words = {
        "arithmetic": "sums",
        "letters": "words",
        "counting": "counting",
        "sorting": "sorting",
        "dates": "dates",
        "bases": "number bases",
        "units": "units",
        "lookup": "notes",
    }
    for skill, word in words.items():
        assert CLAIMS[skill] == tuple(name for name, card in CARDS.items() if word in card)


def test_the_distractor_is_the_worst_everywhere():
    (zed,) = (profile for profile in PROFILES if profile.name == "zed")

    for skill in SKILLS:
        assert zed.reliability(skill) == min(p.reliability(skill) for p in PROFILES)
    assert zed.keeps == min(profile.keeps for profile in PROFILES)


def test_prices_differ_and_the_generalist_is_the_dearest():
    prices = {w.name: w.spec.price.output_usd for w in lab_pool().workers}

    assert max(prices, key=prices.get) == "gus"
    assert min(prices, key=prices.get) == "tim"
    assert len(set(prices.values())) == 5


def test_a_pool_can_be_ordered_and_be_smaller():
    assert lab_pool().names == ("ada", "bo", "cy", "dee", "gus", "tim", "val", "zed")
    assert lab_pool(order=("zed", "ada")).names == ("zed", "ada")


@pytest.mark.parametrize("order", [("eve",), ("ada", "ada")])
def test_a_name_that_is_unknown_or_stands_twice_is_refused(order):
    with pytest.raises(ConfigError, match="each at most once; found"):
        lab_pool(order=order)


def test_another_world_has_other_slips():
    ask = ("Reverse the word lantern.", "Reverse the word lantern.")

    answers = {lab_worker(lab_pool(seed), 4).answer(*ask) for seed in range(20)}

    assert len(answers) > 1


def test_only_lab_workers_have_a_profile():
    pool: AgentPool = pool_of(Echo("a"))

    with pytest.raises(ConfigError, match="'w0' of pool 'test' is no lab worker"):
        lab_worker(pool, 0)


def test_guests_come_only_where_they_are_named():
    assert lab_pool().names == ("ada", "bo", "cy", "dee", "gus", "tim", "val", "zed")
    assert lab_pool(order=["ned", "ada"]).names == ("ned", "ada")
    assert lab_pool(order=["ned"])[0].spec.card == "dates, sums"


def test_guests_cards_are_new_and_made_of_known_words():
    known = {word for card in CARDS.values() for word in card.replace(",", "").split()}

    assert set(GUEST_CARDS) == {guest.name for guest in GUESTS}
    assert not set(GUEST_CARDS.values()) & set(CARDS.values())
    for card in GUEST_CARDS.values():
        assert set(card.replace(",", "").split()) <= known


def test_guests_do_what_their_cards_name_and_one_card_promises_too_much():
    words = {"dates": "dates", "arithmetic": "sums", "letters": "words", "lookup": "notes"}
    for skill, word in words.items():
        best = max(GUESTS, key=lambda guest: guest.reliability(skill))
        assert word in GUEST_CARDS[best.name]
    (liar,) = (guest for guest in GUESTS if guest.name == "jon")
    assert "words" in GUEST_CARDS["jon"]
    assert liar.reliability("letters") == 0.03
