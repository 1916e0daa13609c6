/** Newer Node has a global `Temporal` with the machine's clock: a read fails at once, not at a replay. */
Reflect.deleteProperty(globalThis, 'Temporal')
