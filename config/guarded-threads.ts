/**
 * Memory shared by the main thread and the workflow threads of a process: for each thread a count that goes up when it
 * enters the sandbox of workflows and when it leaves. Odd means inside.
 */

/** Threads receive it under this name; an unguarded process sets none. */
export const GUARDED = 'durable-trader: guarded workflow threads'

const CELLS = 4_096

/** This cell is 1 once threads must have the SDK's own watchdog again. */
export const PER_CALL = 0

export const newCells = (): Int32Array => new Int32Array(new SharedArrayBuffer(4 * CELLS))

export const cellOf = (threadId: number): number => 1 + (threadId % (CELLS - 1))
