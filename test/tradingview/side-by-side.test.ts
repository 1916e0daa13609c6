import assert from 'node:assert/strict'
import { alertMessage } from '#domain/hook/templates.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { heldAtVenue } from '#test/service/sent-signal.ts'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { HICCUPS } from './hiccups.ts'
import { Player } from './player.ts'
import type { Script } from './scripts.ts'

const SYMBOL = 'ZTSIDE'
const TIMES = { givenUpAfter: 10_000, repeatedAfter: 4_000 }
const BARS = 14
const closes = Array.from({ length: BARS }, () => 100)

/** Turns around at every fourth bar. */
const REVERSING: Script = {
  title: 'reversing',
  message: 'target',
  closes,
  atClose(strategy, bar) {
    if (bar % 4 === 0) strategy.entry('short', 'short', 10)
    if (bar % 4 === 2) strategy.entry('long', 'long', 10)
  },
}

/** Adds, takes some off, and leaves, at the bars between. */
const ADDING: Script = {
  title: 'adding',
  message: 'target',
  pyramiding: 3,
  closes,
  atClose(strategy, bar) {
    if (bar === 1 || bar === 3 || bar === 9) strategy.entry(`add ${bar}`, 'long', 5)
    if (bar === 5) strategy.close('add 3', { shares: 4 })
    if (bar === 11) strategy.closeAll()
  },
}

/** None in which an alert finds nobody: TradingView sends such a one no second time. */
const DISTURBED = HICCUPS.filter(({ title }) => !title.includes('the API'))

/** Shares that a person buys, or sells, after a bar. */
const BY_HAND: Readonly<Record<number, number>> = { 6: 7, 10: -3, 12: -4 }

describe('two strategies and a person on one symbol of one account, played bar by bar', function () {
  this.timeout(300_000)
  const service = useStack({})
  let person: ApiClient
  const hooks = new Map<Script, string>()

  const playerOf = async (script: Script): Promise<Player> => {
    const { status, body } = await person.post('/hooks', {
      name: script.title,
      kind: 'tradingview',
      accountIds: [service.stack.accountId],
      mayShort: true,
    })
    assert.equal(status, 201, JSON.stringify(body))
    hooks.set(script, body.data.hook.id)
    const choices = { on: 'strategy', word: 'buy', order: 'market', size: 'strategy' } as const
    const template = alertMessage('tradingview', choices, null).text
    const chart = { ticker: SYMBOL, exchange: 'NASDAQ', interval: '1' }
    return new Player(script, chart, { url: body.data.url, template, times: TIMES })
  }

  /** By the venue's fills and the ids of the orders, which say for which signal each was. */
  async function soldAndBoughtBy(hook: string): Promise<number> {
    const { body } = await person.get(`/signals?tokenId=${hook}&limit=100`)
    const own = new Set(body.data.signals.map(({ id }: { id: string }) => id))
    const { orders } = await service.stack.venue.ledger()
    return orders
      .filter((order) => own.has(parseClientOrderId(order.client_order_id)?.signalId))
      .reduce((sum, { side, filled_qty: filled }) => sum + (side === 'buy' ? 1 : -1) * Number(filled), 0)
  }
  const shownOn = async (hook: string): Promise<number> => {
    const { body } = await person.get(`/hooks/${hook}`)
    return body.data.hook.owns.reduce(
      (sum: number, { side, quantity }: { side: string; quantity: number }) =>
        sum + (side === 'LONG' ? quantity : -quantity),
      0,
    )
  }

  it('leave each strategy what it says, the hand what it bought, and the broker their sum', async () => {
    person = await service.stack.signIn()
    await service.stack.venue.pin(SYMBOL, 100)
    const players = [await playerOf(REVERSING), await playerOf(ADDING)]
    const [reversing, adding] = players.map(({ script }) => hooks.get(script)!)
    const owned = { reversing: 0, adding: 0, hand: 0 }
    let before = { reversing: 0, adding: 0 }
    let refusals = 0
    for (let bar = 0; bar < BARS; bar += 1) {
      const disturbed = DISTURBED[Math.floor(bar / 2)]
      await Promise.all([
        bar % 2 === 1 && disturbed?.strike(service.stack),
        ...players.map((one) => one.play(bar)),
      ])
      const [wanted, added] = players.map(({ strategy }) => strategy.position) as [number, number]
      // Whoever comes to the other side of what others hold is refused, and keeps nothing on this one.
      const others = owned.adding + owned.hand
      if (wanted !== before.reversing) owned.reversing = wanted * others < 0 ? 0 : wanted
      if (added !== before.adding && (added === 0 || owned.reversing >= 0)) owned.adding = added
      before = { reversing: wanted, adding: added }
      refusals += Number(owned.reversing !== wanted) + Number(owned.adding !== added)
      const changed = BY_HAND[bar] ?? 0
      const settled = async (): Promise<void> => {
        const told = { reversing: await shownOn(reversing!), adding: await shownOn(adding!) }
        const { hand, ...ofStrategies } = owned
        assert.deepEqual(told, ofStrategies, `after bar ${bar}`)
        const traded = [await soldAndBoughtBy(reversing!), await soldAndBoughtBy(adding!)]
        assert.deepEqual(traded, [owned.reversing, owned.adding], `by the venue, after bar ${bar}`)
        const sum = owned.reversing + owned.adding + hand
        assert.equal(Number(await heldAtVenue(service.stack, SYMBOL)), sum, `after bar ${bar}`)
      }
      await eventually(settled, { within: 40_000, every: 200 })
      if (changed === 0) continue
      const { status, body } = await person.post('/orders', {
        accountId: service.stack.accountId,
        symbol: SYMBOL,
        side: changed > 0 ? 'BUY' : 'SELL',
        orderType: 'MARKET',
        quantity: Math.abs(changed),
      })
      assert.equal(status, 201, JSON.stringify(body))
      owned.hand += changed
      await eventually(settled, { within: 20_000, every: 200 })
    }
    assert.ok(refusals > 0, 'no strategy came to the other side of another')
    const { body } = await person.get('/alerts?state=all&limit=500')
    assert.match(JSON.stringify(body), /HELD_BY_OTHERS|would close shares that are not/)
  })
})
