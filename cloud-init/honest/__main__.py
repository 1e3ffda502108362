"""python3 -m honest boot | peer | loader | etcd: what the units run."""

import sys


def main(what):
    if what == "boot":
        from honest import boot

        return boot.main()
    if what == "loader":
        from honest import loader

        return loader.main()
    if what == "peer":
        from honest import peer

        return peer.main()
    from honest import etcd

    return etcd.main()


sys.exit(main(sys.argv[1]))
