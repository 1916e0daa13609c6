import { createStore } from '../connection/store.ts'

/** Whether the command palette is open. */
export const palette = createStore(false)

/** Whether the question is open that stops trading for all accounts of the person. */
export const stopSheet = createStore(false)
