import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workflowIdFor } from '#domain/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, ordersAtVenue, shown } from './sent-signal.ts'

describe('a ledger that was restored from an older copy', function () {
  this.timeout(300_000)
  const service = useStack({}, { holdsTimelines: false })

  const sequence = async (): Promise<number> =>
    Number(
      (await service.stack.query<{ n: string }>('select sequence::text as n from ledger_mark'))[0]?.n ?? 0,
    )
  const sent = async (changes: object): Promise<string> => {
    const { stack } = service
    const { status, body } = await stack.api.post('/signals', buyNow(stack, changes), 20_000)
    assert.ok(status < 300, JSON.stringify(body))
    return body.signal.id
  }
  /** With the service and PostgreSQL stopped. */
  async function stopped(work: (folder: string, copy: string) => void): Promise<void> {
    const { stack } = service
    const { api, worker, postgres } = stack.parts
    await Promise.all([api.stop(), worker.stop()])
    await postgres.stop()
    const folder = join(dirname(stack.logFolder), 'postgres')
    work(folder, `${folder}-copy`)
    await postgres.start()
    await Promise.all([worker.start(), api.start()])
    await stack.untilReady()
  }
  /** With owners and rights, as docs/running.md tells operators to. */
  const copyFolder = (from: string, to: string) => execFileSync('cp', ['-a', from, to])

  it('is found out at the start: an alert names what differs and what was done, and exits are placed once', async () => {
    const { stack } = service
    await stack.venue.pin('RESTS', 100)
    const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 2 }
    const resting = await sent({
      symbol: 'RESTS',
      orderType: 'limit',
      limitPrice: 95,
      timeInForce: 'gtc',
      ...exit,
    })
    await eventually(async () => assert.ok((await sequence()) >= 1), { within: 20_000 })
    await stopped((folder, copy) => copyFolder(folder, copy))
    const copied = await sequence()

    await stack.venue.pin('RESTS', 90)
    await eventually(async () => assert.equal((await shown(stack, resting)).exit.status, 'scheduled'), {
      within: 20_000,
    })
    const later = await sent({
      symbol: 'LATER',
      exitTriggerType: 'minutesAfterEntry',
      exitTriggerMinutes: 60,
    })
    await eventually(async () => assert.equal((await shown(stack, later)).exit.status, 'scheduled'), {
      within: 20_000,
    })
    await eventually(async () => assert.ok((await sequence()) > copied), { within: 60_000 })

    const began = performance.now()
    await stopped((folder, copy) => {
      rmSync(folder, { recursive: true })
      copyFolder(copy, folder)
    })
    const alert = await eventually(
      async () => {
        const [found] = (await stack.api.get('/alerts?kind=set_back')).body.data.alerts
        assert.ok(found)
        return found
      },
      { within: 120_000, every: 500 },
    )
    console.log(`    ${Math.round((performance.now() - began) / 1_000)} s after the stop: ${alert.message}`)
    assert.match(alert.message, /^The ledger was set back to an earlier state of 20/)
    assert.ok(
      alert.message.includes(
        `left: ${workflowIdFor(later)} runs in Temporal, and the ledger does not know it`,
      ),
    )
    assert.ok(
      alert.message.includes(
        `order ${later}-e1 (BUY 10 LATER, FILLED with 10 filled) is at the broker and not in the ledger`,
      ),
    )

    await eventually(
      async () => {
        const { status, exit: planned } = await shown(stack, resting)
        assert.deepEqual([status, planned.status], ['executed', 'filled'])
      },
      { within: 150_000, every: 500 },
    )
    const [halt] = await stack.query<{ level: string; by: string }>(
      `select level, set_by as by from trading_halts where scope = 'global' and lifted_at is null`,
    )
    assert.equal(halt?.level, 'reduceOnly')
    assert.match(halt.by, /^restoration of 20/)
    const ledger = await stack.venue.ledger()
    for (const role of ['entry', 'exit'] as const)
      assert.equal(ordersAtVenue(ledger, resting, role).length, 1, role)
    assert.equal(ordersAtVenue(ledger, later, 'entry').length, 1)
    assert.deepEqual(
      (await stack.api.get(`/alerts?signalId=${resting}`)).body.data.alerts.map(
        ({ kind }: { kind: string }) => kind,
      ),
      [],
    )
  })
})
