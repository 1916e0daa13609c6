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
  /** Working order to change; null for a new one. */
  changes: OrderDetail | null
  /** Called when the working order is cancelled without a replacement: the form is then for a new one. */
  onCancelled: () => void
}

export function usePlacing({ form, changes, onCancelled }: Options) {
  const [asked, ask] = useState<Asked | null>(null)
  const [isDone, setDone] = useState(false)
  // While its arrival is unknown, the next request keeps its name, so that only one is accepted.
  const [lost, setLost] = useState<Sent | null>(null)
  // The person went back while it was sent: its answer opens the sheet again.
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
      // A name that the person chose remains.
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
