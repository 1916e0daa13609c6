import { useState } from 'react'
import { mayHaveArrived, useAction } from '../parts/action.ts'
import type { Asked } from './asked.ts'
import { isMadeHere, newSourceId, type Draft } from './draft.ts'
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
  const [lost, setLost] = useState<Sent | null>(null)
  // Its person went back while it was being sent: its answer opens it again, before anything else is asked.
  const [isAway, setAway] = useState(false)
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
    const isBusy = state.is === 'busy'
    setAway(isBusy)
    if (isBusy) return
    ask(null)
    if (state.is === 'failed' && mayHaveArrived(state.problem)) {
      setLost(asked?.sent ?? null)
    } else if (state.is === 'failed') {
      // A name that its person has given stays theirs.
      const isOurs = isMadeHere(form.state.values.sourceId)
      if (isOurs && (lost === null || state.problem.code === 'IDEMPOTENCY_KEY_REUSED')) startNew()
    } else if (state.is === 'done' && state.result.isCancelled === true) {
      onCancelled()
      startNew()
    } else if (state.is === 'done') {
      if (changes) setDone(true)
      startNew({ quantity: '', targetPosition: '', alsoIn: [] })
    }
    reset()
  }
  const isSending = isAway && state.is === 'busy'
  return { asked: isSending ? null : asked, ask, state, confirm, close, isDone, isSending, lost, startNew }
}
