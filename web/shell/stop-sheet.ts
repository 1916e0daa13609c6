import { createStore } from '../connection/store.ts'

/** Whether the question is open that stops trading for all accounts of the person. */
export const stopSheet = createStore(false)
