"""Choose the credentials of a judge, which gets no other service's key."""

from collections.abc import Sequence
from dataclasses import replace

from chronotope.models import Credentials, ModelSpec, place_of

__all__ = ["judge_credentials"]


def judge_credentials(judge: ModelSpec, beside: Sequence[ModelSpec], flag: str) -> Credentials:
    """Return the credentials for the service of a judge.

    ``beside`` are the models that are asked by the same call. If no credentials are given for the judge, and the judge
    has the URL of these models, it uses their credentials. A judge at another URL never gets the key of these models.
    ``flag`` is the name of the flag or parameter that sets the judge's key.
    """
    place = place_of(judge.name, judge.base_url)
    same = [one for one in beside if place_of(one.name, one.base_url) == place]
    if judge.credentials is None and same:
        return same[0].credentials or Credentials()
    elsewhere = any(one.name.startswith("endpoint/") and one not in same for one in beside)
    return replace(judge.credentials or Credentials(), own=bool(same) or not elsewhere, flag=flag)
