import { createStore } from '../connection/store.ts'

export const palette = createStore(false)

export const keysSheet = createStore(false)

export const stopSheet = createStore(false)

/** Scope of the open sheet that closes positions: one account, or all; null while closed. */
export const flattenSheet = createStore<{ accountId?: string } | null>(null)

/** Sentence that confirms the person's latest halt; null after a while. */
export const stopped = createStore<string | null>(null)
