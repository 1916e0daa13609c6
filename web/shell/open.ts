import { createStore } from '../connection/store.ts'

/** Whether the command palette is open. */
export const palette = createStore(false)

/** Whether the list of keys is open. */
export const keysSheet = createStore(false)

/** Whether the question is open that stops trading for all accounts of the person. */
export const stopSheet = createStore(false)

/** Whether the question is open that closes all positions. */
export const flattenSheet = createStore(false)

/** The sentence that confirms a stop that this person has just set; null after a while. */
export const stopped = createStore<string | null>(null)
