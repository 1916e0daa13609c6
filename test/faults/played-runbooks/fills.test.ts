import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { endOf, heldAtVenue, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'
import { PlayedPage, secondsBetween, stopwatch, tell } from './played-page.ts'
import { changeRows, whileVenueStands } from './venue-file.ts'

const RESTING = { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }
/** How old an execution has to be before it is held against the broker's list, in milliseconds. */
const LISTED_AFTER = 60_000

describe('the runbooks about fills, played through', function () {
  this.timeout(240_000)
  // The broker takes back what the timelines have told.
  const service = useStack({}, { holdsTimelines: false })

  const { sent } = senderOn(service)
  const position = (symbol: string) => heldAtVenue(service.stack, symbol)
  const closes = async (symbol: string): Promise<void> => {
    const { stack } = service
    const { status, body } = await stack.api.post(`/positions/${stack.accountId}/${symbol}/close`, {})
    assert.ok(status === 201 || status === 202, JSON.stringify(body))
    await eventually(async () => assert.equal(await position(symbol), '0'))
  }

  const sold = { symbol: 'ZTTAKENBACK', id: '' }
  before(async () => {
    const { stack } = service
    await stack.venue.pin(sold.symbol, 100)
    await stack.venue.script([
      { on: 'fill', mode: 'partial', fraction: 0.4, holdMs: 500, symbol: sold.symbol, times: 1 },
      { on: 'cancel', mode: 'late_fill', delayMs: 3_000 },
    ])
    sold.id = await sent({ symbol: sold.symbol, exitTriggerType: 'immediate' })
    await endOf(stack, sold.id)
  })

  describe('a fill after the end of its signal', () => {
    const page = new PlayedPage('fill-after-end', () => service.stack)
    /** Cancels an order at the broker, which fills it all the same. Returns the instant of that fill. */
    const fillLate = async (orderId: string, clientOrderId: string): Promise<string> => {
      await (await service.stack.signIn()).delete(`/orders/${orderId}`)
      return eventually(async () => {
        const { orders } = await service.stack.venue.ledger()
        const [fill] = orders.find(({ client_order_id }) => client_order_id === clientOrderId)!.fills
        assert.ok(fill)
        return fill.at
      })
    }
    const fillSignalLate = async (id: string): Promise<string> => {
      const { orderId } = await shown(service.stack, id)
      return fillLate(orderId, `${id}-e1`)
    }

    it('a fill after the end of its signal with an exit: the alert ends by itself when that is accepted, and nothing is left of the position', async () => {
      const { stack } = service
      await stack.venue.pin('ZTLATEEXIT', 100)
      const id = await sent({
        symbol: 'ZTLATEEXIT',
        ...RESTING,
        exitTriggerType: 'minutesAfterEntry',
        exitTriggerMinutes: 1,
      })
      const at = await fillSignalLate(id)
      const alert = await page.raised({ within: 30_000 }, id)
      await page.metricShows(1)
      const [[row] = []] = await page.statements()
      assert.deepEqual([row?.['signal_id'], row?.['message']], [id, alert.message])
      assert.equal((await shown(stack, id)).exit.status, 'scheduled')
      await page.over(alert, { within: 100_000 })
      const [exit] = ordersAtVenue(await stack.venue.ledger(), id, 'exit')
      tell(
        `fill-after-end: alert ${secondsBetween(at, alert.raisedAt)} s after the fill; over when the exit was accepted, ${secondsBetween(at, exit!.created_at)} s after the fill`,
      )
      await endOf(stack, id)
      assert.equal(await position('ZTLATEEXIT'), '0')
      await page.metricShows(0)
    })
  })

  describe('an execution that was taken back', () => {
    const page = new PlayedPage('fill-amended', () => service.stack)

    it('an execution that was taken back after the exit: the position is short as the page says, is closed by its owner, and the alert is acknowledged', async () => {
      const { stack } = service
      await eventually(
        async () => {
          const [young] = await stack.query(
            `select from fills where symbol = '${sold.symbol}' and recorded_at > now() - interval '${LISTED_AFTER} milliseconds'`,
          )
          assert.equal(young, undefined)
        },
        { within: 90_000 },
      )
      const [entry] = ordersAtVenue(await stack.venue.ledger(), sold.id, 'entry')
      const last = entry!.fills.at(-1)!
      assert.equal(last.qty, '6')
      await whileVenueStands(stack, (file) =>
        changeRows(file, (rows) => {
          rows.prepare('delete from fills where id = ?').run(last.execution_id)
          rows.prepare(`update orders set filledQty = '4', filledValue = '400' where id = ?`).run(entry!.id)
          rows
            .prepare(
              `insert into positions (accountId, symbol, qty, avgEntryPrice) select id, ?, '-6', '100' from accounts`,
            )
            .run(sold.symbol)
        }),
      )
      const since = stopwatch()
      const alert = await page.raised({ within: 60_000 }, sold.id)
      tell(`fill-amended: alert ${since()} s after the broker was back without the execution`)
      await page.metricShows(1)
      assert.match(alert.message, /had filled 10 and has filled 4/)
      const [[row] = []] = await page.statements()
      assert.equal(row?.['signal_id'], sold.id)
      assert.equal((await shown(stack, sold.id)).filledQuantity, 4)
      page.assertReports('GET /api/v1/positions/:accountId')
      await eventually(
        async () => {
          const { body } = await stack.api.get(`/positions/${stack.accountId}`)
          const held = body.positions.find((each: { symbol: string }) => each.symbol === sold.symbol)
          assert.deepEqual([held?.side, Number(held?.quantity)], ['SHORT', 6])
        },
        { within: 30_000 },
      )
      tell(`fill-amended: GET /positions shows the short position ${since()} s after`)
      await closes(sold.symbol)
      await page.acknowledge(alert)
      await page.metricShows(0)
    })
  })
})
