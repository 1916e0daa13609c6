import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { familyOf, standStill } from '#test/support/standstill.ts'
import { accepted, buyNow, shown } from '#test/service/sent-signal.ts'

/** Milliseconds of a standstill: longer than any sender is kept waiting. */
const STILL = 2_500
/** Milliseconds after which TradingView sends again what was answered 500 to 599. */
const AGAIN = 5_000
const ALERTS = 95
/** Milliseconds into the burst at which the part stands still. */
const MIDST = 200

describe('a part that freezes for a while, in the midst of a burst', function () {
  this.timeout(90_000)
  const service = useStack()

  const isRefused = ({ status }: ApiAnswer) => status >= 500

  /** Sends; up to three times more where the answer was 500 to 599, five seconds after it. */
  async function asTradingView(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
    let answer = await send()
    for (let again = 0; again < 3 && isRefused(answer); again++) {
      await pause(AGAIN)
      answer = await send()
    }
    return answer
  }

  const alert = (symbol: string) =>
    asTradingView(() => service.stack.api.post('/signals', buyNow(service.stack, { symbol }), 20_000))
  const order = (symbol: string) => {
    const { api, accountId } = service.stack
    const body = { accountId, symbol, side: 'BUY', orderType: 'MARKET', quantity: 10 }
    return asTradingView(() => api.post('/orders', body, 20_000))
  }

  /** Has processes stand still in the midst of what is sent; the answers. */
  async function meanwhile<T>(pids: readonly number[], send: () => Promise<T>): Promise<T> {
    const answers = send()
    await pause(MIDST)
    const goOn = standStill(pids)
    await pause(STILL)
    goOn()
    return answers
  }

  /** Every symbol was bought by one order. */
  const boughtOnce = (symbols: readonly string[]) =>
    eventually(
      async () => {
        const { orders } = await service.stack.venue.ledger()
        const times = symbols.map((symbol) => orders.filter((sent) => sent.symbol === symbol).length)
        assert.deepEqual(
          times,
          symbols.map(() => 1),
        )
      },
      { within: 30_000 },
    )

  const symbolsOf = (prefix: string) => Array.from({ length: ALERTS }, (_, index) => prefix + letters(index))

  it('PostgreSQL: each alert and each order without a key, sent again after a 5xx, is one order', async () => {
    const { stack } = service
    const symbols = symbolsOf('ZTP')
    const byHand = symbolsOf('ZTH').slice(0, 10)
    const { parent, children } = await familyOf(stack.parts.postgres.pid)
    const answers = await meanwhile([parent, ...children], () =>
      Promise.all([...symbols.map(alert), ...byHand.map(order)]),
    )
    assert.deepEqual(answers.filter(isRefused), [])
    await boughtOnce([...symbols, ...byHand])
  })

  it('Temporal: nothing is refused as not done and carried out all the same', async () => {
    const { stack } = service
    await stack.untilReady()
    const symbols = symbolsOf('ZTT').slice(0, 30)
    const byHand = symbolsOf('ZTU').slice(0, 10)
    const pending = (symbol: string) => accepted(stack, { symbol, sourceId: symbol, executeMode: 'pending' })
    const [approved, declined, withdrawn, replaced] = await Promise.all(
      ['ZTVA', 'ZTVB', 'ZTVC', 'ZTVD'].map(pending),
    )
    const person = await stack.signIn()
    const decide = () =>
      Promise.all([
        person.post(`/signals/${approved}/process`, {}, 20_000),
        person.post(`/signals/${declined}/reject`, {}, 20_000),
        stack.api.delete(`/signals/${withdrawn}`),
        stack.api.post(
          '/signals',
          buyNow(stack, { symbol: 'ZTVD', sourceId: 'ZTVD', replaceExisting: true }),
          20_000,
        ),
      ])
    const [answers, decided] = await meanwhile([stack.parts.temporal.pid], () =>
      Promise.all([
        Promise.all([...symbols.map(alert), ...byHand.map(order)]),
        pause(MIDST + 50).then(decide),
      ]),
    )
    assert.deepEqual([...answers, ...decided].filter(isRefused), [])
    // 202 as long as it is not confirmed, which on a busy machine comes in time.
    for (const { status } of decided)
      assert.ok(status === 200 || status === 201 || status === 202, `${status}`)
    // What was asked for and not confirmed may be asked for again, which is harmless.
    await stack.untilReady()
    await decide()
    await boughtOnce([...symbols, ...byHand, 'ZTVA', 'ZTVD'])
    const ends = [declined, withdrawn, replaced].map(async (id) => (await shown(stack, id!)).status)
    assert.deepEqual(await Promise.all(ends), ['rejected', 'cancelled', 'cancelled'])
  })
})

/** A number below 676 as two letters. */
const letters = (index: number): string =>
  String.fromCharCode(65 + Math.floor(index / 26)) + String.fromCharCode(65 + (index % 26))
