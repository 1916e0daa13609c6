import { askAgain, askToCancel, isCancelDue, type CancelCause } from './cancel.ts'
import type { OrderFollower } from './follower.ts'
import { waitUntil, type Deadline } from '../steps/waits.ts'

export interface Following {
  name: string
  expiry?: Deadline | null
  /** By a newer signal, so that it has to be cancelled. */
  isReplaced?(): boolean
  /** The client order id of the order of its signal that it gives way to. */
  givesWayTo?(): string | null
  /** Called once when the broker does not cancel it. */
  hangs?(): Promise<void>
  waitsFor?(): string
  /** Other than a cancel; answered as they come. */
  messages?: { areDue(): boolean; answer(): Promise<void> }
  /** Where the run has more to do meanwhile than {@link waitUntil}. */
  wait?(isReached: () => boolean, deadline: Deadline | null): Promise<boolean>
}

/** Requests to cancel before {@link Following.hangs}: about twenty seconds. */
const HANGS_AFTER = 3

/** The broker is asked again and again: a cancel is accepted before it is done, and a fill may come all the same. */
export async function followOrder(
  run: OrderFollower,
  clientOrderId: string,
  {
    name,
    expiry = null,
    isReplaced = () => false,
    givesWayTo = () => null,
    hangs,
    waitsFor,
    messages,
    wait,
  }: Following,
): Promise<void> {
  const hasEnded = () => run.hasEnded(clientOrderId)
  const isDue = () => isCancelDue(run, clientOrderId)
  const waits = wait ?? ((isReached, deadline) => waitUntil(run, isReached, deadline))
  const causeNow = (): CancelCause => {
    if (isReplaced() && !isDue()) return 'replaced'
    if (givesWayTo() !== null && !isDue()) return 'gives_way'
    return run.orderCancel?.clientOrderId === clientOrderId ? 'asked' : 'expired'
  }
  let asked = 0
  let again: Deadline | null = null
  while (!hasEnded()) {
    const isToGo = isReplaced() || givesWayTo() !== null
    if (!isDue() && !(isToGo && asked === 0)) {
      if (waitsFor && !isToGo) run.waitFor(waitsFor())
      else run.waitFor(`the ${isReplaced() ? 'replaced ' : ''}${name} to end`, expiry?.at)
      const came = await waits(() => hasEnded() || isDue() || (messages?.areDue() ?? false), again ?? expiry)
      await messages?.answer()
      if (came || hasEnded()) continue
    }
    const cause = causeNow()
    if (cause !== 'expired') asked += 1
    if (cause === 'gives_way' && asked === HANGS_AFTER) await hangs?.()
    await askToCancel(run, clientOrderId, name, cause, givesWayTo())
    again = askAgain(cause, asked)
  }
}
