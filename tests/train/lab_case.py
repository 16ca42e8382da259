"""A lab problem with a workflow that the scripted workers carry out rightly, and one wrongly."""

from partbook.train.row import Row

ROW = Row(
    "train-2-2",
    "Notes: Lara lives in Berlin, Carla lives in Lima, Mila lives in Sofia. "
    "Read where Mila lives, then find how many letters are in the result.",
    ("dee", "bo", "val"),
)
RIGHT = (
    'model_id = [0, 1]\nsubtasks = ["read where Mila lives", '
    '"find how many letters are in the result"]\naccess_list = [[], [0]]'
)
WRONG = RIGHT.replace("[0, 1]", "[1, 1]")
