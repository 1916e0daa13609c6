/**
 * What the main thread and the workflow threads of a process share: for each thread a count that goes up when it enters
 * the sandbox of workflows and when it leaves. Odd means inside.
 */

/** Under which name threads are given it; a process in which nobody guards gives them none. */
export const GUARDED = 'durable-trader: guarded workflow threads'

/** Far more than there are threads at one time. */
const CELLS = 4_096

/** The cell that is 1 once threads are to have the SDK's own watchdog again. */
export const PER_CALL = 0

export const newCells = (): Int32Array => new Int32Array(new SharedArrayBuffer(4 * CELLS))

/** The cell of a thread, by its id in Node. */
export const cellOf = (threadId: number): number => 1 + (threadId % (CELLS - 1))
