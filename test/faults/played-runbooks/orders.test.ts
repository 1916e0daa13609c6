import assert from 'node:assert/strict'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { endOf, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'
import { PlayedPage, secondsBetween, stopwatch, tell } from './played-page.ts'
import { keepAs, putBack, whileVenueStands } from './venue-file.ts'

const RESTING = { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }

describe('the runbooks about orders, played through', function () {
  this.timeout(240_000)
  // Orders come and go with the copies of the broker's ledger.
  const service = useStack({}, { holdsTimelines: false })

  const { sent } = senderOn(service)

  describe('the order of a replaced signal', () => {
    const page = new PlayedPage('replaced-order-working', () => service.stack)
    const SYMBOLS = ['ZTASKEDAGAIN', 'ZTBYHAND', 'ZTFILLS'] as const
    let replaced: Record<(typeof SYMBOLS)[number], string>
    let alertAfter: string

    before(async () => {
      const { stack } = service
      const send = async (symbol: string): Promise<[string, string]> => {
        await stack.venue.pin(symbol, 100)
        const exit = symbol === 'ZTFILLS' ? { exitTriggerType: 'immediate' } : {}
        return [symbol, await sent({ symbol, sourceId: symbol, ...RESTING, ...exit })]
      }
      replaced = Object.fromEntries(await Promise.all(SYMBOLS.map(send))) as typeof replaced
      await stack.venue.script([{ on: 'cancel', mode: '500' }])
      const since = stopwatch()
      await Promise.all(
        SYMBOLS.map((symbol) =>
          sent({ symbol, sourceId: symbol, replaceExisting: true, ...RESTING, limitPrice: 50 }),
        ),
      )
      for (const id of Object.values(replaced)) await page.raised({ within: 30_000 }, id)
      alertAfter = since()
      // The first cancel after the replacement is tried for seconds too.
      const client = await stack.temporal()
      for (const id of Object.values(replaced))
        await eventually(async () => {
          const { waitsFor } = await client.workflow
            .getHandle(workflowIdFor(id))
            .query<{ waitsFor: string }>('signalProgress')
          assert.equal(waitsFor, 'the replaced entry order to end')
        })
      await page.metricShows(SYMBOLS.length)
      const [rows] = await page.statements()
      assert.deepEqual(new Set(rows!.map((row) => row['signal_id'])), new Set(Object.values(replaced)))
      await stack.venue.clearScript()
    })

    const alertOf = (symbol: (typeof SYMBOLS)[number]) => page.raised({}, replaced[symbol])
    const entryOf = async (symbol: (typeof SYMBOLS)[number]) =>
      ordersAtVenue(await service.stack.venue.ledger(), replaced[symbol], 'entry')[0]!

    it('the order of a replaced signal is cancelled at the broker’s own pages: the alert ends with it', async () => {
      const { stack } = service
      const alert = await alertOf('ZTBYHAND')
      const { id } = await entryOf('ZTBYHAND')
      const { keyId, secretKey } = stack.venueKeys
      const since = stopwatch()
      const answer = await fetch(`${stack.addresses.venue}/v2/orders/${id}`, {
        method: 'DELETE',
        headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey },
      })
      assert.equal(answer.status, 204)
      await page.over(alert, { within: 30_000 })
      tell(
        `replaced-order-working: alert ${alertAfter} s after the replacement was sent; over ${since()} s after the cancel at the broker`,
      )
    })

    it('the order of a replaced signal is cancelled by the service when the broker is asked again, a minute later', async () => {
      const alert = await alertOf('ZTASKEDAGAIN')
      await page.over(alert, { within: 90_000 })
      const { canceled_at: at } = await entryOf('ZTASKEDAGAIN')
      tell(`replaced-order-working: cancelled ${secondsBetween(alert.raisedAt, at!)} s after the alert`)
      await page.metricShows(0)
    })
  })

  describe('an order that its broker does not know any more', () => {
    const page = new PlayedPage('order-unknown-at-broker', () => service.stack)
    let id: string

    before(async () => {
      const { stack } = service
      await stack.venue.pin('ZTFORGOTTEN', 100)
      await whileVenueStands(stack, keepAs('older'))
      id = await sent({ symbol: 'ZTFORGOTTEN', ...RESTING, exitTriggerType: 'immediate' })
      await eventually(async () => assert.equal((await shown(stack, id)).status, 'executed'))
      await whileVenueStands(stack, keepAs('newer'))
    })

    it('an order that its broker does not know any more and knows it again: the alert ends by itself', async () => {
      const { stack } = service
      await whileVenueStands(stack, putBack('older'))
      const since = stopwatch()
      const alert = await page.raised({ within: 60_000 }, id)
      tell(`order-unknown-at-broker: alert ${since()} s after the broker was back without the order`)
      await page.metricShows(1)
      assert.ok(alert.message.includes(`${id}-e1`))
      assert.match(
        stack.parts.worker.logTail(100_000),
        /the broker does not know an order that it once accepted/,
      )
      const [, [order] = []] = await page.statements()
      assert.equal(order?.['client_order_id'], `${id}-e1`)
      await whileVenueStands(stack, putBack('newer'))
      const again = stopwatch()
      await page.over(alert, { within: 90_000 })
      tell(`order-unknown-at-broker: over ${again()} s after the broker knows it again`)
    })

    it('an order that its broker does not know any more and is declared lost: the alert ends, and the signal goes on as after a cancel', async () => {
      const { stack } = service
      await whileVenueStands(stack, putBack('older'))
      const alert = await page.raised({ within: 60_000 }, id)
      const [, [order] = []] = await page.statements()
      const since = stopwatch()
      const { code, output } = await page.admin('order lost', {
        ID: String(order!['id']),
        TEXT: 'the broker has no such order',
      })
      assert.equal(code, 0, output)
      await page.over(alert, {})
      tell(`order-unknown-at-broker: declared lost, and over, in ${since()} s`)
      await endOf(stack, id)
      tell(`order-unknown-at-broker: its signal has ended ${since()} s after`)
      assert.equal((await shown(stack, id)).exit.status, 'cancelled')
      await page.metricShows(0)
    })
  })
})
