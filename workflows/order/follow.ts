import { askAgain, askToCancel, isCancelDue, type CancelCause } from './cancel.ts'
import type { OrderFollower } from './follower.ts'
import { waitUntil, type Deadline } from '../steps/waits.ts'

/** How an order is followed. */
export interface Following {
  /** The words for operators, such as `entry order`. */
  name: string
  /** Its good till date, at which it is cancelled; absent where it has none. */
  expiry?: Deadline | null
  /** Whether a newer signal has taken the place of the one that the order is for, so that it is to be cancelled. */
  isReplaced?(): boolean
  /** The order of its signal, by client order id, that it gives way to; null as long as it is to work. */
  givesWayTo?(): string | null
  /** Called once when the broker does not cancel it though it is to give way, which it is asked for on and on. */
  hangs?(): Promise<void>
  /** The words for operators on what it waits for at the broker, where its end is not what is waited for. */
  waitsFor?(): string
  /** Messages other than a cancel, which are answered as they come. */
  messages?: { areDue(): boolean; answer(): Promise<void> }
  /** How the run waits, where it has more to do meanwhile than {@link waitUntil}. */
  wait?(isReached: () => boolean, deadline: Deadline | null): Promise<boolean>
}

/** So often the broker is asked to cancel an order that gives way before that is told: for about twenty seconds. */
const HANGS_AFTER = 3

/**
 * Sees an order to its end, however long it works. Where it is to be cancelled (a person asks, it is replaced, or its
 * good till date has come) the broker is asked again and again until it has ended: a cancel is accepted, not done, and a
 * fill may come all the same.
 */
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
  /** Why the order is cancelled, once the time for that has come. */
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
