import { setTimeout as sleep } from 'node:timers/promises'
import { isOpening } from '#domain/signal/signal.ts'
import type { ApiAnswer } from '#test/support/api-client.ts'
import type { ByHandBooks, Ticket } from '#test/support/by-hand-faults.ts'
import type { TradeRequest } from '#test/support/evidence.ts'
import type { Stack } from '#test/support/stack.ts'
import type { Random } from './random.ts'
import type { Recess } from './recess.ts'

/** What a person does besides in the symbol of a wish, so many milliseconds after it is sent. */
type HandAct =
  | {
      kind: 'ticket'
      afterMs: number
      key: string
      side: Ticket['side']
      quantity: number
      reduceOnly: boolean
    }
  | { kind: 'flatten'; afterMs: number; key: string }

/** Of a hundred wishes. Positions are closed by hand besides, as the sequel of a wish. */
const IN_A_HUNDRED = { ticket: 5, flatten: 5 }
const LATEST_MS = 8_000
/** Patience with one answer, and with all of them, in milliseconds. */
const PATIENCE_MS = 4_000
const GIVE_UP_AFTER_MS = 90_000

/** Null mostly. What a person buys in the symbol moves the exits of others in it. */
export function planHandAct(wish: TradeRequest, random: Random): HandAct | null {
  const [lot, afterMs, quantity] = [
    random.fraction() * 100,
    random.between(0, LATEST_MS),
    random.between(1, 10),
  ]
  const closes = random.fraction() < 0.3
  if (lot >= IN_A_HUNDRED.ticket + IN_A_HUNDRED.flatten) return null
  if (lot >= IN_A_HUNDRED.ticket) return { kind: 'flatten', afterMs, key: `${wish.key}-flatten` }
  const isLong = (wish.action === 'openLong') === isOpening(wish.action)
  return {
    kind: 'ticket',
    afterMs,
    key: `${wish.key}-ticket`,
    side: isLong === closes ? 'sell' : 'buy',
    quantity,
    reduceOnly: closes,
  }
}

/** People who place orders and close everything in a symbol, each request sent twice at once and repeated until it is answered. */
export class ByHand {
  readonly tickets: Ticket[] = []
  readonly notifiedFlattenings: ByHandBooks['notifiedFlattenings'] = []
  /** What was answered with which status. */
  readonly answers: string[] = []
  readonly #stack: Stack
  readonly #recess: Recess

  constructor(stack: Stack, recess: Recess) {
    this.#stack = stack
    this.#recess = recess
  }

  async do(act: HandAct, { symbol }: Pick<TradeRequest, 'symbol'>): Promise<void> {
    await sleep(act.afterMs)
    const { accountId } = this.#stack
    const { key } = act
    if (act.kind === 'flatten') {
      const told = (id: string) => void this.notifiedFlattenings.push({ key, id })
      return this.#sendTwice('flatten', key, '/positions/flatten', { accountId, symbols: [symbol] }, told)
    }
    const { side, quantity, reduceOnly } = act
    const ticket: Ticket = { key, symbol, side, quantity: `${quantity}`, told: [] }
    this.tickets.push(ticket)
    const order = { accountId, symbol, side: side.toUpperCase(), orderType: 'MARKET', quantity, reduceOnly }
    await this.#sendTwice('ticket', key, '/orders', order, (orderId) =>
      ticket.told.push({ orderId, at: new Date().toISOString() }),
    )
  }

  async #sendTwice(
    what: string,
    key: string,
    path: string,
    body: object,
    told: (id: string) => void,
  ): Promise<void> {
    const send = (): Promise<ApiAnswer> =>
      this.#stack.api.post(path, body, PATIENCE_MS, { 'Idempotency-Key': key })
    const deliver = async (): Promise<void> => {
      const deadline = performance.now() + GIVE_UP_AFTER_MS
      while (performance.now() < deadline) {
        const answer = await this.#recess.outside(send).catch(() => null)
        if (answer !== null && answer.status < 500) {
          this.answers.push(`${what} ${answer.status}`)
          const id = answer.body.order?.id ?? answer.body.flatten?.id
          if (answer.status < 300) told(id)
          return
        }
        await sleep(500)
      }
    }
    await Promise.all([deliver(), deliver()])
  }
}
