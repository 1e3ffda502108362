from .. import place
from . import common


def table():
    return {"placement_database": {"connection": place.database("placement")}, "api": {"auth_strategy": "keystone"}, **common()}
