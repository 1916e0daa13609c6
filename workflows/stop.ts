import type { SignalRun, Stop } from './signal-run.ts'
import { step } from './steps.ts'
import { workflowNow } from './workflow-time.ts'

/** Ends a signal that was stopped before its entry was sent, as the one who stopped it wanted. */
export async function stopBeforeEntry(run: SignalRun): Promise<void> {
  const { stop, terms } = run
  if (stop === null) throw new TypeError('nobody has stopped the signal')
  const { signalId } = terms
  const at = workflowNow()
  switch (stop.kind) {
    case 'declined': {
      const { by, reason } = stop
      await step('recordDeclined', `Record that ${by} declined`, { signalId, at, by, reason })
      run.become('rejected', { reason: 'DECLINED', detail: reason ?? `Declined by ${by}` })
      break
    }
    case 'superseded': {
      const detail = `Superseded by a newer signal with the same sourceId, sent by ${stop.supersession.by}`
      const { replacement } = stop.supersession
      await step('recordSuperseded', 'Store the signal that takes its place', {
        signalId,
        at,
        detail,
        settles: null,
        mayStillFill: false,
        replacement,
      })
      run.become('cancelled', { reason: 'SUPERSEDED', detail })
      break
    }
    case 'withdrawn':
    case 'expired': {
      const { reason, detail } = cancellation(stop, terms.validUntil)
      await step('recordCancelled', `Record that the signal is ${stop.kind}`, {
        signalId,
        at,
        reason,
        detail,
        settles: null,
      })
      run.become('cancelled', { reason, detail })
    }
  }
  run.phase = 'ended'
}

const cancellation = (
  stop: Extract<Stop, { kind: 'withdrawn' | 'expired' }>,
  validUntil: string | null,
): { reason: 'WITHDRAWN' | 'EXPIRED'; detail: string } =>
  stop.kind === 'withdrawn'
    ? { reason: 'WITHDRAWN', detail: `Withdrawn by ${stop.by} before an order was sent` }
    : { reason: 'EXPIRED', detail: `It was valid until ${validUntil} and no order had been sent by then` }
