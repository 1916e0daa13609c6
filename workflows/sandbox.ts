/**
 * Newer versions of Node have a global `Temporal`, whose `Now` is the machine's clock also where the SDK has put `Date` on the
 * time of the history. It is removed, so that a workflow that reads it fails at once and not at its replay.
 */
Reflect.deleteProperty(globalThis, 'Temporal')
