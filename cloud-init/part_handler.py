#part-handler
# Puts the parts of user-data where they are read from. It only copies: cloud-init swallows what a part handler raises, so
# everything that can fail is left to the module, which reports it.
import importlib
import json
import os

import cloudinit.config
from cloudinit import util

handler_version = 3
frequency = "once-per-instance"

PACKAGE = "/usr/lib/honest-paas/honest"
STATE = "/var/lib/honest-paas"
MODULES = []


def list_types():
    return ["text/x-honest-module", "text/x-honest-package", "text/x-honest-boot"]


def handle_part(data, ctype, filename, payload, freq, headers=None):
    if isinstance(payload, bytes):
        payload = payload.decode("utf-8")
    name = os.path.basename(filename or "")
    if ctype == "text/x-honest-module":
        util.write_file(os.path.join(list(cloudinit.config.__path__)[0], name), payload, 0o644)
        MODULES.append(name[3:-3])
    elif ctype == "text/x-honest-package":
        util.write_file(os.path.join(PACKAGE, name), payload, 0o644)
    elif ctype == "text/x-honest-boot":
        util.ensure_dir(STATE, 0o700)
        util.write_file(STATE + "/boot.json", payload, 0o600)
        # an image made from a machine that had booted: the id there is that machine's
        if os.path.exists(STATE + "/instance-id"):
            os.remove(STATE + "/instance-id")
    elif ctype == "__end__" and MODULES:
        importlib.invalidate_caches()
        # the list of final modules cannot be appended to from user-data: it is read, extended and put beside the image's
        final = util.read_conf_with_confd("/etc/cloud/cloud.cfg").get("cloud_final_modules", [])
        names = [m[0] if isinstance(m, list) else m for m in final]
        at = min([names.index(m) for m in ("final-message", "final_message") if m in names] + [len(names)])
        extended = final[:at] + [m for m in MODULES if m not in names] + final[at:]
        util.write_file("/etc/cloud/cloud.cfg.d/99_zz_honest.cfg", json.dumps({"cloud_final_modules": extended}), 0o644)
