import { createStore } from '../connection/store.ts'

/** Whether the command palette is open. */
export const palette = createStore(false)
