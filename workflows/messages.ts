import { condition, defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow'
import {
  AWAIT_ENTRY,
  ORDER_CHANGED,
  SIGNAL_PROGRESS,
  type EntryAnswer,
  type OrderChanged,
  type SignalProgress,
} from './contract.ts'
import type { SignalRun } from './signal-run.ts'

const awaitEntry = defineUpdate<EntryAnswer>(AWAIT_ENTRY)
const orderChanged = defineSignal<[OrderChanged]>(ORDER_CHANGED)
const signalProgress = defineQuery<SignalProgress>(SIGNAL_PROGRESS)

/** Answers the messages of a run from its first moment on: one may come before the story begins. */
export function answerMessages(run: SignalRun): void {
  setHandler(
    awaitEntry,
    async () => {
      await condition(() => run.entrySettled)
      return run.entryAnswer
    },
    { description: 'Answers once the entry order is accepted or known not to be placed' },
  )
  setHandler(
    orderChanged,
    (report) => {
      run.note(report)
    },
    { description: 'The broker feed: an order of this signal has ended or filled further' },
  )
  setHandler(signalProgress, () => run.progress, { description: 'What the signal waits for, in words' })
}
