import { useState } from 'react'
import { mayHaveArrived, useAction } from '../parts/action.ts'
import type { Asked } from './asked.ts'
import { newSourceId, type Draft } from './draft.ts'
import type { TradeForm } from './form-state.ts'
import { change, place, type Placed } from './placing.ts'
import type { OrderDetail } from './requests.ts'
import type { Sent } from './sent.ts'

interface Options {
  form: TradeForm
  /** The working order that is changed; null for a new one. */
  changes: OrderDetail | null
  /** The working order is cancelled, and nothing stands in its place: from now on it is a new one. */
  onCancelled: () => void
}

/** The question before a request is sent, its answer, and how the form goes on after it. */
export function usePlacing({ form, changes, onCancelled }: Options) {
  const [asked, ask] = useState<Asked | null>(null)
  const [isDone, setDone] = useState(false)
  // While it is not known whether it arrived, what is sent next keeps its name, so that never both are taken.
  const [lost, setLost] = useState<Sent['as'] | null>(null)
  const { state, run, reset } = useAction<Placed>()
  const startNew = (next: Partial<Draft> = {}): void => {
    setLost(null)
    form.reset({ ...form.state.values, sourceId: newSourceId(), ...next }, { keepDefaultValues: true })
  }
  const confirm = (): void => {
    if (!asked) return
    const { sent, key } = asked
    void run(() => (changes ? change(changes, sent, key) : place(sent, key)))
  }
  const close = (): void => {
    ask(null)
    if (state.is === 'busy' || (state.is === 'failed' && mayHaveArrived(state.problem))) {
      setLost(asked?.sent.as ?? null)
    } else if (state.is === 'failed') {
      if (lost === null || state.problem.code === 'IDEMPOTENCY_KEY_REUSED') startNew()
    } else if (state.is === 'done' && state.result.isCancelled === true) {
      onCancelled()
      startNew()
    } else if (state.is === 'done') {
      if (changes) setDone(true)
      startNew({ quantity: '', alsoIn: [] })
    }
    if (state.is !== 'busy') reset()
  }
  return { asked, ask, state, confirm, close, isDone, lost, startNew }
}
