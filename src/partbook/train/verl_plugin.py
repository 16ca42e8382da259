"""Makes verl know our estimator of advantages; imported by verl, in verl's environment.

`VERL_USE_EXTERNAL_MODULES=partbook.train.verl_plugin` has verl import it in every process.
"""

from verl.trainer.ppo.core_algos import register_adv_est  # type: ignore[import-not-found]

from partbook.train.verl import ESTIMATOR, advantages_of_whole_groups

__all__: list[str] = []

register_adv_est(ESTIMATOR)(advantages_of_whole_groups)
