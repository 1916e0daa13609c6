import { setTimeout as sleep } from 'node:timers/promises'
import { DECISION_UNCONFIRMED } from '#domain/signal/advisory.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import type { Ticket } from '#test/support/by-hand-faults.ts'
import type { TradeRequest, Withdrawal } from '#test/support/evidence.ts'
import { endedAt } from '#test/support/oracle.ts'
import type { Stack } from '#test/support/stack.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'
import { DISTANT_MS } from './exits.ts'
import { Random } from './random.ts'
import type { Recess } from './recess.ts'
import { allow } from './timing.ts'
import type { Decision } from './wishes.ts'

/** Patience with one answer, in milliseconds. */
const PATIENCE_MS = 6_000
/** Milliseconds after which somebody who was never answered stops asking. */
const GIVE_UP_AFTER_MS = 60_000
/** The same, of somebody whose signal comes to no end without an answer. */
const INSIST_FOR_MS = 300_000

/** No exit of a run is so far away unless it has missed its time, or was never meant to come. */
const DISTANT = '10 minutes'

/** The people and programs that decide on stored signals, and what they were told. */
export class Deciders {
  readonly withdrawals: Withdrawal[] = []
  /** How often each decision got each status. */
  readonly answers: string[] = []
  readonly #stack: Stack
  readonly #recess: Recess | null
  readonly #tickets: Ticket[]
  #person: Promise<ApiClient>

  private constructor(stack: Stack, person: ApiClient, recess: Recess | null, tickets: Ticket[]) {
    this.#stack = stack
    this.#tickets = tickets
    this.#recess = recess
    this.#person = Promise.resolve(person)
  }

  /** @param tickets to which the closes by hand are added */
  static async of(stack: Stack, recess: Recess | null = null, tickets: Ticket[] = []): Promise<Deciders> {
    return new Deciders(stack, await stack.signIn(), recess, tickets)
  }

  #outside<T>(request: () => Promise<T>): Promise<T> {
    return this.#recess?.outside(request) ?? request()
  }

  /** Takes a decision, asked for until it is answered for good. */
  async decide(decision: Decision, signalId: string, wish: TradeRequest, random: Random): Promise<void> {
    const patience = decision === 'withdraw exit' ? INSIST_FOR_MS : GIVE_UP_AFTER_MS
    const deadline = performance.now() + patience
    let last: ApiAnswer | null = null
    while (performance.now() < deadline) {
      if (decision === 'approve') allow(wish)
      last = await this.#ask(decision, signalId)
      if (last !== null && isFinal(last)) return this.#note(decision, signalId, wish, last)
      await sleep(random.between(200, 1_200))
    }
    if (last !== null && isNotTaken(last)) await this.decide('decline', signalId, wish, random)
  }

  /**
   * Sells shares of a symbol, or buys short ones back, by a manual order: sent again until it is answered, under
   * one key. That it is refused, because nothing is held or others close it already, is as good an end.
   */
  async closeManually({ key, symbol, action }: TradeRequest, quantity: number): Promise<void> {
    const { accountId } = this.#stack
    const side = action === 'openLong' ? 'SELL' : 'BUY'
    const headers = { 'Idempotency-Key': `${key}-by-hand` }
    const ticket: Ticket = {
      key: `${key}-by-hand`,
      symbol,
      side: side === 'SELL' ? 'sell' : 'buy',
      quantity: `${quantity}`,
      told: [],
    }
    this.#tickets.push(ticket)
    const deadline = performance.now() + GIVE_UP_AFTER_MS
    while (performance.now() < deadline) {
      try {
        const person = await this.#person
        const path = `/positions/${accountId}/${symbol}/close`
        const answer = await this.#outside(() => person.post(path, { quantity }, PATIENCE_MS, headers))
        if (answer.status === 401) this.#person = this.#signIn()
        else if (answer.status < 500) {
          this.answers.push(`${side} by hand ${answer.status}`)
          const orderId = answer.status < 300 && answer.body.orders?.[0]?.order?.id
          if (orderId) ticket.told.push({ orderId, at: new Date().toISOString() })
          return
        }
      } catch {
        // No answer: it may have been placed, and the next one with this key says so.
      }
      await sleep(500)
    }
  }

  /** Gives a signal another exit plan, asked for until it is answered. That it is refused is as good an end. */
  async changeExit(signalId: string, protection: object): Promise<void> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS
    while (performance.now() < deadline) {
      try {
        const person = await this.#person
        const path = `/signals/${signalId}/protection`
        const { status } = await this.#outside(() => person.patch(path, protection, PATIENCE_MS))
        if (status === 401) this.#person = this.#signIn()
        else if (status < 500) return void this.answers.push(`change of the plan ${status}`)
      } catch {
        // No answer: it may be taken, and asked again it is the same.
      }
      await sleep(500)
    }
  }

  /**
   * Cancels the exits that wait for longer than any run, so that it can come to its end: those whose entries ended after
   * the exits' clock times, which is another day's then, and those that were to be withdrawn by somebody who was never
   * told of the signal. An exit that should not wait so long is left: it is a fault.
   */
  async cancelDistantExits(wishes: readonly TradeRequest[]): Promise<void> {
    const waiting = await this.#stack.query<{ id: string; key: string }>(
      `select id, source_id as key from signals
       where exit_status = 'scheduled' and exit_submit_at > now() + interval '${DISTANT}'`,
    )
    if (waiting.length === 0) return
    const requestByKey = new Map(wishes.map((wish) => [wish.key, wish]))
    const { orders } = await this.#stack.venue.ledger()
    for (const { id, key } of waiting) {
      const wish = requestByKey.get(key)
      const entry = orders.find(({ client_order_id }) => client_order_id === clientOrderIdFor(id, 'entry', 1))
      if (wish && entry && mayWait(wish, entry)) await this.decide('withdraw exit', id, wish, new Random(0))
    }
  }

  /** Null when no answer came: the decision may be taken or not. */
  async #ask(decision: Decision, signalId: string): Promise<ApiAnswer | null> {
    try {
      const answer = await this.#outside(() => this.#send(decision, signalId))
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

  #note(decision: Decision, signalId: string, wish: TradeRequest, answer: ApiAnswer): void {
    this.answers.push(`${decision} ${answer.status}`)
    if (decision === 'withdraw exit') {
      if (isExitWithdrawn(answer)) wish.wantsExit = false
    } else if (decision !== 'approve' && answer.status === 200)
      this.withdrawals.push({ signalId, acknowledgedAt: new Date().toISOString() })
  }
}

/**
 * A decision that was handed on and not confirmed may be taken: asked again it is told. An exit cannot be withdrawn while it is
 * not known whether there is an entry, and another withdrawal of it may not be on record yet: asked again it is decided.
 */
const isFinal = (answer: ApiAnswer): boolean => {
  const { status, body } = answer
  const isUndecided = (status === 409 && UNDECIDED.test(body.error)) || isNotTaken(answer)
  return status < 500 && status !== 401 && !isUnconfirmed(body) && !isUndecided
}
/** The order would have been refused at that moment, as during a full stop: the signal waits on. */
const isNotTaken = ({ body }: ApiAnswer): boolean => body.code === 'WOULD_BE_REFUSED'
const isUnconfirmed = ({ data }: ApiAnswer['body']): boolean =>
  data?.advisories?.some(({ code }: { code: string }) => code === DECISION_UNCONFIRMED) ?? false
const UNDECIDED = /signal is (queued|transmitted)|(being cancelled|cancelled by .*) already/

/** The first answer may have been lost on its way; the second says that it is too late, and why. */
const isExitWithdrawn = ({ status, body }: ApiAnswer): boolean =>
  status === 200 || (status === 409 && /exit cancelled/.test(body.error))

/** Whether an exit is rightly a long time after the end of its entry. */
function mayWait({ exitNotBefore, exitAfterMs }: TradeRequest, entry: LedgerOrder): boolean {
  const ended = endedAt(entry)
  if (ended === null) return false
  return exitAfterMs >= DISTANT_MS || (exitNotBefore !== null && ended > exitNotBefore)
}
