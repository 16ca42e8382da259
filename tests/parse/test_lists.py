import pytest

from partbook.errors import ParseError
from partbook.parse.lists import find_lists


def test_the_lists_come_as_they_were_written():
    found = find_lists('subtasks = ("a", 7)\nmodel_id = ["3", null]\naccess_list = all')

    assert found == {"model_id": ["3", None], "subtasks": ["a", 7], "access_list": "all"}


def test_lists_that_stand_in_sentences_count_only_together():
    together = 'So model_id = [1], subtasks = ["a"], access_list = [[]] will do.'
    apart = 'So model_id = [1] will do.\nThen subtasks = ["a"] is it.\nAnd access_list = [[]] too.'

    assert find_lists(together)["model_id"] == [1]
    with pytest.raises(ParseError) as caught:
        find_lists(apart)
    assert caught.value.reason == "missing_list"


def test_a_list_in_a_sentence_does_not_complete_lists_on_lines():
    with pytest.raises(ParseError, match="model_id and subtasks without access_list"):
        find_lists('Say access_list = [[]] is right.\nmodel_id = [1]\nsubtasks = ["a"]\n')


def test_lists_in_another_order_are_kept_apart_too():
    one = 'access_list = [[]]\nmodel_id = [{0}]\nsubtasks = ["{0}"]\n'

    assert find_lists(one.format(1) + one.format(2))["subtasks"] == ["2"]


def test_the_place_of_a_fault_is_a_line_of_the_text():
    with pytest.raises(ParseError, match=r"^subtasks, line 4: "):
        find_lists('Plan:\n\nmodel_id = [1]\nsubtasks = ["a" + "b"]\naccess_list = [[]]')


def test_more_lists_than_anyone_means_are_refused():
    with pytest.raises(ParseError) as caught:
        find_lists("model_id = [1]\n" * 1001)

    assert caught.value.reason == "too_many_lists"
