"""Files that leave the node are sealed with the user's passphrase: AES-256 by openssl, and a MAC over all of it.

Layout: "HPSEAL1\\n", 16 bytes of salt, the ciphertext, 32 bytes of HMAC-SHA256 over what stands before. Encryption and MAC
have keys of their own, both from the passphrase.
"""

import hashlib
import hmac
import os
import subprocess

MAGIC = b"HPSEAL1\n"
SALT, MAC = 16, 32
# OWASP's figure for PBKDF2 with SHA-256
ROUNDS = 600_000
BLOCK = 1 << 20


class SealError(Exception):
    """A wrong key and a changed file look alike, and neither is unpacked."""


def keys(passphrase, salt):
    """(encryption, initial value, mac)."""
    made = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), salt, ROUNDS, 32 + 16 + 32)
    return made[:32], made[32:48], made[48:]


def cipher(mode, key, start, source, target):
    """openssl reads the key from its environment: a command line can be read by every user of the node."""
    # the passphrase of `enc` is hashed once more, which costs nothing and keeps the key out of argv
    argv = ["openssl", "enc", mode, "-aes-256-ctr", "-nosalt", "-pbkdf2", "-iter", "1", "-pass", "env:HONEST_SEAL"]
    env = dict(os.environ, HONEST_SEAL=key.hex() + start.hex())
    done = subprocess.run(argv, stdin=source, stdout=target, stderr=subprocess.PIPE, env=env, check=False)
    if done.returncode != 0:
        raise SealError("openssl: " + done.stderr.decode(errors="replace").strip()[-200:])


def seal(passphrase, source, target):
    salt = os.urandom(SALT)
    key, start, mac = keys(passphrase, salt)
    with open(target, "wb") as out:
        os.chmod(target, 0o600)
        out.write(MAGIC + salt)
        out.flush()
        with open(source, "rb") as plain:
            cipher("-e", key, start, plain, out)
    tag = digest(target, os.path.getsize(target), mac)
    with open(target, "ab") as out:
        out.write(tag)
        out.flush()
        os.fsync(out.fileno())


def digest(path, size, mac):
    made = hmac.new(mac, digestmod=hashlib.sha256)
    with open(path, "rb") as f:
        left = size
        while left > 0:
            block = f.read(min(BLOCK, left))
            if not block:
                raise SealError("%s ends too early" % path)
            made.update(block)
            left -= len(block)
    return made.digest()


def unseal(passphrase, source, target):
    """Nothing is unpacked before the MAC has been checked."""
    size = os.path.getsize(source) - MAC
    with open(source, "rb") as f:
        head = f.read(len(MAGIC) + SALT)
        if size < len(head) or not head.startswith(MAGIC):
            raise SealError("%s is no sealed file of honest-paas, or is cut off" % source)
        key, start, mac = keys(passphrase, head[len(MAGIC) :])
        f.seek(size)
        if not hmac.compare_digest(f.read(MAC), digest(source, size, mac)):
            raise SealError("%s does not open: the passphrase is another one, or the file was changed or cut off" % source)
    body = target + ".body"
    try:
        with open(source, "rb") as f, open(body, "wb") as out:
            os.chmod(body, 0o600)
            f.seek(len(MAGIC) + SALT)
            left = size - len(MAGIC) - SALT
            while left > 0:
                block = f.read(min(BLOCK, left))
                out.write(block)
                left -= len(block)
        with open(body, "rb") as plain, open(target, "wb") as out:
            os.chmod(target, 0o600)
            cipher("-d", key, start, plain, out)
    finally:
        os.remove(body)
