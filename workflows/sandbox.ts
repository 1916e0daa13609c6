/**
 * Newer Node has a global `Temporal`, whose `Now` is the machine's clock also inside a workflow. Without it such
 * a read fails at once and not at a replay.
 */
Reflect.deleteProperty(globalThis, 'Temporal')
