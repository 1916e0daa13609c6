import { createStore } from '../connection/store.ts'

/** Whether the command palette is open. */
export const palette = createStore(false)

/** Whether the list of keys is open. */
export const keysSheet = createStore(false)

/** Whether the question is open that stops trading for all accounts of the person. */
export const stopSheet = createStore(false)

/** What the question is about that closes all positions: those of one account, or all; null while it is not open. */
export const flattenSheet = createStore<{ accountId?: string } | null>(null)

/** The sentence that confirms a stop that this person has just set; null after a while. */
export const stopped = createStore<string | null>(null)
