"""Applications for gunicorn. Keystone, placement and octavia read sys.argv as they load; gunicorn's own words are not for
them."""

import sys


def keystone():
    sys.argv = ["keystone"]
    from keystone.server import wsgi

    return wsgi.initialize_public_application()


def placement():
    sys.argv = ["placement"]
    from placement import wsgi

    return wsgi.init_application()


def octavia(settings):
    sys.argv = ["octavia-api"]
    from octavia.api import app

    return app.setup_app(argv=["octavia-api", "--config-file", settings])
