import { setTimeout as sleep } from 'node:timers/promises'
import { clientOrderIdFor } from '#domain/order.ts'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import type { Wish, Withdrawal } from '#test/support/evidence.ts'
import { endedAt } from '#test/support/oracle.ts'
import type { Stack } from '#test/support/stack.ts'
import { Random } from './random.ts'
import { allow } from './timing.ts'
import type { Decision } from './wishes.ts'

/** Patience with one answer, in milliseconds. */
const PATIENCE_MS = 6_000
/** Milliseconds after which somebody who was never answered stops asking. */
const GIVE_UP_AFTER_MS = 60_000

/** A clock time of the run that was missed comes again so much later at the least. */
const ANOTHER_DAY = '1 hour'

/** The people and programs that decide on stored signals, and what they were told. */
export class Deciders {
  readonly withdrawals: Withdrawal[] = []
  /** How often each decision got each status. */
  readonly answers: string[] = []
  readonly #stack: Stack
  #person: Promise<ApiClient>

  private constructor(stack: Stack, person: ApiClient) {
    this.#stack = stack
    this.#person = Promise.resolve(person)
  }

  static async of(stack: Stack): Promise<Deciders> {
    return new Deciders(stack, await stack.signIn())
  }

  /** Takes a decision, asked for until it is answered for good. */
  async decide(decision: Decision, signalId: string, wish: Wish, random: Random): Promise<void> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS
    while (performance.now() < deadline) {
      if (decision === 'approve') allow(wish)
      const answer = await this.#ask(decision, signalId)
      if (answer !== null && isFinal(answer)) return this.#note(decision, signalId, wish, answer)
      await sleep(random.between(200, 1_200))
    }
  }

  /**
   * Cancels the exits that wait for another day because their entries ended after the exits' clock times, so that the
   * run can come to its end. An exit that waits although its entry was there in time is left: it is a fault.
   */
  async cancelRolledExits(wishes: readonly Wish[]): Promise<void> {
    const waiting = await this.#stack.query<{ id: string; key: string }>(
      `select id, source_id as key from signals
       where exit_status = 'scheduled' and exit_submit_at > now() + interval '${ANOTHER_DAY}'`,
    )
    const clocked = new Map(
      wishes.filter((wish) => wish.exitNotBefore !== null).map((wish) => [wish.key, wish]),
    )
    if (!waiting.some(({ key }) => clocked.has(key))) return
    const { orders } = await this.#stack.venue.ledger()
    for (const { id, key } of waiting) {
      const wish = clocked.get(key)
      const entry = orders.find(({ client_order_id }) => client_order_id === clientOrderIdFor(id, 'entry', 1))
      const ended = entry && endedAt(entry)
      if (wish && ended && ended > wish.exitNotBefore!)
        await this.decide('withdraw exit', id, wish, new Random(0))
    }
  }

  /** Null when no answer came: the decision may be taken or not. */
  async #ask(decision: Decision, signalId: string): Promise<ApiAnswer | null> {
    try {
      const answer = await this.#send(decision, signalId)
      if (answer.status === 401) this.#person = this.#signIn()
      return answer
    } catch {
      return null
    }
  }

  async #send(decision: Decision, signalId: string): Promise<ApiAnswer> {
    const path = `/signals/${signalId}`
    switch (decision) {
      case 'approve':
        return (await this.#person).post(`${path}/process`, {}, PATIENCE_MS)
      case 'decline':
        return (await this.#person).post(`${path}/reject`, {}, PATIENCE_MS)
      case 'withdraw':
        return this.#stack.api.delete(path, PATIENCE_MS)
      case 'withdraw exit':
        return this.#stack.api.delete(`${path}/exit`, PATIENCE_MS)
    }
  }

  /** A long run outlives a sign-in. While it cannot be renewed the old one is kept, and refused again. */
  #signIn(): Promise<ApiClient> {
    const before = this.#person
    return this.#stack.signIn().catch(() => before)
  }

  #note(decision: Decision, signalId: string, wish: Wish, answer: ApiAnswer): void {
    this.answers.push(`${decision} ${answer.status}`)
    if (decision === 'withdraw exit') {
      if (isExitWithdrawn(answer)) wish.wantsExit = false
    } else if (decision !== 'approve' && answer.status === 200)
      this.withdrawals.push({ signalId, acknowledgedAt: new Date().toISOString() })
  }
}

/**
 * An exit cannot be withdrawn while it is not known whether there is an entry, and somebody else's withdrawal of it may
 * not be on record yet: asked again it is decided.
 */
const isFinal = ({ status, body }: ApiAnswer): boolean =>
  status < 500 && status !== 401 && !(status === 409 && UNDECIDED.test(body.error))
const UNDECIDED = /signal is (queued|transmitted)|cancelled by .* already/

/** The first answer may have been lost on its way; the second says that it is too late, and why. */
const isExitWithdrawn = ({ status, body }: ApiAnswer): boolean =>
  status === 200 || (status === 409 && /exit cancelled/.test(body.error))
