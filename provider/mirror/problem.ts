/** A problem that was foreseen: its message says what, where and how to mend it, so that it is shown without a stack. */
export class MirrorFailed extends Error {}
