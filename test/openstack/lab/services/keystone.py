from .. import place


def table():
    return {
        "DEFAULT": {"log_file": ""},
        "database": {"connection": place.database("keystone")},
        "token": {"provider": "fernet", "expiration": 86400},
        "fernet_tokens": {"key_repository": place.state / "fernet"},
        "credential": {"key_repository": place.state / "credential"},
        # the fewest rounds that bcrypt knows: every login of a test pays for them
        "identity": {"password_hash_rounds": 4},
    }
